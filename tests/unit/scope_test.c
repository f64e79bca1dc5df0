/*
 * tests/unit/scope_test.c - which files are the user's own code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/build.h"
#include "sc_test.h"

static const char *const libraries[] = {
    "/usr/lib/python3.11",
    "/usr/lib/python3.11/lib-dynload",
    "/usr/local/lib/python3.11/dist-packages",
    "/home/u/proj/.venv/lib/python3.11/site-packages",
};

static struct sc_scope project(void)
{
    return (struct sc_scope){.root_dir = "/home/u/proj",
                             .library_dirs = libraries,
                             .library_dir_count = sizeof(libraries) / sizeof(*libraries)};
}

TEST(the_program_and_what_lies_below_it_is_in_scope)
{
    struct sc_scope scope = project();
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/prog.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/deep/er/mod.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/home/u/other.py"), SC_SCOPE_OUTSIDE);
    /* a directory is matched by whole components */
    assert_int_equal(sc_scope_of(&scope, "/home/u/project/prog.py"), SC_SCOPE_OUTSIDE);
    assert_int_equal(sc_scope_of(&scope, "/x/home/u/proj/prog.py"), SC_SCOPE_OUTSIDE);
    scope.root_dir = "/home/u/proj/";
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/prog.py"), SC_SCOPE_IN);
    scope.root_dir = "/";
    assert_int_equal(sc_scope_of(&scope, "/anywhere/prog.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/usr/lib/python3.11/json/decoder.py"), SC_SCOPE_LIBRARY);
    scope.root_dir = NULL;
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/prog.py"), SC_SCOPE_OUTSIDE);
}

TEST(libraries_are_out_even_inside_the_project)
{
    struct sc_scope scope = project();
    assert_int_equal(sc_scope_of(&scope, "/usr/lib/python3.11/json/decoder.py"), SC_SCOPE_LIBRARY);
    assert_int_equal(
        sc_scope_of(&scope, "/home/u/proj/.venv/lib/python3.11/site-packages/numpy/__init__.py"),
        SC_SCOPE_LIBRARY);
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/.venv/mine.py"), SC_SCOPE_IN);
    /* an environment that nothing names */
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/env2/lib/python3.9/site-packages/a/b.py"),
                     SC_SCOPE_LIBRARY);
    assert_int_equal(sc_scope_of(&scope, "/opt/x/dist-packages/b.py"), SC_SCOPE_LIBRARY);
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/my-site-packages/b.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/usr/lib/python3.111/x.py"), SC_SCOPE_OUTSIDE);
    scope.profile_system_libraries = true;
    assert_int_equal(sc_scope_of(&scope, "/usr/lib/python3.11/json/decoder.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/home/u/other.py"), SC_SCOPE_OUTSIDE);
}

TEST(a_program_among_the_libraries_is_the_program)
{
    struct sc_scope scope = project();
    scope.root_dir = "/home/u/proj/.venv/lib/python3.11/site-packages/pytest";
    assert_int_equal(
        sc_scope_of(&scope, "/home/u/proj/.venv/lib/python3.11/site-packages/pytest/__main__.py"),
        SC_SCOPE_IN);
    assert_int_equal(
        sc_scope_of(&scope, "/home/u/proj/.venv/lib/python3.11/site-packages/pluggy/hooks.py"),
        SC_SCOPE_LIBRARY);
    scope.root_dir = "/usr/lib/python3.11";
    assert_int_equal(sc_scope_of(&scope, "/usr/lib/python3.11/timeit.py"), SC_SCOPE_IN);
    /* a program below an interpreter's prefix */
    scope.root_dir = "/usr/share/tool";
    assert_int_equal(sc_scope_of(&scope, "/usr/share/tool/tool.py"), SC_SCOPE_IN);
}

