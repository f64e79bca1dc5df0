/*
 * tests/unit/naming_test.c - names of native functions, on this very program under several names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/stack/naming.h"

#include <inttypes.h>

#include "base/mem.h"
#include "sc_test.h"

/* Functions named as those of the interpreter that only pass on what a builtin is called with. */
int cfunction_call_for_naming(int value);
int a_function_for_naming(int value);

__attribute__((noinline, aligned(16))) int cfunction_call_for_naming(int value)
{
    __asm__ volatile("" ::: "memory");
    return value + 1;
}

__attribute__((noinline, aligned(16))) int a_function_for_naming(int value)
{
    __asm__ volatile("" ::: "memory");
    return value + 2;
}

/* Where an address of this program is in its file. */
static uint64_t offset_of(uintptr_t address)
{
    uint64_t start = 0;
    uint64_t end = 0;
    uint64_t at = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    uint64_t offset = 0;
    while (fgets(line, sizeof(line), maps) != NULL) {
        // NOLINTNEXTLINE(cert-err34-c): the kernel's own text
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &at) == 3 &&
            address >= start && address < end)
            offset = address - start + at;
    }
    (void)fclose(maps);
    return offset;
}

struct row {
    const char *module;
    bool passes_on; /* of which function */
    const char *name;
};

static const struct row rows[] = {
    {"/opt/lib/libextension.so", false, "a_function_for_naming"},
    {"/opt/lib/libextension.so", true, "cfunction_call_for_naming"},
    {"/usr/bin/python3.11", false, "a_function_for_naming"},
    {"/usr/bin/python3.11", true, NULL},
    {"/usr/lib/libpython3.12.so.1.0", true, NULL},
    {"python3", true, NULL},
    {"/opt/python/bin/tool", true, "cfunction_call_for_naming"},
    {"/usr/lib/libc.so.6", true, "cfunction_call_for_naming"},
};

TEST(what_only_passes_on_is_left_out_of_the_interpreter)
{
    OWN(sc_collect, collect);
    struct sc_naming naming = {.symbols = sc_symbols_new(NULL), .collect = &collect};
    sc_collect_init(&collect, 0, 0);
    FOR_EACH(row, rows) {
        struct sc_native_name names[SC_NATIVE_NAMES_MAX];
        uintptr_t address = row->passes_on ? (uintptr_t)cfunction_call_for_naming
                                           : (uintptr_t)a_function_for_naming;
        (void)printf("  %s\n", row->module);
        assert_true(
            sc_symbols_add(naming.symbols, row->module, "/proc/self/exe", "/proc/self/exe"));
        size_t count = sc_name_native(&naming, row->module, offset_of(address) + 2, names);
        assert_int_equal(count, row->name != NULL);
        if (row->name != NULL) {
            assert_string_equal(names[0].text, row->name);
            assert_int_equal(names[0].inside, 2);
        }
    }
    assert_int_equal(cfunction_call_for_naming(1) + a_function_for_naming(1), 5);
    free(naming.place);
    sc_map_done(&naming.prepared);
    sc_symbols_free(naming.symbols);
}

TEST(what_has_no_name_is_called_by_its_place)
{
    OWN(sc_collect, collect);
    struct sc_naming naming = {.symbols = sc_symbols_new(NULL), .collect = &collect};
    struct sc_native_name names[SC_NATIVE_NAMES_MAX];
    sc_collect_init(&collect, 0, 0);
    assert_int_equal(sc_name_native(&naming, "/opt/lib/libz.so.1", 0x41f0, names), 1);
    assert_string_equal(names[0].text, "libz.so.1+0x41f0");
    assert_int_equal(names[0].inside, 0);
    assert_int_equal(sc_name_native(&naming, "/usr/bin/python3.11", 0x10, names), 1);
    assert_string_equal(names[0].text, "python3.11+0x10");
    assert_int_equal(sc_name_native(&naming, SC_MODULE_KERNEL, 0, names), 1);
    assert_string_equal(names[0].text, SC_MODULE_KERNEL);
    free(naming.place);
    sc_map_done(&naming.prepared);
    sc_symbols_free(naming.symbols);
}
