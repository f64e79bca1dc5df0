/*
 * tests/unit/executable_test.c - what a program executes is looked at without waiting for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/system/executable.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "observer/process/tree.h"
#include "static_program.h"

static char *make_fifo(const char *name)
{
    char *path = sc_format("%s/%s", sc_test_folder, name);
    assert_int_equal(mkfifo(path, 0700), 0);
    return path;
}

TEST(test_a_static_python_is_found_wherever_its_text_lies)
{
    static const off_t sizes[] = {200, (1 << 16) + 5, (1 << 17) + 9, 3 << 16};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        SC_AUTO_FREE char *python = make_static(sc_test_folder, "python", "PYTHONHOME", sizes[i]);
        SC_AUTO_FREE char *other = make_static(sc_test_folder, "other", "PYTHON_HOME", sizes[i]);
        assert_string_equal(sc_executable_obstacle(python), "is a statically linked Python");
        assert_null(sc_executable_obstacle(other));
    }
}

TEST(test_nothing_is_waited_for)
{
    SC_AUTO_FREE char *fifo = make_fifo("fifo");
    SC_AUTO_FREE char *script = sc_format("%s/script", sc_test_folder);
    SC_AUTO_FREE char *text = sc_format("#!%s\n", fifo);
    SC_AUTO_FREE char *large = make_static(sc_test_folder, "large", "", (off_t)1 << 40);
    struct sc_err err = {0};
    assert_true(sc_write_file(script, text, strlen(text), &err));
    const char *paths[] = {fifo,        script,     large, sc_test_folder,
                           "/dev/zero", "/dev/tty", "",    "/none"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        assert_null(sc_executable_obstacle(paths[i]));
    assert_false(sc_executable_is_static(fifo));
}

TEST(test_only_regular_files_are_opened)
{
    struct sc_str text = {0};
    struct sc_err err = {0};
    SC_AUTO_FREE char *fifo = make_fifo("another");
    const char *paths[] = {fifo, sc_test_folder, "/dev/zero", "/dev/null", "/none"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_int_equal(sc_open_regular(paths[i]), -1);
        assert_false(sc_read_regular_file(paths[i], 100, &text, &err));
    }
    int fd = sc_open_regular("/proc/self/exe");
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}

static void assert_examined(const char *name, const char *path, const char *obstacle)
{
    OWN(sc_str, answer) = {0};
    sc_executable_examine(name, strlen(name), &answer);
    assert_string_equal(sc_str_text(&answer), path);
    assert_string_equal(sc_str_text(&answer) + strlen(path) + 1, obstacle);
}

TEST(test_a_name_is_searched)
{
    OWN(sc_str, answer) = {0};
    SC_AUTO_FREE char *python = make_static(sc_test_folder, "static", "PYTHONHOME", 300);
    SC_AUTO_FREE char *path = sc_format("/none::%s", sc_test_folder);
    SC_AUTO_FREE char *before = sc_strdup(getenv("PATH"));
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_examined("static", python, "is a statically linked Python");
    assert_int_equal(setenv("PATH", before, 1), 0);
    assert_examined("/bin/sh", "/bin/sh", "");
    sc_executable_examine("there-is-no-such-program", 24, &answer);
    assert_int_equal(answer.length, 0);
}

TEST(test_relative_names_are_those_of_the_process)
{
    OWN(sc_tree, tree) = {0};
    SC_AUTO_FREE char *python = make_static(sc_test_folder, "relative", "PYTHONHOME", 400);
    assert_non_null(python);
    pid_t pid = fork();
    if (pid == 0) {
        if (chdir(sc_test_folder) == 0)
            (void)pause();
        _exit(1);
    }
    SC_AUTO_FREE char *link = sc_format("/proc/%d/cwd", (int)pid);
    char where[sizeof(sc_test_folder) + 1] = "";
    for (int i = 0; i < 1000 && strcmp(where, sc_test_folder) != 0; i++) {
        (void)usleep(1000);
        ssize_t length = readlink(link, where, sizeof(where) - 1);
        where[length > 0 ? length : 0] = '\0';
    }
    sc_tree_add_executed(&tree, pid, "./relative", false);
    sc_tree_add_executed(&tree, getpid(), "./relative", false); /* which is not there */
    sc_tree_sum_executed(&tree);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(tree.executed.count, 2);
    assert_int_equal(tree.not_followed, 1);
    assert_non_null(tree.executed.items[0].obstacle);
    assert_null(tree.executed.items[1].obstacle);
}

TESTS_IN_A_FOLDER(NULL)
