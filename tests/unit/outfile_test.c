/*
 * tests/unit/outfile_test.c - the name of the profile, and the other paths of a command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/paths.h"
#include "sc_test.h"

static int enter_folder(void **state)
{
    (void)state;
    sc_test_make("dir/");
    sc_test_make("taken.json/");
    sc_test_make("tool");
    return chdir(sc_test_folder);
}

static void assert_becomes(const char *given, const char *expected)
{
    SC_AUTO_FREE char *path = NULL;
    struct sc_err err = {0};
    assert_true(sc_outfile_resolve(given, &path, &err));
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
    assert_false(sc_outfile_resolve(given, &path, &err));
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
