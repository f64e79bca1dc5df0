/*
 * tests/unit/directories_test.c - which file a relative name stands for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/stack/directories.h"

#include "base/mem.h"
#include "base/str.h"
#include "sc_test.h"

#define MANY 1000

static char *below(const char *path)
{
    return sc_format("%s/%s", sc_test_folder, path);
}

static int set_up(void **state)
{
    sc_test_make("one/both.py");
    sc_test_make("two/both.py");
    sc_test_make("one/first.py");
    sc_test_make("two/deep/");
    return 0;
}

static void enter(struct sc_directories *directories, const char *path)
{
    SC_AUTO_FREE char *whole = below(path);
    sc_directories_enter(directories, whole);
}

static void expect(const struct sc_directories *directories, const char *file, const char *expected)
{
    SC_AUTO_FREE char *found = sc_directories_find(directories, file);
    SC_AUTO_FREE char *whole = below(expected);
    assert_string_equal(found, whole);
}

TEST(the_latest_directory_that_has_the_file_is_meant)
{
    OWN(sc_directories, directories) = {0};
    OWN(sc_directories, inherited) = {0};
    assert_null(sc_directories_find(&directories, "both.py"));
    enter(&directories, "one");
    expect(&directories, "both.py", "one/both.py");
    enter(&directories, "two");
    expect(&directories, "./both.py", "two/both.py");
    expect(&directories, "first.py", "one/first.py");
    expect(&directories, "../one/both.py", "one/both.py");
    expect(&directories, "in none.py", "two/in none.py");
    enter(&directories, "one"); /* again */
    assert_int_equal(directories.paths.count, 2);
    expect(&directories, "both.py", "one/both.py");
    sc_directories_inherit(&inherited, &directories);
    enter(&inherited, "two/deep");
    expect(&inherited, "both.py", "one/both.py");
}

TEST(directories_are_bounded)
{
    OWN(sc_directories, directories) = {0};
    char name[40];
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "gone %d", i);
        enter(&directories, name);
    }
    assert_in_range(directories.paths.count, 1, MANY / 10);
    expect(&directories, "x.py", "gone 999/x.py");
}

TESTS_IN_A_FOLDER(set_up)
