/*
 * tests/unit/inlined_test.c - functions that were inlined, looked up in this very program, which is
 * compiled with debug information.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/inlined.h"

#include <link.h>

#include "base/io.h"
#include "base/mem.h"
#include "sc_test.h"

enum { NAMES = 4, BYTES = 4096 };

static volatile int sink;

static inline __attribute__((always_inline)) void innermost(int number)
{
    for (int i = 0; i < number; i++)
        sink += i * number;
}

static inline __attribute__((always_inline)) void middle(int number)
{
    for (int i = 0; i < number; i++) {
        int square = i * i;
        innermost(square);
        sink ^= square;
    }
}

__attribute__((noinline)) static void outer(int number)
{
    sink = number;
    middle(number + sink);
    sink++;
}

/* A copy of this program in which no section has that name. */
static int copy_own(const char *name)
{
    int copy = memfd_create("own", MFD_CLOEXEC);
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    assert_true(sc_read_file("/proc/self/exe", SIZE_MAX, &bytes, NULL));
    char *end = bytes.data + bytes.length;
    for (char *at = bytes.data; (at = memmem(at, (size_t)(end - at), name, strlen(name))) != NULL;)
        *at++ = '-';
    assert_int_equal(write(copy, bytes.data, bytes.length), bytes.length);
    return copy;
}

static Dwfl *open_own(int copy, Dwfl_Module **ret_module)
{
    static char none[] = "";
    static char *no_folders = none;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &no_folders,
    };
    Dwfl *dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(dwfl);
    *ret_module = dwfl_report_elf(dwfl, "own", "own", copy, 0, false);
    assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
    return dwfl;
}

/* Names at each byte from the start of outer to its end, and the most of them at once. */
static size_t names_of_outer(struct sc_inlined *inlined, Dwfl_Module *module, uint64_t start)
{
    static const char *const expected[] = {"outer", "middle", "innermost"};
    size_t most = 0;
    for (uint64_t at = 0; at < BYTES; at++) {
        const char *names[NAMES] = {NULL};
        size_t count = sc_inlined_find(inlined, module, start + at, names, NAMES);
        if (count == 0 || strcmp(names[0], "outer") != 0)
            break;
        assert_true(count <= 3);
        for (size_t i = 0; i < count; i++)
            assert_string_equal(names[i], expected[i]);
        most = count > most ? count : most;
    }
    return most;
}

/* The first object is the program. */
static int note_bias(struct dl_phdr_info *object, size_t size, void *ret_bias)
{
    *(uint64_t *)ret_bias = object->dlpi_addr;
    return 1;
}

static void look_up_in(int copy)
{
    uint64_t bias = 0; /* none where the program's addresses are fixed */
    Dwfl_Module *module = NULL;
    OWN(sc_inlined, inlined) = {0};
    outer(3);
    (void)dl_iterate_phdr(note_bias, &bias);
    uint64_t start = (uintptr_t)outer - bias;
    Dwfl *dwfl = open_own(copy, &module);
    const char *names[NAMES] = {NULL};
    assert_int_equal(sc_inlined_find(&inlined, module, start, names, 1), 1);
    assert_string_equal(names[0], "outer");
    assert_int_equal(inlined.units.count, 1);
    /* what was read of the unit is enough for all that is asked later */
    const struct sc_inlined_range *ranges = inlined.units.items[0].ranges.items;
    size_t count = inlined.units.items[0].ranges.count;
    assert_true(count >= 3); /* outer, and functions of this test */
    assert_int_equal(names_of_outer(&inlined, module, start), 3);
    assert_int_equal(inlined.units.count, 1);
    assert_ptr_equal(inlined.units.items[0].ranges.items, ranges);
    assert_int_equal(inlined.units.items[0].ranges.count, count);
    assert_int_equal(sc_inlined_find(&inlined, module, 1, names, NAMES), 0);
    dwfl_end(dwfl);
}

TEST(each_unit_is_read_once)
{
    look_up_in(copy_own("no section"));
}

/* As clang leaves it out. */
TEST(a_table_of_units_is_not_needed)
{
    look_up_in(copy_own(".debug_aranges"));
}