TEST(profile_all_takes_everything_that_has_a_file)
{
    struct sc_scope scope = project();
    scope.profile_all = true;
    assert_int_equal(sc_scope_of(&scope, "/usr/lib/python3.11/json/decoder.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/home/u/other.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "<frozen importlib._bootstrap>"), SC_SCOPE_INTERNAL);
    assert_int_equal(sc_scope_of(&scope, "<string>"), SC_SCOPE_INTERNAL);
    assert_int_equal(sc_scope_of(&scope, ""), SC_SCOPE_INTERNAL);
    assert_int_equal(sc_scope_of(&scope, "/x/site-packages/scalene/profile.py"), SC_SCOPE_INTERNAL);
    assert_int_equal(sc_scope_of(&scope, "/x/site-packages/scalene_x/a.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/scalene/profile.py"), SC_SCOPE_IN);
}

TEST(patterns_narrow_and_never_widen)
{
    static const char *const only[] = {"", "model", "view"};
    static const char *const exclude[] = {"test", ""};
    struct sc_scope scope = project();
    scope.only = only;
    scope.only_count = 3;
    scope.exclude = exclude;
    scope.exclude_count = 2;
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/model.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/views/a.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/prog.py"), SC_SCOPE_EXCLUDED);
    assert_int_equal(sc_scope_of(&scope, "/home/u/proj/test_model.py"), SC_SCOPE_EXCLUDED);
    assert_int_equal(sc_scope_of(&scope, "/home/u/model.py"), SC_SCOPE_OUTSIDE);
    scope.profile_all = true;
    assert_int_equal(sc_scope_of(&scope, "/home/u/model.py"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "/home/u/prog.py"), SC_SCOPE_EXCLUDED);
    /* empty patterns are none */
    scope.only_count = 1;
    assert_int_equal(sc_scope_of(&scope, "/home/u/prog.py"), SC_SCOPE_IN);
}

TEST(named_texts_without_a_file_are_in_scope)
{
    struct sc_scope scope = project();
    assert_int_equal(sc_scope_of(&scope, "<exec@prog.py:12>"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "<eval@prog.py:12>"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "[3]"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "[3@421]"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "[cell-Hbol]"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "[cell-Hbol@421]"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "<stdin>"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of_code(&scope, "<exec@<stdin>:3>"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of(&scope, "[3"), SC_SCOPE_OUTSIDE);
    assert_int_equal(sc_scope_of(&scope, "[cell-]"), SC_SCOPE_OUTSIDE);
    assert_int_equal(sc_scope_of(&scope, "[@421]"), SC_SCOPE_OUTSIDE);
    assert_int_equal(sc_scope_of(&scope, "[3@421"), SC_SCOPE_OUTSIDE);
    assert_int_equal(sc_scope_of(&scope, "[x]"), SC_SCOPE_OUTSIDE);
    assert_int_equal(sc_scope_of(&scope, "<attrs generated init a.B>"), SC_SCOPE_INTERNAL);
}

TEST(made_code_is_its_makers)
{
    struct sc_scope scope = project();
    assert_int_equal(sc_scope_of_code(&scope, "<exec@/home/u/proj/prog.py:12>"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of_code(&scope, "<eval@/home/u/other.py:12>"), SC_SCOPE_OUTSIDE);
    assert_int_equal(sc_scope_of_code(&scope, "<exec@/usr/lib/python3.11/dataclasses.py:473>"),
                     SC_SCOPE_LIBRARY);
    assert_int_equal(sc_scope_of_code(&scope, "<string>"), SC_SCOPE_INTERNAL);
    assert_int_equal(sc_scope_of_code(&scope, "<exec@<frozen site>:186>"), SC_SCOPE_INTERNAL);
    assert_int_equal(sc_scope_of_code(&scope, "<exec@<string>:3>"), SC_SCOPE_INTERNAL);
    scope.text_name = "<string>";
    assert_int_equal(sc_scope_of_code(&scope, "<exec@<string>:3>"), SC_SCOPE_IN);
    assert_int_equal(sc_scope_of_code(&scope, "<exec@prog.py:12"), SC_SCOPE_OUTSIDE);
}

TEST(a_tool_is_distinguished_from_other_libraries)
{
    static const char *const tools[] = {"pip", "pytest"};
    static const struct {
        const char *file;
        enum sc_scope_reason reason;
    } rows[] = {
        {"/home/u/proj/.venv/lib/python3.11/site-packages/_pytest/config.py", SC_SCOPE_TOOL},
        {"/home/u/proj/.venv/lib/python3.11/site-packages/pytest.py", SC_SCOPE_TOOL},
        {"/home/u/proj/.venv/lib/python3.11/site-packages/pytest/deep/a.py", SC_SCOPE_TOOL},
        {"/home/u/proj/.venv/lib/python3.11/site-packages/pytest_x/a.py", SC_SCOPE_LIBRARY},
        {"/home/u/proj/.venv/lib/python3.11/site-packages/pytes/a.py", SC_SCOPE_LIBRARY},
        {"/home/u/proj/.venv/lib/python3.11/site-packages/attr/pytest.py", SC_SCOPE_LIBRARY},
        {"/usr/lib/python3.11/pip/a.py", SC_SCOPE_TOOL},
        {"/usr/lib/python3.11/json/decoder.py", SC_SCOPE_LIBRARY},
        {"/home/v/sources/pip/cli.py", SC_SCOPE_TOOL},
        {"/home/v/sources/pip.py", SC_SCOPE_TOOL},
        {"/home/v/sources/pip", SC_SCOPE_OUTSIDE},
        {"/home/v/sources/a.py", SC_SCOPE_OUTSIDE},
        {"/home/u/proj/pytest/a.py", SC_SCOPE_IN},
        {"<pytest>", SC_SCOPE_INTERNAL},
    };
    struct sc_scope scope = project();
    scope.tools = tools;
    scope.tool_count = 2;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(sc_scope_of(&scope, rows[i].file), rows[i].reason);
    scope.profile_system_libraries = true;
    assert_int_equal(sc_scope_of(&scope, rows[0].file), SC_SCOPE_IN);
}
