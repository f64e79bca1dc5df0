/*
 * tests/unit/run_scope_test.c - where the code of a run lives, by how its program was named.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/link/run_scope.h"

#include "observer/process/process.h"
#include "sc_test.h"

static char *below(const char *path)
{
    return sc_format("%s/%s", sc_test_folder, path);
}

static int make_program(void **state)
{
    sc_test_make("env/lib/python3.11/");
    sc_test_make("real/prog.py");
    SC_AUTO_FREE char *program = below("real/prog.py");
    SC_AUTO_FREE char *link = below("link.py");
    return symlink(program, link);
}

/* What begins with "%" is below the folder. */
struct row {
    const char *name;
    const char *program;
    enum sc_program_kind kind;
    const char *program_path;
    const char *directory;
    const char *expected_program;
    const char *expected_root;
    const char *expected_entrypoint;
};

static const struct row rows[] = {
    ROW(.name = "a file lives in its folder", .program = "%real/prog.py", .directory = "/work",
        .expected_program = "%real/prog.py", .expected_root = "%real",
        .expected_entrypoint = "%real"),
    ROW(.name = "links are followed", .program = "%link.py", .directory = "/work",
        .expected_program = "%real/prog.py", .expected_root = "%real",
        .expected_entrypoint = "%real"),
    ROW(.name = "--program-path says where it lives", .program = "%real/prog.py",
        .program_path = "/src", .directory = "/work", .expected_program = "%real/prog.py",
        .expected_root = "/src", .expected_entrypoint = "%real"),
    ROW(.name = "one that is not there is as it was asked for", .program = "%none/prog.py",
        .expected_program = "%none/prog.py", .expected_root = "%none",
        .expected_entrypoint = "%none"),
    ROW(.name = "one in the root folder", .program = "/sc_none.py", .expected_root = "/",
        .expected_program = "/sc_none.py", .expected_entrypoint = "/"),
    ROW(.name = "a module is looked for where one is", .program = "pkg.mod",
        .kind = SC_PROGRAM_MODULE, .directory = "/work", .expected_program = "pkg.mod",
        .expected_root = "/work", .expected_entrypoint = ""),
    ROW(.name = "a module of the same name as a file", .program = "%link.py",
        .kind = SC_PROGRAM_MODULE, .directory = "/work", .expected_program = "%link.py",
        .expected_root = "/work", .expected_entrypoint = ""),
    ROW(.name = "a folder that is gone", .program = "-c", .kind = SC_PROGRAM_CODE,
        .expected_program = "-c", .expected_root = "/", .expected_entrypoint = ""),
    ROW(.name = "a command, with --program-path", .program = "pytest", .kind = SC_PROGRAM_COMMAND,
        .program_path = "/src", .directory = "/work", .expected_program = "pytest",
        .expected_root = "/src", .expected_entrypoint = ""),
};

static char *whole(const char *path)
{
    return path[0] == '%' ? below(path + 1) : sc_strdup(path);
}

static void assert_path(const char *got, const char *expected)
{
    SC_AUTO_FREE char *path = whole(expected);
    assert_string_equal(got, path);
}

TEST(code_lives_where_the_program_was_found)
{
    FOR_EACH_ROW(row, rows) {
        SC_AUTO_FREE char *program = whole(row->program);
        OWN(sc_run_scope, scope);
        const struct sc_run_plan plan = {
            .program = program, .program_kind = row->kind, .program_path = row->program_path};
        sc_run_scope_init(&scope, &plan, row->directory, NULL);
        assert_path(scope.program, row->expected_program);
        assert_path(scope.root_dir, row->expected_root);
        assert_path(scope.entrypoint_dir, row->expected_entrypoint);
        assert_ptr_equal(scope.scope.root_dir, scope.root_dir);
        assert_null(scope.scope.text_name);
    }
}

TEST(what_was_asked_for_is_in_the_scope)
{
    static const char *const only[] = {"a", "b"};
    static const char *const exclude[] = {"c"};
    OWN(sc_run_scope, scope);
    const struct sc_run_plan plan = {.program = "-c",
                                     .program_kind = SC_PROGRAM_CODE,
                                     .program_text = "pass",
                                     .profile_all = true,
                                     .profile_only = only,
                                     .profile_only_count = 2,
                                     .profile_exclude = exclude,
                                     .profile_exclude_count = 1,
                                     .cpu_percent_threshold = 3,
                                     .malloc_threshold = 7};
    sc_run_scope_init(&scope, &plan, "/work", NULL);
    assert_string_equal(scope.scope.text_name, "<string>");
    assert_true(scope.scope.profile_all);
    assert_false(scope.scope.profile_system_libraries);
    assert_ptr_equal(scope.scope.only, only);
    assert_int_equal(scope.scope.only_count, 2);
    assert_ptr_equal(scope.scope.exclude, exclude);
    assert_int_equal(scope.scope.exclude_count, 1);
    assert_true(scope.scope.cpu_percent_threshold == 3);
    assert_int_equal(scope.scope.malloc_threshold, 7);
}

TEST(a_pythons_libraries_are_not_the_users_code)
{
    OWN(sc_run_scope, scope);
    SC_AUTO_FREE char *python = below("env/bin/python3.11");
    SC_AUTO_FREE char *root = whole("%env");
    SC_AUTO_FREE char *library = below("env/lib/python3.11/json/__init__.py");
    SC_AUTO_FREE char *own = below("env/app.py");
    const struct sc_run_plan plan = {
        .program = "-c", .program_kind = SC_PROGRAM_CODE, .program_path = root};
    const struct sc_process process = {.program.path = python, .facts = {.version = 0x030b}};
    const struct sc_process other = {.program.path = python, .facts = {.version = 0x030c}};
    struct sc_process copy = process;
    copy.is_forked = true;
    (void)unsetenv("VIRTUAL_ENV");
    (void)unsetenv("HOME");
    sc_run_scope_init(&scope, &plan, "/work", NULL);
    assert_int_equal(sc_scope_of(&scope.scope, library), SC_SCOPE_IN);
    sc_run_scope_add(&scope, &other); /* its folder is not there */
    assert_int_equal(sc_scope_of(&scope.scope, library), SC_SCOPE_IN);
    sc_run_scope_add(&scope, &copy); /* runs what its maker does: no file is asked for */
    assert_int_equal(sc_scope_of(&scope.scope, library), SC_SCOPE_IN);
    sc_run_scope_add(&scope, &process);
    sc_run_scope_add(&scope, &process);
    assert_int_equal(scope.scope.library_dir_count, 1);
    assert_int_equal(sc_scope_of(&scope.scope, library), SC_SCOPE_LIBRARY);
    assert_int_equal(sc_scope_of(&scope.scope, own), SC_SCOPE_IN);
}

TESTS_IN_A_FOLDER(make_program)
