/*
 * tests/unit/report_stacks_test.c - lists of stacks as trees: merged, summed, folded, never
 * trusted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "profile_lists.h"
#include "report/native_functions.h"
#include "report/stacks.h"
#include "sc_test.h"

#define PY(name, line)                                                                             \
    "{\"kind\":\"py\",\"display_name\":\"" name                                                    \
    "\",\"filename_or_module\":\"/p/a.py\",\"line\":" #line ",\"ip\":null,\"offset\":null}"
#define C_OF(name, module)                                                                         \
    "{\"kind\":\"native\",\"display_name\":\"" name "\",\"filename_or_module\":\"" module          \
    "\",\"line\":null,\"ip\":16,\"offset\":2}"
#define C(name) C_OF(name, "/lib/c.so")

static void load(struct sc_stacks *stacks, const char *time, const char *memory)
{
    struct sc_profile profile =
        profile_of("\"combined_stacks\":%s,\"memory_stacks\":%s", time != NULL ? time : "[]",
                   memory != NULL ? memory : "[]");
    profile.interval_s = 0.01;
    sc_stacks_init(stacks, &profile);
    sc_profile_done(&profile);
}

static void tree_of(struct sc_stack_tree *tree, const struct sc_stacks *stacks,
                    enum sc_stack_list list, enum sc_stack_grain grain, size_t nodes_max)
{
    size_t count = stacks->lists[list].count;
    double *weights = sc_alloc(count + 1, sizeof(double));
    for (size_t i = 0; i < count; i++)
        weights[i] = stacks->lists[list].items[i].weight;
    sc_stack_tree_init(tree, stacks, list, grain, weights, NULL, nodes_max);
    free(weights);
}

/* A node with its line, its total, what is its own, and the nodes below it in brackets. */
static void add_node(struct sc_str *text, const struct sc_stacks *stacks,
                     const struct sc_stack_tree *tree, size_t node)
{
    static const char *const kinds[] = {
        [SC_FRAME_NATIVE] = "native ",
        [SC_FRAME_PLUMBING] = "plumbing ",
        [SC_FRAME_LIBRARY] = "library ",
    };
    if (node > 0) {
        const struct sc_frame *frame = &stacks->frames.items[tree->nodes.items[node].frame];
        const char *kind =
            (size_t)frame->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[frame->kind] : NULL;
        sc_str_add_format(text, "%s%s:%u ", kind != NULL ? kind : "",
                          sc_intern_text(&stacks->texts, frame->name),
                          tree->nodes.items[node].line);
    }
    sc_str_add_format(text, "%g/%g", tree->nodes.items[node].total, tree->nodes.items[node].self);
    for (size_t i = node + 1; i < tree->nodes.count; i++)
        if (tree->nodes.items[i].parent == node) {
            sc_str_add(text, " (");
            add_node(text, stacks, tree, i);
            sc_str_add(text, ")");
        }
}

static void assert_tree(const struct sc_stacks *stacks, enum sc_stack_list list,
                        enum sc_stack_grain grain, const char *expected)
{
    OWN(sc_stack_tree, tree);
    OWN(sc_str, text) = {0};
    tree_of(&tree, stacks, list, grain, 100);
    add_node(&text, stacks, &tree, 0);
    assert_string_equal(sc_str_text(&text), expected);
}

/* clang-format off */
static const char calls_of_native[] = "["
    "[[" PY("main", 1) "," C("sum") "],20],"
    "[[" PY("main", 1) "," C("sum") "," C_OF("malloc", "/lib/libc.so.6") "," C_OF("[kernel]", "[kernel]") "],30],"
    "[[" PY("main", 1) "," C_OF("list_sort", "/lib/libpython3.14.so.1.0") "],25],"
    "[[" PY("main", 1) "," C("call") "," PY("f", 2) "],15],"
    "[[" PY("main", 1) "," C("rare") "],1],"
    "[[" PY("f", 1) "," C("dot") "],9]]";
/* clang-format on */

