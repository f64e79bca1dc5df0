/*
 * tests/unit/shown_stacks_test.c - made-up stacks, and what people see of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "build/build.h"
#include "build/plumbing.h"
#include "profile_lists.h"
#include "sc_test.h"

/* A directory with a program of ten lines, the scope that has it as root, and stacks. */
struct world {
    char directory[64];
    char *program;
    struct sc_scope scope;
    struct sc_collect collect;
    struct sc_profile profile;
    char *lists[8]; /* that list() gave */
    size_t list_count;
};

static void world_init(struct world *world)
{
    static const char source[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    struct sc_err err = {0};
    memset(world, 0, sizeof(*world));
    strcpy(world->directory, "/tmp/sc_shown_XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    world->program = sc_format("%s/prog.py", world->directory);
    assert_true(sc_write_file(world->program, source, strlen(source), &err));
    world->scope = (struct sc_scope){.root_dir = world->directory};
    sc_collect_init(&world->collect, 0, 0);
}

static void world_done(struct world *world)
{
    while (world->list_count > 0)
        free(world->lists[--world->list_count]);
    sc_profile_done(&world->profile);
    sc_collect_done(&world->collect);
    (void)unlink(world->program);
    free(world->program);
    assert_int_equal(rmdir(world->directory), 0);
}

static uint32_t code(struct world *world, const char *file, const char *name, uint32_t line)
{
    return sc_collect_code(&world->collect, file, name, line);
}

static void spend(struct world *world, uint32_t node, enum sc_time kind, uint64_t ms,
                  uint64_t samples)
{
    struct sc_stack_cost *cost = sc_collect_cost(&world->collect, node);
    cost->time_ns[kind] += ms * 1000000;
    cost->samples += samples;
}

static void near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9)
        fail_msg("%.12g is not %.12g", found, expected);
}

/* A list of the profile as JSON; valid until the end. */
static const char *list(struct world *world, const char *key)
{
    assert_true(world->list_count < sizeof(world->lists) / sizeof(world->lists[0]));
    char *text = list_of(&world->profile, key);
    world->lists[world->list_count++] = text;
    return text;
}

static const char *stacks_of(struct world *world)
{
    struct sc_build_input input = {.collect = &world->collect,
                                   .scope = &world->scope,
                                   .stacks = true,
                                   .interval_ns = 10000000};
    sc_profile_build(&input, &world->profile);
    return list(world, "combined_stacks");
}

/* How often a text stands in another. */
static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part)) != NULL) {
        text++;
        count++;
    }
    return count;
}

/* The names of frames in JSON, and the lines of Python's. Valid until the next call. */
static const char *names_of(const char *frames)
{
    static char names[512];
    static const char name[] = "{\"display_name\":\"";
    static const char line[] = "\"line\":";
    size_t length = 0;
    for (const char *at = frames; (at = strstr(at, name)) != NULL;) {
        at += strlen(name);
        const char *number = strstr(at, line) + strlen(line);
        bool has_line = *number != 'n';
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%.*s%s%.*s,",
                                   (int)strcspn(at, "\""), at, has_line ? " " : "",
                                   has_line ? (int)strspn(number, "0123456789") : 0, number);
    }
    return names;
}

/* Where a thread waits the native code between two Python frames is not read: it is what other
 * samples of the same call have there. */
TEST(one_path_of_calls_is_one)
{
    WORLD(world);
    struct sc_collect *collect = &world.collect;
    uint32_t run = code(&world, world.program, "Work.run", 5);
    uint32_t called = code(&world, world.program, "called", 9);
    uint32_t caller = sc_collect_frame(collect, 0, run, 8);
    uint32_t sort = sc_collect_native(collect, "/usr/lib/libsort.so", 0x10);
    uint32_t map = sc_collect_native(collect, "/usr/lib/libmap.so", 0x10);
    uint32_t unread = sc_collect_native(collect, SC_MODULE_UNREAD, 0);
    uint32_t waits =
        sc_collect_frame(collect, sc_collect_frame(collect, caller, unread, 0), called, 10);
    uint32_t kernel =
        sc_collect_frame(collect, waits, sc_collect_native(collect, SC_MODULE_KERNEL, 0), 0);
    uint32_t sorted =
        sc_collect_frame(collect, sc_collect_frame(collect, caller, sort, 0), called, 9);
    uint32_t mapped =
        sc_collect_frame(collect, sc_collect_frame(collect, caller, map, 0), called, 9);
    spend(&world, kernel, SC_TIME_SLEEP, 30, 0);
    spend(&world, sorted, SC_TIME_PYTHON, 50, 5);
    spend(&world, mapped, SC_TIME_PYTHON, 20, 2);
    const char *text = stacks_of(&world);
    assert_null(strstr(text, "libsort")); /* lists have native frames at the inner end alone */
    assert_null(strstr(text, SC_MODULE_UNREAD));
    near(world.profile.stacks_folded_percent, 0);
    const char *frames = list(&world, "call_frames");
    assert_string_equal(names_of(frames), "Work.run 8,libsort.so+0x10,called 9,libmap.so+0x10,"
                                          "called 10,[kernel],");
    assert_string_equal(list(&world, "call_tree"),
                        "[[0,0,0.0,0.0],[1,1,0.0,0.0],[2,2,0.05,0.0],[1,3,0.0,0.0],[4,2,0.02,0.0],"
                        "[2,4,0.0,0.0],[6,5,0.03,0.0]]");
    assert_string_equal(list(&world, "call_waiting_s"), "[0.0,0.0,0.0,0.0,0.0,0.0,0.03]");
    near(world.profile.call_tree_percent, 100);
    near(world.profile.call_tree_folded_percent, 0);
}

