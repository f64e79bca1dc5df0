/*
 * tests/unit/symbols_test.c - names of functions: decoded, looked up in this very program, missing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/symbols.h"

#include "base/helper.h"
#include "base/mem.h"
#include "base/str.h"
#include "sc_test.h"
#include "symbol/demangle.h"

#define LONG_NS UINT64_C(60000000000)

static struct sc_helper *helper;

TEST(names_are_decoded)
{
    static const char *const pairs[][2] = {
        {"list_sort_impl", "list_sort_impl"},
        {"list_sort_impl.isra.0", "list_sort_impl"},
        {"_PyEval_EvalFrameDefault.cold", "_PyEval_EvalFrameDefault"},
        {"f.constprop.0.part.1.cold", "f"},
        {"memcpy@@GLIBC_2.14", "memcpy"},
        {".hidden", ".hidden"},
        {"_ZN5field4Corn4growEl", "field::Corn::grow(long)"},
        {"_ZN5field4Corn4growEl.cold", "field::Corn::grow(long)"},
        {"_ZNSt6vectorIiSaIiEE9push_backERKi",
         "std::vector<int, std::allocator<int> >::push_back(int const&)"},
        {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
        {"_ZN5mylib4scan28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
         "mylib::scan::{{closure}}"},
        {"_ZN69_$LT$core..iter..Map$LT$I$C$F$GT$$u20$as$u20$core..iter..Iterator$GT$"
         "4next17h0123456789abcdefE",
         "<core::iter::Map<I,F> as core::iter::Iterator>::next"},
        {"_ZN1a3b$x17h0123456789abcdefE", "a::b$x"},
        {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
        {"_RNvNtCs1234_7mycrate3foo3bar.llvm.123", "mycrate::foo::bar"},
        {"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure}::{closure}"},
        {"_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9rpo"
         "sitionNCNgNpB9_6memchr7memrchrs_0E0Bb_",
         "<core::slice::Iter as core::iter::iterator::Iterator>::rposition::{closure}"},
        {"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuB"
         "iw2_3std",
         "alloc::alloc::box_free"},
        {"_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec>::new"},
        {"_RNvYTARhj4_DNtC1a1TEL_FKCPlEuENtC1b1U1f", "<([&u8], dyn a::T, fn) as b::U>::f"},
        {"_RNvBa_1f", "_RNvBa_1f"},
        {"_RNvTTTT", "_RNvTTTT"},
        {"_RNvC99999999999999999999999a1f", "_RNvC99999999999999999999999a1f"},
        {"_Zwrong", "_Zwrong"},
        {"__pyx_pw_3pkg_3sub_5mod_x_1top_level", "pkg.sub.mod_x.top_level"},
        {"__pyx_pw_3pkg_5mod_x_7PyClass_8method_a_1inner", "pkg.mod_x.PyClass.method_a.inner"},
        {"__pyx_pw_3pkg_5mod_x_8Ext_Type_11__reduce_cython__",
         "pkg.mod_x.Ext_Type.__reduce_cython__"},
        {"__pyx_pw_3pkg_5mod_x_3fit_transform", "pkg.mod_x.fit_transform"},
        {"__pyx_f_3pkg_5mod_x_8Ext_Type_cmeth", "pkg.mod_x.Ext_Type.cmeth"},
        {"__pyx_gb_3pkg_5mod_x_7PyClass_8method_a_4generator1", "pkg.mod_x.PyClass.method_a"},
        {"__pyx_tp_dealloc_3pkg_5mod_x_Ext_Type", "pkg.mod_x.Ext_Type"},
        {"_ZL44__pyx_pw_7sklearn_4tree_5_tree_4Tree_13applyP7_objectPKS0_lS0_",
         "sklearn.tree._tree.Tree.apply"},
        {"__pyx_fuse_0__pyx_f_3pkg_5mod_x_sort", "pkg.mod_x.sort"},
        {"__pyx_fuse_1sort", "__pyx_fuse_1sort"},
        {"__pyx_pymod_exec_mod_x", "__pyx_pymod_exec_mod_x"},
        {"__pyx_pw_99999999999999999999_x", "__pyx_pw_99999999999999999999_x"},
        {"CPyDef_linegen___LineGenerator___visit_stmt", "linegen.LineGenerator.visit_stmt"},
        {"CPyPy_linegen____atom_has_magic_trailing_comma",
         "linegen._atom_has_magic_trailing_comma"},
        {"CPyDef_pytree___Base_____eq__", "pytree.Base.__eq__"},
        {"CPyDef_a___b___3_c", "a.b___c"},
        {"CPyDef_a___walk_gen_____mypyc_generator_helper__", "a.walk_gen"},
        {"CPyDict_GetItem", "CPyDict_GetItem"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        SC_AUTO_FREE char *found = sc_demangle(pairs[i][0]);
        assert_string_equal(found, pairs[i][1]);
    }
}

__attribute__((noinline)) static int a_function_of_this_test(int number)
{
    return number * 3 + 1;
}

/* The offset in this program's file of an address in it. */
static uint64_t offset_of(uintptr_t address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    uint64_t offset = 0;
    while (fgets(line, sizeof(line), maps) != NULL) {
        unsigned long long start = 0;
        unsigned long long end = 0;
        unsigned long long at = 0;
        if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &at) == 3 && address >= start &&
            address < end)
            offset = at + (address - start);
    }
    (void)fclose(maps);
    return offset;
}