TEST(native_functions_have_the_time_of_the_runtime_they_call)
{
    OWN(sc_stacks, stacks);
    struct sc_native_functions functions;
    load(&stacks, calls_of_native, NULL);
    assert_true(stacks.is_timed);
    sc_native_functions_find(&functions, &stacks, 1.0, 2.0);
    assert_int_equal(functions.count, 2);
    assert_string_equal(functions.items[0].name, "sum");
    assert_string_equal(functions.items[0].module, "/lib/c.so");
    assert_float_equal(functions.items[0].percent, 50.0, 1e-9);
    assert_string_equal(functions.items[1].name, "dot");
    assert_float_equal(functions.items[1].percent, 9.0, 1e-9);
    sc_vec_done(&functions);
    sc_native_functions_find(&functions, &stacks, 0.0, 2.0);
    assert_int_equal(functions.count, 0);
}

static const char two_lines[] = "[[[" PY("main", 1) "," PY("f", 10) "],30],[[" PY("main", 2) "," PY(
    "f", 11) "," C("memcpy") "],50],[[" PY("main", 2) "],20]]";

TEST(a_function_is_one_node_with_its_hottest_line)
{
    OWN(sc_stacks, stacks);
    load(&stacks, two_lines, NULL);
    assert_tree(&stacks, SC_STACKS_TIME, SC_GRAIN_FUNCTION,
                "1/0 (main:2 1/0.2 (f:11 0.8/0.3 (native memcpy:0 0.5/0.5)))");
    assert_tree(&stacks, SC_STACKS_TIME, SC_GRAIN_LINE,
                "1/0 (main:1 0.3/0 (f:10 0.3/0.3)) (main:2 0.7/0.2 (f:11 0.5/0 (native memcpy:0 "
                "0.5/0.5)))");
}

TEST(what_is_small_is_part_of_its_caller)
{
    OWN(sc_stacks, stacks);
    OWN(sc_stack_tree, tree);
    load(&stacks,
         "[[[" PY("main", 1) "," PY("big", 2) "],9997],[[" PY("main", 1) "," PY("small", 3) "," C(
             "tiny") "],2],[[" PY("main", 1) "],1]]",
         NULL);
    tree_of(&tree, &stacks, SC_STACKS_TIME, SC_GRAIN_FUNCTION, 100);
    assert_int_equal(tree.folded, 2);
    assert_tree(&stacks, SC_STACKS_TIME, SC_GRAIN_FUNCTION,
                "100/0 (main:1 100/0.03 (big:2 99.97/99.97))");
}

TEST(a_tree_has_no_more_nodes_than_asked_for)
{
    OWN(sc_str, text) = {0};
    sc_str_add_char(&text, '[');
    for (int i = 0; i < 1000; i++)
        sc_str_add_format(&text, "%s[[{\"kind\":\"py\",\"display_name\":\"f%d\",\"line\":1}],%d]",
                          i > 0 ? "," : "", i, 1000 + i);
    sc_str_add_char(&text, ']');
    OWN(sc_stacks, stacks);
    OWN(sc_stack_tree, tree);
    load(&stacks, sc_str_text(&text), NULL);
    tree_of(&tree, &stacks, SC_STACKS_TIME, SC_GRAIN_FUNCTION, 500);
    assert_true(tree.nodes.count <= 500);
    double sum = 0;
    for (size_t i = 0; i < tree.nodes.count; i++)
        sum += tree.nodes.items[i].self;
    assert_float_equal(sum, tree.nodes.items[0].total, 1e-6);
    assert_float_equal(sum, 14995.0, 1e-6);
}

TEST(memory_is_in_megabytes)
{
    OWN(sc_stacks, stacks);
    load(&stacks, NULL, "[[[" PY("main", 4) "],12.5],[[" PY("main", 4) "," C("calloc") "],0.25]]");
    assert_tree(&stacks, SC_STACKS_MEMORY, SC_GRAIN_FUNCTION,
                "12.75/0 (main:4 12.75/12.5 (native calloc:0 0.25/0.25))");
    assert_tree(&stacks, SC_STACKS_TIME, SC_GRAIN_FUNCTION, "0/0");
}