/* What lies between a shown frame and one that is not shown goes with that. */
TEST(native_code_outside_of_hidden_frames_is_hidden)
{
    WORLD(world);
    struct sc_collect *collect = &world.collect;
    uint32_t outer =
        sc_collect_frame(collect, 0, sc_collect_native(collect, "/usr/lib/libouter.so", 1), 0);
    uint32_t runpy =
        sc_collect_frame(collect, outer, code(&world, "/usr/lib/python3/runpy.py", "run", 1), 2);
    uint32_t exec =
        sc_collect_frame(collect, runpy, sc_collect_native(collect, "/usr/lib/libexec.so", 1), 0);
    uint32_t own = sc_collect_frame(collect, exec, code(&world, world.program, "Work.run", 5), 8);
    uint32_t import =
        sc_collect_frame(collect, own, sc_collect_native(collect, "/usr/lib/libimport.so", 1), 0);
    uint32_t library =
        sc_collect_frame(collect, import, code(&world, "/usr/lib/python3/lib.py", "f", 1), 2);
    spend(&world, library, SC_TIME_PYTHON, 60, 6);
    spend(&world, own, SC_TIME_PYTHON, 40, 4);
    const char *text = stacks_of(&world);
    assert_null(strstr(text, "libouter"));
    assert_null(strstr(text, "libimport"));
    assert_null(strstr(text, "libexec"));
    assert_int_equal(count_of(text, "Work.run"), 1); /* one stack, which is Python time */
    const char *frames = list(&world, "call_frames");
    assert_string_equal(names_of(frames),
                        "libouter.so+0x1,run 2,libexec.so+0x1,Work.run 8,libimport.so+0x1,f 2,");
    assert_int_equal(count_of(frames, "\"role\":\"library\""), 2);
    assert_string_equal(list(&world, "call_tree"),
                        "[[0,0,0.0,0.0],[1,1,0.0,0.0],[2,2,0.0,0.0],[3,3,0.04,0.0],[4,4,0.0,0.0],"
                        "[5,5,0.06,0.0]]");
    near(world.profile.files.items[0].lines.items[7].cost.cpu_python_percent, 100);
}

/* Functions that only pass a call on have no name to show. */
static size_t name_nothing(void *context, const char *module, uint64_t offset,
                           struct sc_native_name ret_names[SC_NATIVE_NAMES_MAX])
{
    (void)context;
    (void)module;
    if (offset == 0x20)
        return 0;
    ret_names[0] = (struct sc_native_name){"inner", 0};
    return 1;
}

/* What they take themselves is native time, and no step on the way to what they call. */
TEST(time_of_code_without_a_name_stays_native)
{
    WORLD(world);
    struct sc_collect *collect = &world.collect;
    uint32_t own = sc_collect_frame(collect, 0, code(&world, world.program, "Work.run", 5), 8);
    uint32_t passes = sc_collect_frame(
        collect, own, sc_collect_native(collect, "/usr/lib/libpython.so", 0x20), 0);
    uint32_t inner = sc_collect_frame(collect, passes,
                                      sc_collect_native(collect, "/usr/lib/libpython.so", 0x30), 0);
    spend(&world, passes, SC_TIME_NATIVE, 60, 6);
    spend(&world, inner, SC_TIME_NATIVE, 30, 3);
    spend(&world, own, SC_TIME_PYTHON, 10, 1);
    uint32_t thread = sc_collect_thread(collect, 7, 7);
    sc_timeline_add(&collect->timeline, 1000000000, thread, passes, 60000000);
    struct sc_build_input input = {.collect = collect,
                                   .scope = &world.scope,
                                   .stacks = true,
                                   .interval_ns = 10000000,
                                   .namer = name_nothing};
    sc_profile_build(&input, &world.profile);
    const char *text = list(&world, "combined_stacks");
    assert_int_equal(count_of(text, "\"Work.run\""), 3);
    assert_int_equal(count_of(text, "\"inner\""), 1);
    assert_int_equal(count_of(text, "\"display_name\":\"[native code]\""), 1);
    assert_non_null(strstr(text, "\"offset\":0}],6]"));
    assert_non_null(
        strstr(list(&world, "combined_stacks_timeline"), "\"count\":6,\"stack_index\":0"));
    assert_string_equal(names_of(list(&world, "call_frames")), "Work.run 8,[native code],inner,");
    assert_string_equal(list(&world, "call_tree"),
                        "[[0,0,0.01,0.0],[1,1,0.06,0.0],[1,2,0.03,0.0]]");
    assert_string_equal(list(&world, "call_timeline"), "[[1.0,0.06,2,7]]");
}

