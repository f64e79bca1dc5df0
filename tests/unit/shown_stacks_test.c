/*
 * tests/unit/shown_stacks_test.c - made-up stacks, and what people see of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/plumbing.h"
#include "build_world.h"
#include "profile_lists.h"

static void build_stacks(struct world *world, sc_native_namer *namer)
{
    struct sc_build_input input = {.collect = &world->collect,
                                   .scope = &world->scope,
                                   .stacks = true,
                                   .interval_ns = 10000000,
                                   .namer = namer};
    world->scope.cpu_percent_threshold = 0;
    sc_profile_build(&input, &world->profile);
}

static void assert_list(const struct world *world, const char *key, const char *expected)
{
    SC_AUTO_FREE char *text = list_of(&world->profile, key);
    assert_string_equal(text, expected);
}

/* How often a text stands in a list. */
static size_t count_in(const struct world *world, const char *key, const char *part)
{
    SC_AUTO_FREE char *list = list_of(&world->profile, key);
    size_t count = 0;
    for (const char *text = list; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* The names of the frames of calls, and the lines of Python's. */
static void assert_names(const struct world *world, const char *expected)
{
    static const char name[] = "{\"display_name\":\"";
    static const char line[] = "\"line\":";
    OWN(sc_str, names) = {0};
    SC_AUTO_FREE char *frames = list_of(&world->profile, "call_frames");
    for (const char *text = frames; (text = strstr(text, name)) != NULL;) {
        text += strlen(name);
        const char *number = strstr(text, line) + strlen(line);
        bool has_line = *number != 'n';
        sc_str_add_format(&names, "%.*s%s%.*s,", (int)strcspn(text, "\""), text,
                          has_line ? " " : "", has_line ? (int)strspn(number, "0123456789") : 0,
                          number);
    }
    assert_string_equal(sc_str_text(&names), expected);
}

#define RUN "Work.run@5:8"

/* Where a thread waits the native code between two Python frames is not read: it is what other
 * samples of the same call have there. */
TEST(one_path_of_calls_is_one)
{
    WORLD(world);
    spend_at(&world, RUN "|" SC_MODULE_UNREAD "+0|called@9:10|" SC_MODULE_KERNEL "+0",
             SC_TIME_SLEEP, 30, 0);
    spend_at(&world, RUN "|/usr/lib/libsort.so+10|called@9:9", SC_TIME_PYTHON, 50, 5);
    spend_at(&world, RUN "|/usr/lib/libmap.so+10|called@9:9", SC_TIME_PYTHON, 20, 2);
    build_stacks(&world, NULL);
    /* lists have native frames at the inner end alone */
    assert_int_equal(count_in(&world, "combined_stacks", "libsort"), 0);
    assert_int_equal(count_in(&world, "combined_stacks", SC_MODULE_UNREAD), 0);
    near(world.profile.stacks_folded_percent, 0);
    assert_names(&world, "Work.run 8,libsort.so+0x10,called 9,libmap.so+0x10,called 10,[kernel],");
    assert_list(&world, "call_tree",
                "[[0,0,0.0,0.0],[1,1,0.0,0.0],[2,2,0.05,0.0],[1,3,0.0,0.0],[4,2,0.02,0.0],"
                "[2,4,0.0,0.0],[6,5,0.03,0.0]]");
    assert_list(&world, "call_waiting_s", "[0.0,0.0,0.0,0.0,0.0,0.0,0.03]");
    near(world.profile.call_tree_percent, 100);
    near(world.profile.call_tree_folded_percent, 0);
}

/* What lies between a shown frame and one that is not shown goes with that. */
TEST(native_code_outside_of_hidden_frames_is_hidden)
{
    WORLD(world);
#define OWN_RUN                                                                                    \
    "/usr/lib/libouter.so+1|/usr/lib/python3/runpy.py run@1:2|/usr/lib/libexec.so+1|" RUN
    spend_at(&world, OWN_RUN "|/usr/lib/libimport.so+1|/usr/lib/python3/lib.py f@1:2",
             SC_TIME_PYTHON, 60, 6);
    spend_at(&world, OWN_RUN, SC_TIME_PYTHON, 40, 4);
    build_stacks(&world, NULL);
    /* one stack, which is Python time */
    assert_int_equal(count_in(&world, "combined_stacks", "Work.run"), 1);
    assert_int_equal(count_in(&world, "combined_stacks", ".so"), 0);
    assert_names(&world, "libouter.so+0x1,run 2,libexec.so+0x1,Work.run 8,libimport.so+0x1,f 2,");
    assert_int_equal(count_in(&world, "call_frames", "\"role\":\"library\""), 2);
    assert_list(&world, "call_tree",
                "[[0,0,0.0,0.0],[1,1,0.0,0.0],[2,2,0.0,0.0],[3,3,0.04,0.0],[4,4,0.0,0.0],"
                "[5,5,0.06,0.0]]");
    near(line(&world, 8)->cpu_python_percent, 100);
}

/* Functions that only pass a call on have no name to show. */
static size_t name_nothing(void *context, const char *module, uint64_t offset,
                           struct sc_native_name ret_names[SC_NATIVE_NAMES_MAX])
{
    if (offset == 0x20)
        return 0;
    ret_names[0] = (struct sc_native_name){"inner", 0};
    return 1;
}

/* Until the line that waits for it is known, what it costs is held elsewhere. */
TEST(a_thread_that_runs_only_a_library_has_a_lane)
{
    WORLD(world);
    uint32_t line8 = at(&world, RUN);
    uint32_t loads = at(&world, "/usr/lib/python3/json.py loads@3:7");
    uint32_t held = sc_collect_worker(&world.collect, 0, 7, loads);
    uint32_t thread = sc_collect_thread(&world.collect, 7, 7);
    spend(&world, line8, SC_TIME_PYTHON, 10, 1);
    spend(&world, held, SC_TIME_NATIVE, 30, 3);
    sc_timeline_add(&world.collect.timeline, 1000000000, thread, held, 30000000);
    sc_collect_move(&world.collect, held, sc_collect_worker(&world.collect, line8, 0, loads));
    build_stacks(&world, NULL);
    assert_int_equal(count_in(&world, "call_timeline", "[1.0,0.03,"), 1);
    assert_int_equal(count_in(&world, "combined_stacks_timeline", "\"count\":3"), 1);
}

/* What they take themselves is native time, and no step on the way to what they call. */
TEST(time_of_code_without_a_name_stays_native)
{
    WORLD(world);
    uint32_t passes = at(&world, RUN "|/usr/lib/libpython.so+20");
    spend(&world, passes, SC_TIME_NATIVE, 60, 6);
    spend_at(&world, RUN "|/usr/lib/libpython.so+20|/usr/lib/libpython.so+30", SC_TIME_NATIVE, 30,
             3);
    spend_at(&world, RUN, SC_TIME_PYTHON, 10, 1);
    uint32_t thread = sc_collect_thread(&world.collect, 7, 7);
    sc_timeline_add(&world.collect.timeline, 1000000000, thread, passes, 60000000);
    build_stacks(&world, name_nothing);
    assert_int_equal(count_in(&world, "combined_stacks", "\"Work.run\""), 3);
    assert_int_equal(count_in(&world, "combined_stacks", "\"inner\""), 1);
    assert_int_equal(count_in(&world, "combined_stacks", "\"display_name\":\"[native code]\""), 1);
    assert_int_equal(count_in(&world, "combined_stacks", "\"offset\":0}],6]"), 1);
    assert_int_equal(count_in(&world, "combined_stacks_timeline", "\"count\":6,\"stack_index\":0"),
                     1);
    assert_names(&world, "Work.run 8,[native code],inner,");
    assert_list(&world, "call_tree", "[[0,0,0.01,0.0],[1,1,0.06,0.0],[1,2,0.03,0.0]]");
    assert_list(&world, "call_timeline", "[[1.0,0.06,2,7]]");
}

/* Stacks too small to be distinguished keep their line and their kind as far as they can. */
TEST(small_pieces_of_native_code_stay_native)
{
    WORLD(world);
    for (unsigned i = 0; i < 20; i++) {
        SC_AUTO_FREE char *piece = sc_format(RUN "|/usr/lib/libpieces.so+%x", 0x100 * i);
        spend_at(&world, piece, SC_TIME_NATIVE, 5, 1);
    }
    spend_at(&world, RUN "|once@9:10", SC_TIME_PYTHON, 2, 1);
    spend_at(&world, RUN, SC_TIME_PYTHON, 9898, 900);
    build_stacks(&world, NULL);
    assert_int_equal(count_in(&world, "combined_stacks", "libpieces"), 0);
    assert_int_equal(count_in(&world, "combined_stacks", SC_MODULE_UNKNOWN_FRAMES), 2);
    assert_int_equal(count_in(&world, "combined_stacks", ",10]"), 1);
    assert_int_equal(count_in(&world, "combined_stacks", "\"once\""), 0);
    near(world.profile.stacks_folded_percent, 0.02);
    assert_names(&world, "Work.run 8,[native code],");
    assert_list(&world, "call_tree", "[[0,0,9.9,0.0],[1,1,0.1,0.0]]");
    assert_int_equal(world.profile.call_waiting_s.count, 0);
    near(world.profile.call_tree_folded_percent, 0.02);
}

/* A caller that has a small stack's time has its waiting, too. */
TEST(waiting_is_folded_with_its_stack)
{
    WORLD(world);
    spend_at(&world, RUN "|once@9:10", SC_TIME_IO, 2, 0);
    spend_at(&world, RUN, SC_TIME_PREEMPTED_KERNEL, 98, 0);
    spend_at(&world, RUN, SC_TIME_PYTHON, 9800, 900);
    spend_at(&world, RUN, SC_TIME_OTHER_WAIT, 100, 0);
    build_stacks(&world, NULL);
    assert_list(&world, "call_tree", "[[0,0,10.0,0.0]]");
    assert_list(&world, "call_waiting_s", "[0.102]");
}

/* A library's frame that is too small goes to its caller, and that does not change the line. */
TEST(small_stacks_of_libraries_are_their_callers)
{
    WORLD(world);
    spend_at(&world, RUN "|/usr/lib/python3/lib.py f@1:2", SC_TIME_PYTHON, 1, 1);
    spend_at(&world, RUN, SC_TIME_PYTHON, 9999, 900);
    build_stacks(&world, NULL);
    assert_list(&world, "call_tree", "[[0,0,10.0,0.0]]");
    near(world.profile.call_tree_folded_percent, 0);
}

/* The end of a chain of that many calls below a frame. */
static uint32_t chain(struct world *world, const char *name, uint32_t length)
{
    uint32_t node = at(world, RUN);
    uint32_t code = sc_collect_code(&world->collect, world->program, name, 1);
    for (uint32_t line = 1; line <= length; line++)
        node = sc_collect_frame(&world->collect, node, code, line);
    return node;
}

/* The tree has a bound; what finds no room in it is the nearest caller's that has. */
TEST(stacks_without_room_are_their_callers)
{
    WORLD(world);
    spend(&world, chain(&world, "deep", 15000), SC_TIME_PYTHON, 90, 9);
    spend(&world, chain(&world, "other", 6000), SC_TIME_PYTHON, 10, 1);
    build_stacks(&world, NULL);
    SC_AUTO_FREE char *tree = list_of(&world.profile, "call_tree");
    assert_memory_equal(tree, "[[0,0,0.01,0.0],[1,1,0.0,0.0],", 30);
    assert_int_equal(count_in(&world, "call_tree", "],["), 15000);
    assert_int_equal(count_in(&world, "call_frames", "\"other\""), 0);
    near(world.profile.call_tree_percent, 100);
    near(world.profile.call_tree_folded_percent, 10);
}

/* Only the interpreter's functions that have such names, and not what others call so. */
TEST(what_only_passes_calls_on_is_plumbing)
{
    static const char python[] = "/usr/bin/python3.12";
    assert_true(sc_plumbing_is(python, "object_vacall"));
    assert_true(sc_plumbing_is(python, "type_call.constprop.0"));
    assert_true(sc_plumbing_is("/usr/lib/libpython3.12.so.1.0", "_PyObject_CallMethodIdObjArgs"));
    assert_true(sc_plumbing_is("/lib/x86_64-linux-gnu/libc.so.6", "__libc_start_call_main"));
    assert_true(sc_plumbing_is("/home/ada/embeds", "_start"));
    assert_false(sc_plumbing_is(python, "type_call_me"));
    assert_false(sc_plumbing_is(python, "list_sort_impl"));
    assert_false(sc_plumbing_is(python, "type"));
    assert_false(sc_plumbing_is("/home/ada/libwork.so", "object_vacall"));
    assert_false(sc_plumbing_is("/lib/x86_64-linux-gnu/libc.so.6", "memcpy"));
}