TEST(old_lists_of_names_are_read_too)
{
    OWN(sc_profile, profile) = profile_of(
        "\"stacks\":[[[\"/a dir/t.py <module>:3;\",\"/a dir/t.py C.f:9;\"],{\"count\":12}],"
        "[[\"no frame\"],7]]");
    OWN(sc_stacks, stacks);
    sc_stacks_init(&stacks, &profile);
    assert_int_equal(stacks.lists[SC_STACKS_TIME].count, 2);
    assert_true(stacks.lists[SC_STACKS_TIME].items[0].weight == 12); /* samples: no interval */
    assert_true(stacks.lists[SC_STACKS_TIME].items[1].weight == 7);  /* in profiles older still */
    assert_int_equal(stacks.tries[SC_GRAIN_LINE].nodes.count, 3);
    const struct sc_frame *frame = &stacks.frames.items[stacks.tries[0].nodes.items[2].frame];
    assert_string_equal(sc_intern_text(&stacks.texts, frame->name), "C.f");
    assert_string_equal(sc_intern_text(&stacks.texts, frame->path), "/a dir/t.py");
}

#define ROLE(name, file, kind, line, role)                                                         \
    "{\"display_name\":\"" name "\",\"filename_or_module\":\"" file "\",\"kind\":\"" kind          \
    "\",\"line\":" line ",\"role\":\"" role "\"}"

static void load_calls(struct sc_stacks *stacks, const char *frames, const char *tree,
                       const char *waiting)
{
    struct sc_profile profile =
        profile_of("\"combined_stacks\":%s," /* is not looked at */
                   "\"scalene_c\":{\"interval_s\":0.01,\"call_frames\":%s,\"call_tree\":%s,\"call_"
                   "waiting_s\":%s}",
                   two_lines, frames, tree, waiting != NULL ? waiting : "[]");
    sc_stacks_init(stacks, &profile);
    sc_profile_done(&profile);
}

TEST(time_is_on_a_cpu_or_waiting)
{
    static const char *const frames = "[" PY("main", 4) "," PY("read", 5) "]";
    static const char *const tree = "[[0,0,0.5,0.0],[1,1,2.0,0.0]]";
    OWN(sc_stacks, stacks);
    load_calls(&stacks, frames, tree, "[0.0,1.75]");
    assert_tree(&stacks, SC_STACKS_ON_CPU, SC_GRAIN_FUNCTION,
                "0.75/0 (main:4 0.75/0.5 (read:5 0.25/0.25))");
    assert_tree(&stacks, SC_STACKS_WAITING, SC_GRAIN_FUNCTION,
                "1.75/0 (main:4 1.75/0 (read:5 1.75/1.75))");
    sc_stacks_done(&stacks);
    /* what others have written: more waiting than time, fewer and more numbers than nodes */
    load_calls(&stacks, frames, tree, "[9,-1,1,2,3]");
    assert_int_equal(stacks.lists[SC_STACKS_WAITING].count, stacks.lists[SC_STACKS_ON_CPU].count);
    for (size_t i = 0; i < stacks.lists[SC_STACKS_ON_CPU].count; i++)
        assert_true(stacks.lists[SC_STACKS_ON_CPU].items[i].weight >= 0.0);
    sc_stacks_done(&stacks);
    load_calls(&stacks, frames, tree, NULL);
    assert_int_equal(stacks.lists[SC_STACKS_ON_CPU].count, 0);
}

TEST(a_tree_of_calls_has_time_and_memory)
{
    OWN(sc_stacks, stacks);
    load_calls(&stacks,
               "[" PY("main", 4) "," ROLE("strptime", "/lib/s.py", "py", "9", "library") "," ROLE(
                   "object_vacall", "/bin/python", "native", "null", "plumbing") "]",
               "[[0,0,0.5,0.0],[1,2,0.0,0.0],[2,1,1.25,8.5]]", NULL);
    assert_tree(&stacks, SC_STACKS_TIME, SC_GRAIN_FUNCTION,
                "1.75/0 (main:4 1.75/0.5 (plumbing object_vacall:0 1.25/0 (library strptime:9 "
                "1.25/1.25)))");
    assert_tree(&stacks, SC_STACKS_MEMORY, SC_GRAIN_LINE,
                "8.5/0 (main:4 8.5/0 (plumbing object_vacall:0 8.5/0 (library strptime:9 "
                "8.5/8.5)))");
}

