/*
 * tests/fuzz/elf_fuzz.c - any bytes as a program's file, with its symbols, unwind records and debug
 * information.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "symbol/demangle.h"
#include "symbol/functions.h"
#include "symbol/symbols.h"

enum { FILE_MAX = 1 << 16, PLACES = 24 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void); /* NOLINT(*-reserved-identifier,cert-*) */

/* What the library itself loses of a file that makes no sense: some bytes, once per file. */
const char *__lsan_default_suppressions(void) /* NOLINT(*-reserved-identifier,cert-*) */
{
    return "leak:libdw\nleak:libelf\n";
}

static void named(void *context, const struct sc_named_symbol *symbol)
{
    size_t *count = context;
    *count += strlen(symbol->name) + symbol->is_function;
}

/* A start lies before the place, an end behind. */
static void look_at_functions(const char *path, const uint64_t *places)
{
    size_t count = 0;
    unsigned char bytes[16];
    struct sc_functions *functions = sc_functions_read(NULL, path, named, &count, NULL);
    for (size_t i = 0; functions != NULL && i < PLACES; i++) {
        uint64_t address = sc_functions_address(functions, places[i]);
        uint64_t start = sc_functions_start(functions, address);
        if (start > address)
            abort();
        (void)sc_functions_end(functions, address);
        (void)sc_functions_bytes(functions, address, bytes, sizeof(bytes));
        (void)sc_functions_is_linkage(functions, address);
    }
    sc_functions_free(functions);
}

static void look_at_symbols(const char *path, const uint64_t *places, bool rows_first)
{
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    struct sc_unwind_row row;
    struct sc_symbols *symbols = sc_symbols_new(NULL);
    if (!sc_symbols_add(symbols, "file", path, path))
        abort();
    if (rows_first)
        (void)sc_symbols_row(symbols, "file", places[0], &row);
    for (size_t i = 0; i < PLACES; i++) {
        size_t count = sc_symbols_find(symbols, "file", places[i], true, names);
        if (count > SC_SYMBOL_DEPTH_MAX)
            abort();
        for (size_t j = 0; j < count; j++)
            (void)strlen(names[j].text);
        if (sc_symbols_start(symbols, "file", places[i]) > places[i])
            abort();
        (void)sc_symbols_row(symbols, "file", places[i], &row);
    }
    sc_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    uint64_t places[PLACES];
    if (size < 1 || size > FILE_MAX)
        return 0;
    if (fd < 0)
        fd = memfd_create("file", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    for (size_t i = 0; i < PLACES; i++)
        places[i] = i + 1 < PLACES ? i * size / PLACES : UINT64_MAX;
    SC_AUTO_FREE char *path = sc_format("/proc/self/fd/%d", fd);
    look_at_functions(path, places);
    look_at_symbols(path, places, (data[size - 1] & 1) != 0);
    SC_AUTO_FREE char *text = sc_strndup((const char *)data, size < 256 ? size : 256);
    free(sc_demangle(text));
    return 0;
}