TEST(a_function_is_found_by_its_place)
{
    struct sc_symbols *symbols = sc_symbols_new(helper);
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    uintptr_t address = (uintptr_t)a_function_of_this_test;
    assert_true(sc_symbols_add(symbols, "/opt/known/as", "/proc/self/exe", "/proc/self/exe"));
    assert_int_equal(
        sc_symbols_find(symbols, "/opt/known/as", offset_of(address) + 2, false, names), 1);
    assert_string_equal(names[0].text, "a_function_of_this_test");
    assert_int_equal(names[0].inside, 2);
    assert_int_equal(a_function_of_this_test(1), 4);
    assert_int_equal(sc_symbols_find(symbols, "/opt/known/as", 1, false, names), 0);
    assert_int_equal(sc_symbols_find(symbols, "/opt/known/as", UINT64_MAX, true, names), 0);
    assert_int_equal(sc_symbols_find(symbols, "/opt/other", 64, true, names), 0);
    sc_symbols_free(symbols);
}

TEST(what_was_asked_together_is_found_at_once)
{
    struct sc_symbols *symbols = sc_symbols_new(helper);
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    uint64_t start = offset_of((uintptr_t)a_function_of_this_test);
    const uint64_t offsets[] = {start, 1, start + 2};
    sc_symbols_prepare(symbols, "/opt/known/as", offsets, 3, false); /* not added yet */
    assert_int_equal(sc_symbols_find(symbols, "/opt/known/as", start, false, names), 0);
    assert_true(sc_symbols_add(symbols, "/opt/known/as", "/proc/self/exe", "/proc/self/exe"));
    sc_symbols_prepare(symbols, "/opt/known/as", offsets, 0, false);
    sc_symbols_prepare(symbols, "/opt/known/as", offsets, 3, false);
    for (uint64_t inside = 0; inside < 4; inside++) { /* asked together, and alone */
        assert_int_equal(sc_symbols_find(symbols, "/opt/known/as", start + inside, false, names),
                         1);
        assert_string_equal(names[0].text, "a_function_of_this_test");
        assert_int_equal(names[0].inside, inside);
        assert_int_equal(sc_symbols_start(symbols, "/opt/known/as", start + inside), start);
    }
    assert_int_equal(sc_symbols_find(symbols, "/opt/known/as", 1, false, names), 0);
    sc_symbols_free(symbols);
}

#if defined(__x86_64__)
enum { PUSHED = 8 };
#else
enum { PUSHED = 0 };
#endif

