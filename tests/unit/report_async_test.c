/*
 * tests/unit/report_async_test.c - what tasks wait for, and what keeps the event loop, in made
 * profiles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report/async.h"
#include "report_fixture.h"
#include "sc_test.h"

#define LIB "/usr/lib/python3.11/"
#define LIBRARY(word, name, path)                                                                  \
    {                                                                                              \
        word,                                                                                      \
        {                                                                                          \
            name, path, "py", SC_CALL_LIBRARY, 0, 0, 1                                             \
        }                                                                                          \
    }
#define NATIVE(word, name, path)                                                                   \
    {                                                                                              \
        word,                                                                                      \
        {                                                                                          \
            name, path, "native", NULL, 0, 0, 1                                                    \
        }                                                                                          \
    }

/* Frames by the words that stand for them; all others are functions of the program, "f:4". */
static const struct {
    const char *word;
    struct sc_profile_frame frame;
} frames[] = {
    LIBRARY("thread", "Thread.run", LIB "threading.py"),
    LIBRARY("forever", "BaseEventLoop.run_forever", LIB "asyncio/base_events.py"),
    LIBRARY("once", "BaseEventLoop._run_once", LIB "asyncio/base_events.py"),
    LIBRARY("handle", "Handle._run", LIB "asyncio/events.py"),
    LIBRARY("select", "EpollSelector.select", LIB "selectors.py"),
    LIBRARY("release", "Lock.release", LIB "asyncio/locks.py"),
    LIBRARY("loads", "loads", LIB "json/__init__.py"),
    LIBRARY("get", "get", LIB "site-packages/requests/api.py"),
    LIBRARY("parse", "parse", LIB "site-packages/aiohttp/http.py"),
    LIBRARY("trio", "GuestState.unrolled_run", "/x/trio/_core/_run.py"),
    LIBRARY("trio_poll", "EpollIOManager.get_events", "/x/trio/_core/_io_epoll.py"),
    LIBRARY("trio_sleep", "sleep", "/x/trio/_timeouts.py"),
    {"bootstrap",
     {"BaseProcess._bootstrap", "/usr/lib/python3.11/multiprocessing/process.py", "py",
      SC_CALL_LIBRARY, 0, 0, 1}},
    {"awaits", {"[await] f", "/p/a.py", "py", NULL, 0, 0, 1}},
    {"call", {"_PyObject_Call", "/lib/libpython3.11.so", "native", SC_CALL_PLUMBING, 0, 0, 1}},
    NATIVE("step", "task_step", "/x/_asyncio.cpython-311.so"),
    NATIVE("time_sleep", "time_sleep", "/lib/libpython3.11.so"),
    NATIVE("epoll_wait", "epoll_wait", "/lib/libc.so.6"),
    NATIVE("recv", "recv", "/lib/libc.so.6"),
    NATIVE("query", "query", "/x/_sqlite3.cpython-311.so"),
    NATIVE("uv_run", "Loop_run_forever", "/x/uvloop/loop.cpython-311.so"),
    NATIVE("uv_poll", "uv__io_poll", "/x/uvloop/loop.cpython-311.so"),
    NATIVE("uv_write", "write", "/x/uvloop/loop.cpython-311.so"),
    NATIVE("kernel", "[kernel]", "[kernel]"),
};

static struct sc_profile_frame frame_of(struct sc_profile *profile, const char *word)
{
    size_t length = strcspn(word, ":");
    if (word[length] == ':') {
        SC_AUTO_FREE char *name = sc_strndup(word, length);
        return (struct sc_profile_frame){.name = sc_intern_keep(&profile->texts, name),
                                         .file = "/p/a.py",
                                         .kind = "py",
                                         .line = (uint32_t)atoi(word + length + 1)};
    }
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
        if (strcmp(frames[i].word, word) == 0)
            return frames[i].frame;
    }
    fail_msg("no frame %s", word);
    return (struct sc_profile_frame){0};
}