TEST(nonsense_in_a_tree_of_calls_is_passed_over)
{
    static const char *const frames[] = {"[]", "[{}]", "[" PY("f", 1) "]"};
    static const char *const trees[] = {
        "[[2,0,1,1],[0,4294967295,1,1],[0,99,1,1],[4,0,1,1]]",
        "[[0,0,1,1],[1,1,-1,-1],[4294967295,0,1e15,1e15]]",
    };
    for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
        for (size_t k = 0; k < sizeof(trees) / sizeof(*trees); k++) {
            OWN(sc_stacks, stacks);
            OWN(sc_stack_tree, tree);
            load_calls(&stacks, frames[i], trees[k], NULL);
            tree_of(&tree, &stacks, SC_STACKS_TIME, SC_GRAIN_FUNCTION, 100);
            assert_true(isfinite(tree.nodes.items[0].total));
        }
    }
}

/* A node without a frame keeps the places of the others. */
TEST(what_has_no_frame_has_a_place)
{
    OWN(sc_stacks, stacks);
    load_calls(&stacks, "[" PY("f", 1) "]", "[[0,7,1,0],[3,1,4,0],[1,0,2,0]]", NULL);
    assert_int_equal(stacks.lists[SC_STACKS_TIME].count, 3);
    assert_int_equal(stacks.lists[SC_STACKS_TIME].items[0].node, 0);
    assert_int_equal(stacks.lists[SC_STACKS_TIME].items[2].node, 1);
    assert_true(stacks.lists[SC_STACKS_TIME].items[2].weight == 2);
}

TEST(a_chain_of_calls_has_a_bound)
{
    OWN(sc_str, text) = {0};
    OWN(sc_stacks, stacks);
    sc_str_add_char(&text, '[');
    for (int i = 0; i < 5000; i++)
        sc_str_add_format(&text, "%s[%d,0,1,0]", i > 0 ? "," : "", i);
    sc_str_add_char(&text, ']');
    load_calls(&stacks, "[" PY("f", 1) "]", sc_str_text(&text), NULL);
    assert_true(stacks.is_cut);
    assert_int_equal(stacks.tries[SC_GRAIN_LINE].nodes.count, 1025);
    assert_int_equal(stacks.lists[SC_STACKS_TIME].count, 5000);
}

TEST(nonsense_is_passed_over)
{
    static const char *const texts[] = {
        "[]",
        "[[[],1],[[{}],0]]",
        "[[[{\"line\":0},{\"line\":4294967295}],5],[[{\"line\":null}],1e15]]",
        "[[[{\"display_name\":\"\\ud800\\udc80\\u0000x\",\"kind\":null}],1]]",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        OWN(sc_stacks, stacks);
        struct sc_stack_tree tree;
        load(&stacks, texts[i], texts[i]);
        for (int grain = 0; grain < SC_GRAIN_COUNT_; grain++) {
            tree_of(&tree, &stacks, SC_STACKS_TIME, (enum sc_stack_grain)grain, 100);
            assert_true(isfinite(tree.nodes.items[0].total) && tree.nodes.items[0].total >= 0);
            sc_stack_tree_done(&tree);
        }
    }
}

TEST(a_stack_of_any_depth_is_cut)
{
    OWN(sc_str, text) = {0};
    OWN(sc_stacks, stacks);
    sc_str_add(&text, "[[[");
    for (int i = 0; i < 100000; i++)
        sc_str_add_format(&text, "%s{\"display_name\":\"f\",\"line\":%d}", i > 0 ? "," : "", i);
    sc_str_add(&text, "],1]]");
    load(&stacks, sc_str_text(&text), NULL);
    assert_true(stacks.is_cut);
    assert_int_equal(stacks.tries[SC_GRAIN_LINE].nodes.count, 1025);
}
