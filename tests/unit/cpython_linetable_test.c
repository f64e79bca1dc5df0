/*
 * tests/unit/cpython_linetable_test.c - line tables of real code, by hand, and hostile ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "cpython/linetable.h"
#include "cpython_linetable_data.h"
#include "sc_test.h"

TEST(test_known_tables)
{
    FOR_EACH(known, known_tables) {
        size_t range = 0;
        assert_int_equal(known->ranges[0].start, 0);
        for (int32_t offset = 0; offset < known->code_bytes; offset++) {
            if (range + 1 < known->range_count && known->ranges[range + 1].start <= offset)
                range++;
            uint32_t line =
                sc_line_of(known->kind, known->table, known->length, KNOWN_FIRST_LINE, offset);
            if (line != known->ranges[range].line)
                fail_msg("CPython %s, offset %d: line %u, expected %u", known->python, offset, line,
                         known->ranges[range].line);
        }
        assert_int_equal(range + 1, known->range_count);
    }
}

TEST(test_before_the_first_instruction)
{
    static const uint8_t table[] = {0x00, 0x05};
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LNOTAB, table, 2, 7, -1), 7);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_PEP626, table, 2, 7, -1), 7);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LOCATION, NULL, 0, 7, -2), 7);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LNOTAB, table, 2, 7, 0), 12);
}

TEST(test_empty_tables)
{
    /* an lnotab needs no entry when all is on the first line */
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LNOTAB, NULL, 0, 3, 8), 3);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_PEP626, NULL, 0, 3, 8), 0);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LOCATION, NULL, 0, 3, 8), 0);
}

TEST(test_past_the_end)
{
    static const uint8_t pep626[] = {4, 1, 2, 1};
    static const uint8_t location[] = {0x80 | 13 << 3 | 1, 2, 0x80 | 11 << 3 | 0, 0, 0};
    assert_int_equal(sc_line_of(SC_LINE_TABLE_PEP626, pep626, 4, 10, 3), 11);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_PEP626, pep626, 4, 10, 4), 12);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_PEP626, pep626, 4, 10, 6), 0);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LOCATION, location, 5, 10, 3), 11);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LOCATION, location, 5, 10, 5), 12);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LOCATION, location, 5, 10, 6), 0);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LOCATION, location, 5, 10, INT32_MAX), 0);
}

/* Every kind of location entry, two code units each. */
TEST(test_location_codes)
{
    static const uint8_t table[] = {
        0x80 | 0 << 3 | 1,  0x12,                   /* short form: same line */
        0x80 | 9 << 3 | 1,  0x7f,                   /* short form: same line */
        0x80 | 10 << 3 | 1, 0x01, 0x02,             /* one line: +0 */
        0x80 | 12 << 3 | 1, 0x01, 0x02,             /* one line: +2 */
        0x80 | 13 << 3 | 1, 0x43, 0x3f,             /* no columns: -(3 | 63 << 6) >> 1 */
        0x80 | 15 << 3 | 1,                         /* no line */
        0x80 | 14 << 3 | 1, 0x42, 0x3f, 0, 0x41, 1, /* long: +(2 | 63 << 6) >> 1 */
    };
    static const uint32_t expected[] = {5000, 5000, 5000, 5002, 5002 - 2017, 0, 5002};
    for (int32_t i = 0; i < 7; i++)
        for (int32_t j = 0; j < 4; j++)
            assert_int_equal(
                sc_line_of(SC_LINE_TABLE_LOCATION, table, sizeof(table), 5000, i * 4 + j),
                expected[i]);
}

TEST(test_line_below_one_is_none)
{
    static const uint8_t down[] = {2, 0x81, 2, 0x7f};
    static const uint8_t location[] = {0x80 | 13 << 3, 0x15}; /* -10 */
    assert_int_equal(sc_line_of(SC_LINE_TABLE_PEP626, down, 4, 5, 0), 0);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_PEP626, down, 4, 5, 2), 5);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LNOTAB, down, 4, 5, 2), 0);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LOCATION, location, 2, 5, 0), 0);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LOCATION, location, 2, 11, 0), 1);
    assert_int_equal(sc_line_of(SC_LINE_TABLE_LNOTAB, NULL, 0, UINT32_MAX, 2), 0);
}

/* Cut anywhere, the table must not be read past its end; ASan checks the heap block. */
TEST(test_cut_tables)
{
    FOR_EACH(known, known_tables) {
        for (size_t length = 0; length <= known->length; length++) {
            uint8_t *cut = test_malloc(length + 1);
            memcpy(cut, known->table, length);
            for (int kind = SC_LINE_TABLE_LNOTAB; kind <= SC_LINE_TABLE_LOCATION; kind++)
                (void)sc_line_of((enum sc_line_table_kind)kind, cut, length, 1, INT32_MAX);
            uint32_t line = sc_line_of(known->kind, cut, length, KNOWN_FIRST_LINE, 0);
            assert_true(line == known->ranges[0].line || length < 3);
            test_free(cut);
        }
    }
}

TEST(test_extreme_bytes)
{
    static uint8_t table[4096];
    static const uint8_t fillers[] = {0x00, 0x7f, 0x80, 0xff, 0x40, 0xc0, 0xe8, 0xf0};
    for (size_t i = 0; i < sizeof(fillers); i++) {
        memset(table, fillers[i], sizeof(table));
        for (int kind = SC_LINE_TABLE_LNOTAB; kind <= SC_LINE_TABLE_LOCATION; kind++) {
            uint32_t line = sc_line_of((enum sc_line_table_kind)kind, table, sizeof(table),
                                       UINT32_MAX, INT32_MAX);
            assert_true(line <= INT32_MAX);
        }
    }
    /* a number of endless groups ends where the table does */
    memset(table, 0x7f, sizeof(table));
    table[0] = 0x80 | 14 << 3;
    assert_true(sc_line_of(SC_LINE_TABLE_LOCATION, table, sizeof(table), 1, 0) <= INT32_MAX);
}