/* The stacks of a text, one per line: the words of its frames, and its weight. */
static void add_stacks(struct sc_profile *profile, const char *text)
{
    SC_AUTO_FREE char *copy = sc_strdup(text);
    char *lines = NULL;
    for (char *line = strtok_r(copy, "\n", &lines); line != NULL;
         line = strtok_r(NULL, "\n", &lines)) {
        struct sc_profile_stack stack = {0};
        char *weight = strrchr(line, ' ');
        char *words = NULL;
        *weight++ = '\0';
        stack.count = (uint64_t)atoi(weight);
        for (char *word = strtok_r(line, " ", &words); word != NULL;
             word = strtok_r(NULL, " ", &words))
            sc_vec_push(&stack.frames, frame_of(profile, word));
        sc_vec_push(&profile->combined_stacks, stack);
    }
}

#define LOOP "main:9 forever once "
#define STEP LOOP "handle step "

/* Line 4 sleeps in the coroutine f, line 8 computes in g. */
static const char source[] = "import time, sqlite3\n"
                             "async def f():\n"
                             "    for i in x:\n"
                             "        time.sleep(1)\n"
                             "    db = sqlite3.connect('a')\n"
                             "    db.execute(q)\n"
                             "def g():\n"
                             "    return sum(x)\n"
                             "asyncio.run(f())\n";

struct world {
    struct sc_profile profile;
    struct sc_report report;
    struct sc_stacks stacks;
    struct sc_async async;
};

static void make(struct world *world, const char *stacks)
{
    *world = (struct world){.profile = {.elapsed_s = 10.0, .interval_s = 0.01}};
    world->profile.async_profile = true;
    world->profile.stacks_percent = 50.0;
    world->profile.time_s[SC_TIME_PYTHON] = 10.0;
    add_stacks(&world->profile, stacks);
    struct sc_file *file = fixture_source(&world->profile, "/p/a.py", source);
    fixture_function(file, "f", 2, 1.0, 2.0);
    fixture_function(file, "g", 7, 1.0, 2.0);
    file->functions.items[0].cost.is_coroutine = true;
    for (uint32_t i = 2; i <= 8; i++) {
        file->lines.items[i - 1].region.start_function_line = i < 7 ? 2 : 7;
        file->lines.items[i - 1].region.end_function_line = i < 7 ? 6 : 8;
    }
}

static void look(struct world *world)
{
    sc_report_init(&world->report, &world->profile, false);
    sc_stacks_init(&world->stacks, &world->profile);
    sc_async_init(&world->async, &world->report, &world->stacks);
}

static void world_done(struct world *world)
{
    sc_async_done(&world->async);
    sc_stacks_done(&world->stacks);
    sc_report_done(&world->report);
    sc_profile_done(&world->profile);
}

/* In percent: below the loop the program's own, libraries', the loop's; then idle, and without one.
 */
static void assert_parts(const struct world *world, double own, double library, double itself,
                         double idle, double none)
{
    assert_float_equal(world->async.parts[SC_LOOP_OWN], own, 1e-9);
    assert_float_equal(world->async.parts[SC_LOOP_LIBRARY], library, 1e-9);
    assert_float_equal(world->async.parts[SC_LOOP_ITSELF], itself, 1e-9);
    assert_float_equal(world->async.parts[SC_LOOP_IDLE], idle, 1e-9);
    assert_float_equal(world->async.parts[SC_LOOP_NONE], none, 1e-9);
}

/* Each block on a line: its function and what called it, its time of each kind, and its lines with
 * what they call and what they should instead. */
static void assert_blocks(const struct world *world, const char *expected)
{
    OWN(sc_str, text) = {0};
    for (size_t i = 0; i < world->async.blocks.count; i++) {
        const struct sc_async_block *block = &world->async.blocks.items[i];
        sc_str_add_format(&text, "%s:%u", block->name, block->lineno);
        if (block->coroutine != NULL)
            sc_str_add_format(&text, " of %s", block->coroutine);
        sc_str_add_format(&text, " %g%% %gs %g/%g/%g", block->percent, block->seconds,
                          block->kinds[SC_KIND_PYTHON], block->kinds[SC_KIND_NATIVE],
                          block->kinds[SC_KIND_SYSTEM]);
        for (size_t k = 0; k < block->lines.count; k++) {
            sc_str_add_format(&text, "; %u", block->lines.items[k].lineno);
            if (block->lines.items[k].call != NULL)
                sc_str_add_format(&text, " %s", block->lines.items[k].call);
            if (block->lines.items[k].instead != NULL)
                sc_str_add_format(&text, " -> %s", block->lines.items[k].instead);
        }
        sc_str_add_char(&text, '\n');
    }
    assert_string_equal(sc_str_text(&text), expected);
}

