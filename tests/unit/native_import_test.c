/*
 * tests/unit/native_import_test.c - which modules count as compiled code, in a made-up library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/native_import.h"

#include "base/io.h"
#include "sc_test.h"

static const char *const files[] = {
    "lib/pure.py",
    "lib/fast.cpython-311-x86_64-linux-gnu.so",
    "lib/faster.py", /* a name that only begins like the extension's */
    "lib/pack/__init__.py",
    "lib/pack/deep/er/core.abi3.so",
    "lib/plain/__init__.py",
    "lib/plain/deep/core.py",
    "lib/space/part/x.so",
    "lib/lib-dynload/_dyn.so",
    "lib/site-packages/wheel/__init__.py",
    "lib/site-packages/wheel/core/c.so",
    "lib/site-packages/py/__init__.py",
    "lib/dist-packages/debian.so",
    "proj/prog.py",
    "proj/fast.py", /* hides the library's */
    "proj/own/mod.py",
    "proj/own/speed.so",
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static int make_library(void **state)
{
    for (size_t i = 0; i < COUNT_OF(files); i++)
        sc_test_make(files[i]);
    return 0;
}

TEST(modules_are_found_without_importing)
{
    static const struct {
        const char *module;
        bool is_native;
    } cases[] = {
        {"sys", true},         {"math", true},
        {"time", true},        {"_thread", true},
        {"_dyn", true},        {"pure", false},
        {"faster", false},     {"fast", false},
        {"pack", true},        {"pack.deep", true},
        {"plain", false},      {"plain.deep.core", false},
        {"space.part", true},  {"missing", false},
        {"", false},           {"a/b", false},
        {".", false},          {".speed", true},
        {".mod", false},       {"..prog", false},
        {"wheel", true},       {"wheel.core", true},
        {"py", false},         {"debian", true},
        {"..own.speed", true}, {"....................x", false},
    };
    SC_AUTO_FREE char *root = sc_format("%s/proj", sc_test_folder);
    SC_AUTO_FREE char *library = sc_format("%s/lib", sc_test_folder);
    SC_AUTO_FREE char *file = sc_format("%s/proj/own/mod.py", sc_test_folder);
    const char *libraries[] = {library};
    struct sc_scope scope = {.root_dir = root, .library_dirs = libraries, .library_dir_count = 1};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (sc_is_native_module(&scope, file, cases[i].module) != cases[i].is_native)
            fail_msg("%s", cases[i].module);
    }
    struct sc_native_imports imports = {0};
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        const char *module = cases[i % COUNT_OF(cases)].module;
        if (sc_native_imports_has(&imports, &scope, file, module) !=
            cases[i % COUNT_OF(cases)].is_native)
            fail_msg("%s", module);
    }
    for (size_t i = 0; i < 10000; i++) {
        SC_AUTO_FREE char *name = sc_format("made%zu", i);
        assert_false(sc_native_imports_has(&imports, &scope, file, name));
    }
    assert_true(imports.asked < 5000);
    assert_true(sc_native_imports_has(&imports, &scope, file, "time"));
    assert_false(sc_native_imports_has(&imports, &scope, file, "zlib_that_is_not_asked_for"));
    sc_native_imports_done(&imports);
    /* what the project hides is found without it */
    scope.root_dir = NULL;
    assert_true(sc_is_native_module(&scope, file, "fast"));
}

TESTS_IN_A_FOLDER(make_library)
