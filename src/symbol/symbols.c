/*
 * symbol/symbols.c - names of native functions, for all files that a run has executed code of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/symbols.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "symbol/debug_file.h"
#include "symbol/demangle.h"
#include "symbol/elf_address.h"
#include "symbol/functions.h"
#include "symbol/inlined.h"
#include "symbol/table.h"

#define FILES_MAX 1024 /* each is an open descriptor */

struct file {
    char *name;
    int fd; /* -1 once it has been read */
    bool is_read;
    struct sc_functions *functions; /* NULL without unwind records */
    Dwfl *dwfl;                     /* NULL when the file makes no sense */
    Dwfl_Module *module;
    struct sc_symbol_table table;
    bool rows_are_read;
    struct sc_frame_rows *rows; /* NULL without unwind records */
};

struct sc_symbols {
    SC_VEC(struct file) files;
    struct sc_intern names;   /* of files, by their index */
    struct sc_intern mangled; /* names as files have them */
    SC_VEC(char *) demangled; /* the same for people */
    char *debug_path;         /* what libdwfl takes as its list of folders */
    Dwfl_Callbacks callbacks;
};

struct sc_symbols *sc_symbols_new(void)
{
    struct sc_symbols *symbols = sc_alloc(1, sizeof(*symbols));
    /* beside the file, in .debug beside it, and where distributions put them */
    symbols->debug_path = sc_strdup(":.debug:/usr/lib/debug");
    symbols->callbacks = (Dwfl_Callbacks){
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = sc_debug_file_find,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &symbols->debug_path,
    };
    return symbols;
}

void sc_symbols_free(struct sc_symbols *symbols)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->files.count; i++) {
        struct file *file = &symbols->files.items[i];
        free(file->name);
        sc_symbol_table_done(&file->table);
        sc_functions_free(file->functions);
        sc_frame_rows_free(file->rows);
        if (file->dwfl != NULL)
            dwfl_end(file->dwfl);
        if (file->fd >= 0)
            (void)close(file->fd);
    }
    for (size_t i = 0; i < symbols->demangled.count; i++)
        free(symbols->demangled.items[i]);
    sc_vec_done(&symbols->files);
    sc_vec_done(&symbols->demangled);
    sc_intern_done(&symbols->names);
    sc_intern_done(&symbols->mangled);
    free(symbols->debug_path);
    free(symbols);
}

bool sc_symbols_add(struct sc_symbols *symbols, const char *name, const char *open_path)
{
    if (sc_intern_find(&symbols->names, name, strlen(name)) != SC_NONE)
        return true;
    if (symbols->files.count == FILES_MAX)
        return false;
    int fd = sc_open_regular(open_path);
    if (fd < 0)
        return false;
    (void)sc_intern_add(&symbols->names, name, strlen(name));
    sc_vec_push(&symbols->files, (struct file){.name = sc_strdup(name), .fd = fd});
    return true;
}

/* Hands the descriptor over to libdwfl. */
static void read_file(struct sc_symbols *symbols, struct file *file)
{
    SC_AUTO_FREE char *again = sc_format("/proc/self/fd/%d", file->fd);
    file->is_read = true;
    file->functions = sc_functions_read(again, NULL, NULL, NULL);
    (void)unsetenv("DEBUGINFOD_URLS"); /* libdwfl would ask those servers */
    file->dwfl = dwfl_begin(&symbols->callbacks);
    if (file->dwfl == NULL)
        return;
    dwfl_report_begin(file->dwfl);
    file->module = dwfl_report_elf(file->dwfl, file->name, file->name, file->fd, 0, false);
    (void)dwfl_report_end(file->dwfl, NULL, NULL);
    if (file->module == NULL)
        return;
    file->fd = -1;
    sc_symbol_table_read(file->module, &file->table);
}

static const char *for_people(struct sc_symbols *symbols, const char *mangled)
{
    uint32_t at = sc_intern_add(&symbols->mangled, mangled, strlen(mangled));
    if (at == symbols->demangled.count)
        sc_vec_push(&symbols->demangled, sc_demangle(mangled));
    return symbols->demangled.items[at];
}

static struct file *find_file(struct sc_symbols *symbols, const char *name)
{
    uint32_t at = sc_intern_find(&symbols->names, name, strlen(name));
    if (at == SC_NONE)
        return NULL;
    struct file *file = &symbols->files.items[at];
    if (!file->is_read)
        read_file(symbols, file);
    return file;
}

/* Where the byte at file_offset is, as the file numbers addresses; 0 when it is not loaded. */
static uint64_t address_of(const struct file *file, uint64_t file_offset)
{
    GElf_Addr bias = 0;
    return sc_elf_address(file->module != NULL ? dwfl_module_getelf(file->module, &bias) : NULL,
                          file_offset);
}

size_t sc_symbols_find(struct sc_symbols *symbols, const char *name, uint64_t file_offset,
                       bool with_inlined, struct sc_symbol_name *ret_names)
{
    struct file *file = find_file(symbols, name);
    if (file == NULL)
        return 0;
    uint64_t address = address_of(file, file_offset);
    if (address == 0)
        return 0;
    const struct sc_symbol_entry *entry = sc_symbol_table_find(&file->table, address);
    const char *inlined[SC_SYMBOL_DEPTH_MAX];
    size_t count =
        with_inlined ? sc_inlined_find(file->module, address, inlined, SC_SYMBOL_DEPTH_MAX) : 0;
    for (size_t i = 0; i < count; i++)
        ret_names[i] = (struct sc_symbol_name){for_people(symbols, inlined[i]), 0};
    if (count == 0 && entry != NULL)
        ret_names[count++].text = for_people(symbols, entry->name);
    if (count > 0)
        ret_names[0].inside = entry != NULL ? address - entry->start : 0;
    return count;
}

uint64_t sc_symbols_start(struct sc_symbols *symbols, const char *name, uint64_t file_offset)
{
    const struct file *file = find_file(symbols, name);
    if (file == NULL || file->functions == NULL)
        return file_offset;
    uint64_t address = sc_functions_address(file->functions, file_offset);
    uint64_t start = address != 0 ? sc_functions_start(file->functions, address) : 0;
    return start != 0 && address - start <= file_offset ? file_offset - (address - start)
                                                        : file_offset;
}

/* Only the unwind records are read, which takes little: the rest waits until the program has ended.
 */
static void read_rows(struct file *file)
{
    GElf_Addr bias = 0;
    file->rows_are_read = true;
    if (file->is_read) {
        if (file->module != NULL)
            file->rows = sc_frame_rows_of(dwfl_module_getelf(file->module, &bias));
        return;
    }
    int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0)
        file->rows = sc_frame_rows_open(fd);
}

bool sc_symbols_row(struct sc_symbols *symbols, const char *name, uint64_t file_offset,
                    struct sc_frame_row *ret_row)
{
    uint32_t at = sc_intern_find(&symbols->names, name, strlen(name));
    if (at == SC_NONE)
        return false;
    struct file *file = &symbols->files.items[at];
    if (!file->rows_are_read)
        read_rows(file);
    return file->rows != NULL && sc_frame_rows_find(file->rows, file_offset, ret_row);
}