TEST(a_forked_process_does_not_begin_as_a_thread)
{
    assert_true(sc_begins_fork("BaseProcess._bootstrap", LIB "multiprocessing/process.py"));
    assert_true(sc_begins_fork("_bootstrap", LIB "multiprocessing/process.py")); /* 3.10 */
    assert_false(sc_begins_fork("_bootstrap", LIB "threading.py"));
    assert_false(sc_begins_fork("Process.run", LIB "multiprocessing/process.py"));
}

TEST(what_runs_below_the_loop_keeps_it)
{
    OWN(world, world);
    make(&world, STEP "f:4 time_sleep kernel 60\n" STEP "f:3 g:8 20\n"
                      "main:9 g:8 20\n");
    look(&world);
    assert_parts(&world, 40, 0, 0, 0, 10);
    assert_float_equal(world.async.loop_percent, 40.0, 1e-9);
    assert_blocks(&world, "f:2 30% 3s 0/0/30; 4 time.sleep -> await asyncio.sleep(...)\n"
                          "g:7 of f 10% 1s 10/0/0; 8\n");
    assert_int_equal(world.async.block_lines.count, 2);
    assert_string_equal(world.async.block_lines.items[0].place, "/p/a.py:4");
    assert_float_equal(world.async.block_lines.items[0].percent, 30.0, 1e-9);
}

TEST(a_line_below_two_coroutines_counts_once)
{
    OWN(world, world);
    make(&world, STEP "f:3 g:8 30\n" STEP "g:8 50\n" STEP "f:4 20\n");
    look(&world);
    assert_int_equal(world.async.blocks.count, 3);
    assert_int_equal(world.async.block_lines.count, 2);
    assert_int_equal(world.async.block_lines.items[0].lineno, 8);
    assert_float_equal(world.async.block_lines.items[0].percent, 40.0, 1e-9);
}

TEST(waiting_for_events_and_the_loop_itself_are_told_apart)
{
    OWN(world, world);
    make(&world, LOOP "select epoll_wait 10\n" LOOP "20\n" STEP "parse 30\n" STEP "release 40\n");
    look(&world);
    assert_blocks(&world, "");
    assert_parts(&world, 0, 15, 30, 5, 0);
}

TEST(other_threads_and_tasks_that_wait_do_not_keep_it)
{
    OWN(world, world);
    make(&world, "thread g:8 50\n" LOOP "awaits 50\n" STEP "f:4 bootstrap g:8 50\n");
    look(&world);
    assert_blocks(&world, "");
    assert_float_equal(world.async.loop_percent, 0.0, 1e-9);
}

TEST(a_loop_of_uvloop_is_native)
{
    OWN(world, world);
    make(&world, "main:9 uv_run f:4 time_sleep 50\n"
                 "main:9 uv_run g:8 uv_write 30\n"
                 "main:9 uv_run uv_poll epoll_wait kernel 20\n");
    look(&world);
    assert_parts(&world, 40, 0, 0, 10, 0);
    /* the loop has called g */
    assert_blocks(&world, "f:2 25% 2.5s 0/25/0; 4 time.sleep -> await asyncio.sleep(...)\n"
                          "g:7 15% 1.5s 0/15/0; 8 write\n");
}

TEST(a_loop_of_trio_has_its_own_words)
{
    OWN(world, world);
    make(&world, "main:9 trio f:4 time_sleep 50\n"
                 "main:9 trio trio_poll epoll_wait 30\n"
                 "main:9 trio f:3 trio_sleep 20\n");
    struct sc_line *last = &world.profile.files.items[0].lines.items[8];
    free(last->text);
    last->text = sc_strdup("trio.run(f)\n");
    look(&world);
    assert_parts(&world, 35, 0, 0, 15, 0);
    assert_int_equal(world.async.blocks.count, 1);
    assert_string_equal(world.async.blocks.items[0].lines.items[0].instead,
                        "await trio.sleep(...)");
}

