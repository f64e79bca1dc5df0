/*
 * tests/unit/outfile_test.c - the name of the profile, and the other paths of a command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/outfile.h"

#include "base/mem.h"
#include "base/str.h"
#include "cli/paths.h"
#include "sc_test.h"

static int enter_folder(void **state)
{
    sc_test_make("dir/");
    sc_test_make("taken.json/");
    sc_test_make("tool");
    return chdir(sc_test_folder);
}

static void assert_becomes(const char *given, const char *expected)
{
    SC_AUTO_FREE char *path = NULL;
    struct sc_err err = {0};
    assert_true(sc_outfile_resolve("run", given, NULL, &path, &err));
    if (expected[0] == '/') {
        assert_string_equal(path, expected);
        return;
    }
    SC_AUTO_FREE char *whole = sc_format("%s/%s", sc_test_folder, expected);
    assert_string_equal(path, whole);
}

TEST(the_extension_becomes_json)
{
    SC_AUTO_FREE char *given = sc_format("%s/x.txt", sc_test_folder);
    SC_AUTO_FREE char *expected = sc_format("%s/x.json", sc_test_folder);
    assert_becomes(given, expected);
    assert_becomes("a", "a.json");
    assert_becomes("a.html", "a.json");
    assert_becomes("a.json", "a.json");
    assert_becomes("a.tar.gz", "a.tar.json");
    assert_becomes("./dir/../c", "dir/../c.json");
    assert_becomes("taken.json/c", "taken.json/c.json");
    assert_becomes(".hidden", ".hidden.json");
    assert_becomes("/dev/null", "/dev/null");
}

static void assert_refused(const char *given, const char *words)
{
    char *path = NULL;
    struct sc_err err = {0};
    assert_false(sc_outfile_resolve("run", given, NULL, &path, &err));
    assert_null(path);
    assert_int_equal(err.kind, SC_ERR_FAILED);
    assert_non_null(strstr(err.text, words));
}

TEST(what_cannot_be_written_is_refused)
{
    assert_refused("dir", "directory");
    assert_refused("dir/", "directory");
    assert_refused("new/", "directory");
    assert_refused("taken", "directory");
    assert_refused("missing/a", "missing");
    assert_refused("tool/a", "Not a directory");
}

/* What becomes of a name, without its folder; size may be NULL. */
static void assert_filled(const char *given, const char *size, const char *expected)
{
    SC_AUTO(sc_labels_done) struct sc_labels labels = {0};
    SC_AUTO_FREE char *path = NULL;
    struct sc_err err = {0};
    sc_labels_set(&labels, "rank", "3");
    sc_labels_set(&labels, "local_rank", "1");
    sc_labels_set(&labels, "host", "n7.example");
    sc_labels_set(&labels, "job", "../a b");
    if (size != NULL)
        sc_labels_set(&labels, "world_size", size);
    struct sc_name_facts facts = {.labels = &labels, .pid = 12, .time = 0};
    assert_true(sc_outfile_resolve("run", given, &facts, &path, &err));
    assert_string_equal(sc_after_last(path, '/'), expected);
}

TEST(places_of_a_name_are_filled)
{
    (void)setenv("TZ", "UTC", 1);
    assert_filled("a-{rank}.json", "8", "a-3.json");
    assert_filled("a-{rank}", "8", "a-3.json");
    assert_filled("a-{rank}-{host}", "8", "a-3-n7.example.json");
    assert_filled("a.{rank}", "8", "a.3.json");
    assert_filled("a.{rank}.txt", "8", "a.3.json");
    assert_filled("{host}.{local_rank}.json", "8", "n7.example.1.json");
    assert_filled("a-{pid}-{time}-{rank}.json", "8", "a-12-19700101T000000-3.json");
    assert_filled("{{a}}{rank}{{rank}}}.json", "8", "{a}3{rank}}.json");
    assert_filled("{job}-{rank}.json", "8", ".._a b-3.json");
}

TEST(names_that_ranks_share_get_the_rank)
{
    assert_filled("a.json", "8", "a-rank3.json");
    assert_filled("a.json", NULL, "a-rank3.json");
    assert_filled("a.json", "1", "a.json");
    assert_filled("a-{pid}.json", "8", "a-12-rank3.json");
    assert_filled("a-{local_rank}.json", "8", "a-1-rank3.json");
    assert_filled("a-{host}.json", "8", "a-n7.example-rank3.json");
    assert_filled("a-{host}-{pid}.json", "8", "a-n7.example-12.json");
    assert_filled("a-{{rank}}.json", "8", "a-{rank}-rank3.json");
    assert_filled("/dev/null", "8", "null");
}

static void assert_unfilled(const char *given, const char *words)
{
    SC_AUTO(sc_labels_done) struct sc_labels labels = {0};
    char *path = NULL;
    struct sc_err err = {0};
    sc_labels_set(&labels, "host", "n7");
    struct sc_name_facts facts = {.labels = &labels, .pid = 12, .time = 0};
    assert_false(sc_outfile_resolve("run", given, &facts, &path, &err));
    assert_null(path);
    assert_int_equal(err.kind, SC_ERR_USAGE);
    assert_non_null(strstr(err.text, words));
}

TEST(places_without_a_value_are_refused)
{
    assert_unfilled("a-{rank}.json", "no {rank}; it has {host} {pid} {time}");
    assert_unfilled("a-{}.json", "no {};");
    assert_unfilled("a-{host.json", "a { has no }");
    assert_unfilled("a-{host{pid}}.json", "a { has no }");
}

TEST(commands_are_found_as_execvp_finds_them)
{
    SC_AUTO_FREE char *path = sc_format("/nonexistent::%s/dir", sc_test_folder);
    (void)setenv("PATH", path, 1);
    SC_AUTO_FREE char *here = sc_path_find_command("tool");
    assert_string_equal(here, "./tool");
    assert_null(sc_path_find_command("dir"));
    assert_null(sc_path_find_command("nothing"));
    assert_null(sc_path_find_command(""));
    SC_AUTO_FREE char *direct = sc_path_find_command("./tool");
    assert_string_equal(direct, "./tool");
}

TEST(home_is_put_in)
{
    (void)setenv("HOME", "/home/me", 1);
    static const char *const cases[][2] = {
        {"~/a", "/home/me/a"}, {"~", "/home/me"}, {"~x/a", "~x/a"}, {"a~", "a~"}, {"", ""}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        SC_AUTO_FREE char *path = sc_path_expand(cases[i][0]);
        assert_string_equal(path, cases[i][1]);
    }
    SC_AUTO_FREE char *root = sc_path_directory("/a");
    assert_string_equal(root, "/");
    SC_AUTO_FREE char *here = sc_path_directory("a");
    assert_string_equal(here, ".");
}

TESTS_IN_A_FOLDER(enter_folder)
