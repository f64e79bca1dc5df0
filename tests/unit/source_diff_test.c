/*
 * tests/unit/source_diff_test.c - differences of texts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "sc_test.h"
#include "source/diff.h"

static void expect(const char *old_text, const char *new_text, const char *wanted)
{
    OWN(sc_diff, diff);
    OWN(sc_str, text) = {0};
    sc_diff_init(&diff, old_text, strlen(old_text), new_text, strlen(new_text));
    sc_diff_unified(&diff, "f", &text);
    assert_string_equal(sc_str_text(&text), wanted);
}

TEST(equal_texts_have_none)
{
    expect("", "", "");
    expect("a\nb\n", "a\nb\n", "");
}

TEST(a_change_stands_among_three_lines)
{
    expect("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
           "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(additions_and_removals_at_the_ends)
{
    expect("", "a\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
    expect("a\n", "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n");
    expect("b\n", "a\nb\nc\n", "--- f\n+++ f\n@@ -1,1 +1,3 @@\n+a\n b\n+c\n");
}

TEST(changes_that_are_near_share_a_hunk)
{
    expect("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
           "--- f\n+++ f\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
    expect(
        "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
        "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

/* Lines that are there once hold a long text together, where they are in the same order. */
TEST(long_texts_are_compared_in_pieces)
{
    struct sc_str texts[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        sc_str_add(&texts[k], k == 0 ? "top\n" : "TOP\n900\n");
        for (int i = 0; i < 3000; i++)
            sc_str_add_format(&texts[k], "%d\n\n", i % 1000 == 500 && k == 1 ? -i : i);
        sc_str_add(&texts[k], k == 0 ? "2000\nend\n" : "END\n");
    }
    OWN(sc_diff, diff);
    sc_diff_init(&diff, sc_str_text(&texts[0]), texts[0].length, sc_str_text(&texts[1]),
                 texts[1].length);
    size_t counts[3] = {0};
    for (size_t i = 0; i < diff.rows.count; i++)
        counts[diff.rows.items[i].kind]++;
    assert_int_equal(counts[SC_DIFF_SAME], 6000 - 3);
    assert_int_equal(counts[SC_DIFF_REMOVED], 1 + 3 + 2);
    assert_int_equal(counts[SC_DIFF_ADDED], 2 + 3 + 1);
    sc_str_done(&texts[0]);
    sc_str_done(&texts[1]);
}

/* Applying the rows to the old text must give the new one, whatever they are. */
TEST(rows_hold_both_texts)
{
    unsigned seed = 7;
    for (int round = 0; round < 300; round++) {
        struct sc_str texts[2] = {{0}, {0}};
        struct sc_str rebuilt[2] = {{0}, {0}};
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 12; i++) {
                seed = seed * 1103515245U + 12345U;
                if ((seed >> 16) % 3 != 0)
                    sc_str_add_format(&texts[k], "%u\n", (seed >> 18) % 4);
            }
        OWN(sc_diff, diff);
        sc_diff_init(&diff, sc_str_text(&texts[0]), texts[0].length, sc_str_text(&texts[1]),
                     texts[1].length);
        for (size_t i = 0; i < diff.rows.count; i++) {
            const struct sc_diff_row *row = &diff.rows.items[i];
            for (int k = 0; k < 2; k++)
                if (row->kind == SC_DIFF_SAME ||
                    row->kind == (k == 0 ? SC_DIFF_REMOVED : SC_DIFF_ADDED))
                    sc_str_add_format(&rebuilt[k], "%.*s\n", (int)row->length, row->text);
        }
        for (int k = 0; k < 2; k++) {
            assert_string_equal(sc_str_text(&rebuilt[k]), sc_str_text(&texts[k]));
            sc_str_done(&texts[k]);
            sc_str_done(&rebuilt[k]);
        }
    }
}