TEST(calls_are_named_by_source_or_stacks)
{
    OWN(world, world);
    make(&world, STEP "f:6 call query 50\n" STEP "g:8 get recv 30\n" STEP "f:5 query 20\n");
    look(&world);
    assert_blocks(&world,
                  "f:2 35% 3.5s 0/35/0; 6 db.execute -> await asyncio.to_thread(...) around it; "
                  "5 sqlite3.connect -> await asyncio.to_thread(...) around it\n"
                  "g:7 15% 1.5s 0/15/0; 8 requests.api.get -> await a client for asyncio (httpx, "
                  "aiohttp)\n");
}

/* All of the time in the line itself, or in a library that is called beside the sleep. */
TEST(a_blocking_name_does_not_excuse_a_computation)
{
    static const struct {
        const char *stack, *block;
    } cases[] = {{STEP "f:4 50\n", "f:2 50% 5s 50/0/0; 4\n"},
                 {STEP "f:4 loads 50\n", "f:2 50% 5s 50/0/0; 4 json.loads\n"}};
    FOR_EACH(row, cases) {
        OWN(world, world);
        make(&world, row->stack);
        look(&world);
        assert_blocks(&world, row->block);
    }
}

static void set_await(struct sc_cost *cost, double percent, double mean, double peak)
{
    cost->async_await_percent = percent;
    cost->async_concurrency_mean = mean;
    cost->async_concurrency_peak = peak;
}

TEST(waits_are_listed_by_function_with_their_lines)
{
    OWN(world, world);
    make(&world, "");
    struct sc_file *file = &world.profile.files.items[0];
    world.profile.await_s = 60.0;
    set_await(&file->functions.items[0].cost, 80.0, 4.0, 5.0);
    set_await(&file->lines.items[3].cost, 30.0, 2.0, 3.0);
    set_await(&file->lines.items[5].cost, 50.0, 3.0, 5.0);
    set_await(&file->lines.items[8].cost, 20.0, 1.0, 1.0); /* in no function */
    sc_vec_push(&file->lines.items[5].cost.async_task_names, sc_strdup("fetch"));
    look(&world);
    assert_int_equal(world.async.waits.count, 2);
    const struct sc_async_wait *wait = &world.async.waits.items[0];
    assert_string_equal(wait->name, "f");
    assert_float_equal(wait->percent, 80.0, 1e-9);
    assert_float_equal(wait->seconds, 48.0, 1e-9);
    assert_float_equal(wait->lines.items[0].seconds, 30.0, 1e-9);
    assert_float_equal(wait->cost->async_concurrency_mean, 4.0, 1e-9);
    assert_int_equal(wait->lines.count, 2);
    assert_int_equal(wait->lines.items[0].line->lineno, 6);
    assert_string_equal(wait->lines.items[0].tasks, "fetch");
    wait = &world.async.waits.items[1];
    assert_string_equal(wait->name, "");
    assert_null(wait->cost);
    assert_float_equal(wait->percent, 20.0, 1e-9);
}

/* Of names with blanks between them. */
static char *words_of(const char *text)
{
    SC_AUTO_FREE char *copy = sc_strdup(text);
    char *names[16];
    size_t count = 0;
    char *rest = NULL;
    for (char *name = strtok_r(copy, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest))
        names[count++] = name;
    return sc_async_task_words(names, count);
}

TEST(names_of_tasks_are_few_words)
{
    SC_AUTO_FREE char *words = words_of("Task-10 Task-2 Task-3 Task-4 Task-x main");
    assert_string_equal(words, "Task-x, main, 4 of Task-2 to Task-10");
    SC_AUTO_FREE char *less = words_of("a b c d e f Task-1 Task-3");
    assert_string_equal(less, "a, b, c, d, e and 3 more");
    SC_AUTO_FREE char *ranges = words_of("get-9 get-10 get-11 put-1 Task-4 Task-5");
    assert_string_equal(ranges, "get-9 to get-11, put-1, Task-4 to Task-5");
    SC_AUTO_FREE char *none = words_of("");
    assert_string_equal(none, "");
}