/* As sc_symbols_row, but waits for a file that is still being read. */
static enum sc_symbols_row row_at(struct sc_symbols *symbols, const char *name, uint64_t offset,
                                  struct sc_unwind_row *ret_row)
{
    enum sc_symbols_row answer = SC_SYMBOLS_ROW_LATER;
    for (int i = 0; answer == SC_SYMBOLS_ROW_LATER && i < 10000; i++) {
        answer = sc_symbols_row(symbols, name, offset, ret_row);
        if (answer == SC_SYMBOLS_ROW_LATER)
            (void)usleep(1000);
    }
    return answer;
}

/* At a function's first instruction nothing but the return address is on the stack, if that is. */
static void assert_row_at_start(struct sc_symbols *symbols, const char *name)
{
    struct sc_unwind_row row;
    assert_int_equal(row_at(symbols, name, offset_of((uintptr_t)a_function_of_this_test), &row),
                     SC_SYMBOLS_ROW);
    assert_int_equal(row.frame_column, sc_machine.stack_column);
    assert_int_equal(row.frame_offset, PUSHED);
    assert_int_equal(row.kinds[0], PUSHED > 0 ? SC_RULE_OFFSET : SC_RULE_SAME);
    assert_int_equal(row.values[0], -PUSHED);
    assert_int_equal(row.kinds[1], SC_RULE_SAME);
    assert_int_equal(row_at(symbols, name, UINT64_MAX, &row), SC_SYMBOLS_NO_ROW);
}

TEST(a_frame_is_reported_before_and_after_names_are)
{
    struct sc_symbols *symbols = sc_symbols_new(helper);
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    struct sc_unwind_row row;
    uint64_t offset = offset_of((uintptr_t)a_function_of_this_test);
    assert_int_equal(row_at(symbols, "early", offset, &row), SC_SYMBOLS_NO_ROW);
    assert_true(sc_symbols_add(symbols, "early", "/proc/self/exe", "/proc/self/exe"));
    assert_row_at_start(symbols, "early");
    assert_int_equal(sc_symbols_find(symbols, "early", offset, false, names), 1);
    assert_row_at_start(symbols, "early");
    assert_true(sc_symbols_add(symbols, "late", "/proc/self/exe", "/proc/self/exe"));
    assert_int_equal(sc_symbols_find(symbols, "late", offset, false, names), 1);
    assert_row_at_start(symbols, "late");
    sc_symbols_free(symbols);
}

/* A function whose symbol has no size, alone in a section of 16 bytes, as .init is. */
__asm__(".pushsection sc_no_size,\"ax\",%progbits\n"
        ".globl sc_without_size\n"
        ".type sc_without_size, %function\n"
        "sc_without_size:\n"
        ".skip 16\n"
        ".popsection\n");
extern const unsigned char sc_without_size[];

TEST(a_name_without_size_ends_with_its_section)
{
    struct sc_symbols *symbols = sc_symbols_new(helper);
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    uint64_t offset = offset_of((uintptr_t)sc_without_size);
    assert_true(sc_symbols_add(symbols, "/proc/self/exe", "/proc/self/exe", "/proc/self/exe"));
    assert_int_equal(sc_symbols_find(symbols, "/proc/self/exe", offset + 15, false, names), 1);
    assert_string_equal(names[0].text, "sc_without_size");
    if (sc_symbols_find(symbols, "/proc/self/exe", offset + 16, false, names) > 0)
        assert_string_not_equal(names[0].text, "sc_without_size");
    sc_symbols_free(symbols);
}

TEST(a_file_that_makes_no_sense_has_no_names)
{
    char path[] = "/tmp/sc_symbols_XXXXXX";
    int fd = mkstemp(path);
    static const char text[] = "\177ELF and then nothing that is right";
    assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
    (void)close(fd);
    struct sc_symbols *symbols = sc_symbols_new(helper);
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    assert_true(sc_symbols_add(symbols, path, path, path));
    struct sc_unwind_row row;
    assert_int_equal(row_at(symbols, path, 4, &row), SC_SYMBOLS_NO_ROW);
    assert_int_equal(sc_symbols_find(symbols, path, 4, true, names), 0);
    assert_int_equal(sc_symbols_find(symbols, path, 4, true, names), 0);
    assert_int_equal(row_at(symbols, path, 4, &row), SC_SYMBOLS_NO_ROW);
    sc_symbols_free(symbols);
    symbols = sc_symbols_new(NULL);
    assert_false(sc_symbols_add(symbols, "/nowhere", "/nowhere/at/all", "/nowhere/at/all"));
    sc_symbols_free(symbols);
    (void)unlink(path);
}

