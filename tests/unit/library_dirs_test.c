/*
 * tests/unit/library_dirs_test.c - folders of libraries that are there, each once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/library_dirs.h"

#include "base/mem.h"
#include "sc_test.h"

static int make_folders(void **state)
{
    static const char *const paths[] = {
        "a/lib/python3.11/",
        "a/lib/python3.13/",
        "a/lib/python3.13t/",
        "a/lib64/python3.11/",
        "a/lib/python3/dist-packages/",
        "a/local/lib/python3.11/",
        "venv/lib/python3.11/",
        "home/.local/lib/python3.11/",
        "venv/lib/python3.12", /* a file */
    };
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        sc_test_make(paths[i]);
    return 0;
}

enum { FOUND_MAX = 6 };

struct row {
    const char *name;
    const char *executable;  /* below sc_test_folder, or NULL */
    const char *environment; /* VIRTUAL_ENV; with "-" not absolute; NULL: not set */
    const char *home;
    uint16_t version;
    bool free_threaded;
    const char *found[FOUND_MAX];
};

static const struct row rows[] = {
    ROW(.name = "an interpreter", .executable = "a/bin/python3.11", .version = 0x030b,
        .found = {"a/lib/python3.11", "a/lib64/python3.11", "a/lib/python3/dist-packages",
                  "a/local/lib/python3.11"}),
    ROW(.name = "another version", .executable = "a/bin/python", .version = 0x030d,
        .found = {"a/lib/python3.13", "a/lib/python3/dist-packages"}),
    ROW(.name = "one without the lock", .executable = "a/bin/python", .version = 0x030d,
        .free_threaded = true, .found = {"a/lib/python3.13t", "a/lib/python3/dist-packages"}),
    ROW(.name = "a virtual environment, and the user's own", .executable = "a/bin/python",
        .environment = "venv", .home = "home", .version = 0x030b,
        .found = {"a/lib/python3.11", "a/lib64/python3.11", "a/lib/python3/dist-packages",
                  "a/local/lib/python3.11", "venv/lib/python3.11", "home/.local/lib/python3.11"}),
    ROW(.name = "an environment that is the interpreter's own folder",
        .executable = "venv/bin/python", .environment = "venv", .version = 0x030b,
        .found = {"venv/lib/python3.11"}),
    ROW(.name = "an unknown interpreter", .environment = "venv", .version = 0x030b,
        .found = {"venv/lib/python3.11"}),
    {.name = "a file is no folder", .executable = "venv/bin/python", .version = 0x030c},
    ROW(.name = "names that are not absolute", .environment = "-venv", .home = "-home",
        .version = 0x030b),
    {.name = "nothing is known", .version = 0x030b},
};

static void set(const char *variable, const char *folder)
{
    SC_AUTO_FREE char *path = sc_format("%s/%s", sc_test_folder, folder != NULL ? folder : "");
    if (folder == NULL)
        (void)unsetenv(variable);
    else
        (void)setenv(variable, folder[0] == '-' ? folder + 1 : path, 1);
}

TEST(what_is_there_is_found_once)
{
    assert_int_equal(chdir(sc_test_folder), 0);
    FOR_EACH_ROW(row, rows) {
        OWN(sc_library_dirs, dirs) = {0};
        size_t count = 0;
        set("VIRTUAL_ENV", row->environment);
        set("HOME", row->home);
        SC_AUTO_FREE char *path =
            row->executable != NULL ? sc_format("%s/%s", sc_test_folder, row->executable) : NULL;
        for (int again = 0; again < 2; again++) /* of a second process of the same kind */
            sc_library_dirs_add(&dirs, NULL, path, row->version, row->free_threaded);
        while (count < FOUND_MAX && row->found[count] != NULL)
            count++;
        assert_int_equal(dirs.paths.count, count);
        for (size_t k = 0; k < count; k++) {
            SC_AUTO_FREE char *expected = sc_format("%s/%s", sc_test_folder, row->found[k]);
            assert_string_equal(dirs.paths.items[k], expected);
        }
    }
    assert_int_equal(chdir("/"), 0);
}

/* "/python" is in the folder "/", and names without one are in none. */
TEST(odd_names_of_interpreters_do_no_harm)
{
    static const char *const names[] = {"/python", "python", "", "/", "bin/python", "//"};
    set("VIRTUAL_ENV", NULL);
    set("HOME", NULL);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        OWN(sc_library_dirs, dirs) = {0};
        sc_library_dirs_add(&dirs, NULL, names[i], 0x0363, false);
        for (size_t k = 0; k < dirs.paths.count; k++) /* Debian's, of all versions */
            assert_non_null(strstr(dirs.paths.items[k], "/lib/python3/dist-packages"));
    }
}

TESTS_IN_A_FOLDER(make_folders)
