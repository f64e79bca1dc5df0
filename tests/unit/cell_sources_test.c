/*
 * tests/unit/cell_sources_test.c - the cells of a notebook, as its package hands them over.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/cell_sources.h"

#include "base/io.h"
#include "base/mem.h"
#include "sc_test.h"

#define TWO "[1] 4 6\n/a/b1\n2\n3\n[12] 3 0\n<x>"

static struct sc_cell_sources parsed(const char *bytes)
{
    struct sc_cell_sources cell_sources = {0};
    sc_cell_sources_parse(&cell_sources, bytes, strlen(bytes));
    return cell_sources;
}

TEST(texts_have_their_names)
{
    OWN(sc_cell_sources, cell_sources) = parsed(TWO);
    assert_int_equal(cell_sources.items.count, 2);
    assert_string_equal(sc_cell_sources_shown(&cell_sources, "/a/b"), "[1]");
    assert_string_equal(sc_cell_sources_shown(&cell_sources, "<x>"), "[12]");
    assert_null(sc_cell_sources_shown(&cell_sources, "/a/b1"));
    assert_string_equal(sc_cell_sources_find(&cell_sources, "[1]")->text, "1\n2\n3\n");
    assert_int_equal(sc_cell_sources_find(&cell_sources, "[12]")->length, 0);
    assert_null(sc_cell_sources_find(&cell_sources, "[2]"));
}

TEST(the_last_text_of_a_name_is_shown)
{
    OWN(sc_cell_sources, cell_sources) = parsed("[1] 1 1\n"
                                                "aX[1] 1 1\n"
                                                "bY");
    assert_string_equal(sc_cell_sources_find(&cell_sources, "[1]")->text, "Y");
    assert_string_equal(sc_cell_sources_shown(&cell_sources, "a"), "[1]");
}

/* Cut anywhere, and every byte wrong once: what comes before stays, and nothing is read beyond. */
TEST(damaged_texts_end_the_list)
{
    for (size_t cut = 0; cut < strlen(TWO); cut++) {
        SC_AUTO_FREE char *bytes = sc_strndup(TWO, cut);
        OWN(sc_cell_sources, cell_sources) = {0};
        sc_cell_sources_parse(&cell_sources, bytes, cut);
        assert_int_equal(cell_sources.items.count, cut >= 18 ? 1 : 0);
    }
    static const char *const wrong[] = {"[1] 9 9\nshort",
                                        "[1] -1 1\nab",
                                        "[1] 1\nab",
                                        " 1 1\nab",
                                        "[1] 99999999999999999999 1\nab",
                                        "[1] 1 x\nab",
                                        "\n"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        OWN(sc_cell_sources, cell_sources) = parsed(wrong[i]);
        assert_int_equal(cell_sources.items.count, 0);
    }
}

TEST(a_new_file_is_read)
{
    char path[] = "/tmp/scalene-texts-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    OWN(sc_cell_sources, cell_sources) = {.path = path};
    assert_null(sc_cell_sources_shown(&cell_sources, "/a/b"));
    assert_true(sc_write_file(path, TWO, strlen(TWO), NULL));
    assert_string_equal(sc_cell_sources_shown(&cell_sources, "/a/b"), "[1]");
    assert_true(sc_write_file(path, "[7] 4 0\n/a/b", 12, NULL));
    assert_string_equal(sc_cell_sources_shown(&cell_sources, "/a/b"), "[7]");
    (void)unlink(path);
    assert_string_equal(sc_cell_sources_shown(&cell_sources, "/a/b"), "[7]");
}

TEST(texts_are_added)
{
    OWN(sc_cell_sources, cell_sources) = {0};
    const char *shown =
        sc_cell_sources_add(&cell_sources, sc_strdup("[4]"), sc_strdup("/a/b"), "x = 1\nrest", 6);
    assert_string_equal(shown, "[4]");
    assert_ptr_equal(sc_cell_sources_shown(&cell_sources, "/a/b"), shown);
    assert_string_equal(sc_cell_sources_find(&cell_sources, "[4]")->text, "x = 1\n");
    assert_int_equal(sc_cell_sources_find(&cell_sources, "[4]")->length, 6);
}