/* Stacks too small to be distinguished keep their line and their kind as far as they can. */
TEST(small_pieces_of_native_code_stay_native)
{
    WORLD(world);
    struct sc_collect *collect = &world.collect;
    uint32_t own = sc_collect_frame(collect, 0, code(&world, world.program, "Work.run", 5), 8);
    uint32_t once = sc_collect_frame(collect, own, code(&world, world.program, "once", 9), 10);
    for (uint64_t i = 0; i < 20; i++) {
        uint32_t piece = sc_collect_native(collect, "/usr/lib/libpieces.so", 0x100 * i);
        spend(&world, sc_collect_frame(collect, own, piece, 0), SC_TIME_NATIVE, 5, 1);
    }
    spend(&world, once, SC_TIME_PYTHON, 2, 1);
    spend(&world, own, SC_TIME_PYTHON, 9898, 900);
    const char *text = stacks_of(&world);
    assert_int_equal(count_of(text, "libpieces"), 0);
    assert_int_equal(count_of(text, SC_MODULE_UNKNOWN_FRAMES), 2);
    assert_non_null(strstr(text, "10]"));
    assert_null(strstr(text, "\"once\""));
    near(world.profile.stacks_folded_percent, 0.02);
    assert_string_equal(names_of(list(&world, "call_frames")), "Work.run 8,[native code],");
    assert_string_equal(list(&world, "call_tree"), "[[0,0,9.9,0.0],[1,1,0.1,0.0]]");
    assert_int_equal(world.profile.call_waiting_s.count, 0);
    near(world.profile.call_tree_folded_percent, 0.02);
}

/* A caller that has a small stack's time has its waiting, too. */
TEST(waiting_is_folded_with_its_stack)
{
    WORLD(world);
    struct sc_collect *collect = &world.collect;
    uint32_t own = sc_collect_frame(collect, 0, code(&world, world.program, "Work.run", 5), 8);
    uint32_t once = sc_collect_frame(collect, own, code(&world, world.program, "once", 9), 10);
    spend(&world, once, SC_TIME_IO, 2, 0);
    spend(&world, own, SC_TIME_PREEMPTED_KERNEL, 98, 0);
    spend(&world, own, SC_TIME_PYTHON, 9800, 900);
    spend(&world, own, SC_TIME_OTHER_WAIT, 100, 0);
    (void)stacks_of(&world);
    assert_string_equal(list(&world, "call_tree"), "[[0,0,10.0,0.0]]");
    assert_string_equal(list(&world, "call_waiting_s"), "[0.102]");
}

/* A library's frame that is too small goes to its caller, and that does not change the line. */
TEST(small_stacks_of_libraries_are_their_callers)
{
    WORLD(world);
    struct sc_collect *collect = &world.collect;
    uint32_t own = sc_collect_frame(collect, 0, code(&world, world.program, "Work.run", 5), 8);
    uint32_t library =
        sc_collect_frame(collect, own, code(&world, "/usr/lib/python3/lib.py", "f", 1), 2);
    spend(&world, library, SC_TIME_PYTHON, 1, 1);
    spend(&world, own, SC_TIME_PYTHON, 9999, 900);
    (void)stacks_of(&world);
    assert_string_equal(list(&world, "call_tree"), "[[0,0,10.0,0.0]]");
    near(world.profile.call_tree_folded_percent, 0);
}

/* A chain of that many calls below a frame. */
static uint32_t chain(struct world *world, uint32_t at, const char *name, uint32_t length)
{
    for (uint32_t line = 1; line <= length; line++)
        at = sc_collect_frame(&world->collect, at, code(world, world->program, name, 1), line);
    return at;
}

/* The tree has a bound; what finds no room in it is the nearest caller's that has. */
TEST(stacks_without_room_are_their_callers)
{
    WORLD(world);
    uint32_t own =
        sc_collect_frame(&world.collect, 0, code(&world, world.program, "Work.run", 5), 8);
    spend(&world, chain(&world, own, "deep", 15000), SC_TIME_PYTHON, 90, 9);
    spend(&world, chain(&world, own, "other", 6000), SC_TIME_PYTHON, 10, 1);
    (void)stacks_of(&world);
    const char *tree = list(&world, "call_tree");
    assert_int_equal(count_of(tree, "],["), 15000);
    assert_memory_equal(tree, "[[0,0,0.01,0.0],[1,1,0.0,0.0],", 30);
    assert_null(strstr(list(&world, "call_frames"), "\"other\""));
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
