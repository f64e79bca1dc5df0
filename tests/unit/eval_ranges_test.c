/*
 * tests/unit/eval_ranges_test.c - finding the places of an evaluation loop that a compiler split.
 *
 * The functions are written in assembly, so that their places do not depend on the compiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "sc_test.h"
#include "unwind/unwind.h"

extern const char split_loop[], split_loop_end[], split_cold[], split_cold_end[];
extern const char neighbour[], neighbour_end[];
extern const char tail_entry[], tail_entry_end[], tail_first[], tail_last_end[];
extern const void *const tail_table[];

/* jmp rel32 to a place 8 bytes into another function, and to the start of one */
#define JUMP_INTO(name) ".byte 0xe9\n.long " name " + 8 - . - 4\n"
#define JUMP_TO(name)   ".byte 0xe9\n.long " name " - . - 4\n"
#define BEGIN(name)     ".globl " name "\n" name ":\n.cfi_startproc\n"
#define END(name)       ".cfi_endproc\n.globl " name "_end\n" name "_end:\n"
#define APART           ".skip 64, 0x90\n"

__asm__(".text\n.balign 16\n"
        /* large enough that no table is looked for */
        BEGIN("split_loop") ".skip 16, 0x90\n" JUMP_INTO("split_cold") JUMP_INTO("split_cold")
            JUMP_INTO("split_cold") JUMP_TO("neighbour")
                JUMP_INTO("neighbour") ".skip 20000, 0x90\n" END("split_loop") APART
                    /* jumps into the loop too, but too seldom to be a part of it */
                    BEGIN("neighbour") ".skip 16, 0x90\n" JUMP_INTO("split_loop") END("neighbour")
                        APART BEGIN("split_cold") ".skip 16, 0x90\n" JUMP_INTO("split_loop")
                            JUMP_INTO("split_loop") END("split_cold") APART
                                /* a function for each opcode, in a table */
                                BEGIN("tail_entry") ".skip 16, 0x90\n" END("tail_entry") APART
        ".globl tail_first\ntail_first:\n"
        ".rept 256\n.cfi_startproc\n.skip 15, 0x90\nret\n.cfi_endproc\n.endr\n"
        ".globl tail_last_end\ntail_last_end:\n" APART
        ".section .data.rel.ro, \"aw\"\n.balign 8\n.globl tail_table\ntail_table:\n"
        ".set tail_offset, 0\n"
        ".rept 256\n.quad tail_first + tail_offset\n.set tail_offset, tail_offset + 16\n.endr\n"
        ".quad 0\n.text\n");

static bool read_plainly(void *context, uint64_t address, void *bytes, size_t length)
{
    memcpy(bytes, (const void *)address, length);
    return true;
}

static const struct sc_target plain_memory = {read_plainly, NULL};
static struct sc_eval_ranges ranges;

static bool holds_all(const char *start, const char *end)
{
    for (const char *at = start; at < end; at++) {
        if (!sc_eval_ranges_hold(&ranges, (uint64_t)at))
            return false;
    }
    return true;
}

static bool holds_any(const char *start, const char *end)
{
    for (const char *at = start; at < end; at++) {
        if (sc_eval_ranges_hold(&ranges, (uint64_t)at))
            return true;
    }
    return false;
}

TEST(test_both_parts_of_a_split_loop)
{
    sc_eval_ranges_find(&ranges, &plain_memory, (uint64_t)split_loop, 1);
    assert_int_equal(ranges.count, 2);
    assert_true(holds_all(split_loop, split_loop_end));
    assert_true(holds_all(split_cold, split_cold_end));
    assert_false(holds_any(neighbour, neighbour_end));
    assert_false(holds_any(tail_entry, tail_entry_end));
}

TEST(test_functions_of_opcodes)
{
    assert_non_null(tail_table[0]);
    sc_eval_ranges_find(&ranges, &plain_memory, (uint64_t)tail_entry, 1);
    assert_true(holds_all(tail_entry, tail_entry_end));
    assert_true(holds_all(tail_first, tail_last_end));
    assert_false(holds_any(split_loop, split_loop_end));
    /* they touch, so that they are one range */
    assert_int_equal(ranges.count, 2);
}

TEST(test_without_records_the_symbol_is_all)
{
    static char data[100];
    sc_eval_ranges_find(&ranges, &plain_memory, 4096, 100);
    assert_int_equal(ranges.count, 1);
    assert_int_equal(ranges.ranges[0].start, 4096);
    assert_int_equal(ranges.ranges[0].end, 4196);
    sc_eval_ranges_find(&ranges, &plain_memory, (uint64_t)data, 0);
    assert_false(sc_eval_ranges_hold(&ranges, (uint64_t)data));
}