static void die(const char *question, size_t length, struct sc_str *ret_answer)
{
    _exit(1);
}

static bool runs(const char *command)
{
    return system(command) == 0; // NOLINT(cert-env33-c,concurrency-mt-unsafe)
}

/* A child that takes the place of another opens the same file, or none. */
TEST(a_file_that_was_replaced_has_no_names)
{
    char path[] = "/tmp/sc_symbols_XXXXXX";
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    uint64_t offset = offset_of((uintptr_t)a_function_of_this_test);
    (void)close(mkstemp(path));
    for (int is_other = 0; is_other < 2; is_other++) {
        SC_AUTO_FREE char *command = sc_format("cp /proc/%d/exe %s", (int)getpid(), path);
        SC_AUTO_FREE char *replace =
            sc_format("cp %s %s.new && mv %s.new %s", path, path, path, path);
        struct sc_helper *own = sc_helper_new(LONG_NS);
        struct sc_symbols *symbols = sc_symbols_new(own);
        assert_true(runs(command));
        assert_true(sc_symbols_add(symbols, "it", path, path));
        assert_true(sc_helper_wait(own, LONG_NS));
        if (is_other)
            assert_true(runs(replace));
        struct sc_str answer = {0};
        assert_false(sc_helper_ask(own, "/else", die, "", 0, &answer));
        assert_int_equal(sc_symbols_find(symbols, "it", offset, false, names), !is_other);
        sc_symbols_free(symbols);
        sc_helper_free(own);
    }
    (void)unlink(path);
}

/* The name that the function has by the file; "": none. */
static void assert_name(const char *file, const char *wanted)
{
    struct sc_symbols *symbols = sc_symbols_new(NULL);
    struct sc_symbol_name names[SC_SYMBOL_DEPTH_MAX];
    uint64_t offset = offset_of((uintptr_t)a_function_of_this_test);
    assert_true(sc_symbols_add(symbols, file, file, file));
    size_t count = sc_symbols_find(symbols, file, offset, false, names);
    assert_string_equal(count > 0 ? names[0].text : "", wanted);
    sc_symbols_free(symbols);
}

static bool is_loaded(const char *library)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    bool found = false;
    while (fgets(line, sizeof(line), maps) != NULL)
        found = found || strstr(line, library) != NULL;
    (void)fclose(maps);
    return found;
}

TEST(symbols_that_were_taken_out_are_found)
{
    char folder[] = "/tmp/sc_symbols_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char file[64];
    char command[1024];
    (void)snprintf(file, sizeof(file), "%s/program", folder);
    (void)snprintf(command, sizeof(command),
                   "cd %s && mkdir .debug && objcopy --only-keep-debug /proc/%d/exe p.debug && "
                   "objcopy --strip-all --add-gnu-debuglink=p.debug /proc/%d/exe program",
                   folder, (int)getpid(), (int)getpid());
    assert_true(runs(command));
    assert_name(file, "a_function_of_this_test"); /* beside it */
    (void)snprintf(command, sizeof(command), "mv %s/p.debug %s/.debug/", folder, folder);
    assert_true(runs(command));
    assert_name(file, "a_function_of_this_test");
    (void)snprintf(command, sizeof(command), "cp /bin/sh %s/.debug/p.debug", folder);
    assert_true(runs(command)); /* of another program */
    assert_name(file, "");
    (void)snprintf(command, sizeof(command), "rm %s/.debug/p.debug", folder);
    assert_true(runs(command));
    assert_name(file, "");
    assert_false(is_loaded("libdebuginfod")); /* which would ask for it */
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_true(runs(command));
}

static int start_helper(void **state)
{
    helper = sc_helper_new(LONG_NS);
    return 0;
}

static int end_helper(void **state)
{
    sc_helper_free(helper);
    return 0;
}

TESTS_WITHIN(start_helper, end_helper)
