/*
 * tests/unit/awaiting_test.c - when the tasks of a process are looked at, and what is charged while
 * they are not.
 *
 * What a look reads is tested by tests/layout/test_tasks.py.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/awaiting.h"

#include "observer/process/process.h"
#include "observer/system/procfs.h"
#include "sc_test.h"

#define MS  ((uint64_t)1000000)
#define NOW (100000 * MS)
#define CPU (700 * MS)

/* Two tasks that wait on one line since NOW, when the last look was made. */
struct world {
    struct sc_collect collect;
    struct sc_scope scope;
    struct sc_owners owners;
    struct sc_awaits awaits;
    struct sc_remote tasks;
    struct sc_process process;
    struct sc_awaiting *awaiting;
    uint32_t node;
};

static bool read_nothing(void *context, uint64_t address, void *bytes, size_t length)
{
    return false;
}

static void world_init(struct world *world)
{
    *world = (struct world){.scope = {.root_dir = "/nowhere"}};
    sc_collect_init(&world->collect, 0, 0);
    sc_owners_init(&world->owners, &world->collect, &world->scope);
    sc_awaits_init(&world->awaits, &world->owners);
    uint32_t code = sc_collect_code(&world->collect, "/nowhere/a.py", "main", 1);
    world->node = sc_collect_frame(&world->collect, 0, code, 10);
    struct sc_process *process = &world->process;
    process->stacks.target.read = read_nothing;
    process->collect = &world->collect;
    process->charge.begun_ns = NOW - 1000 * MS;
    process->gap.polled_cpu_ns = CPU;
    process->tasks.awaiting = world->awaiting =
        sc_awaiting_new(&world->awaits, &world->tasks, NULL);
    struct sc_await_look *look = &world->awaiting->looks[world->awaiting->current];
    sc_awaits_begin(look);
    for (int i = 0; i < 2; i++)
        sc_awaits_count(look, sc_awaits_place(&world->awaits, world->node));
    sc_awaits_finish(&world->awaits, look, 1);
    world->awaiting->is_found = true;
    world->awaiting->charged_ns = NOW;
    world->awaiting->look_cpu_ns = CPU;
    world->awaiting->stride = 1;
}

static void world_done(struct world *world)
{
    sc_awaiting_free(world->awaiting);
    sc_remote_done(&world->tasks);
    sc_awaits_done(&world->awaits);
    sc_owners_done(&world->owners);
    sc_collect_done(&world->collect);
    sc_remote_done(&world->process.stacks.remote);
}

static uint64_t awaited_ms(struct world *world, uint32_t node)
{
    return (uint64_t)world->awaits.lines.items[sc_awaits_place(&world->awaits, node).line]
               .await_ns /
           MS;
}

struct row {
    const char *name;
    uint64_t cpu_ns;  /* on the process's clock, beside CPU */
    uint64_t next_ns; /* no look before, beside NOW */
    uint64_t passed_ms;
    bool is_forbidden;
    bool is_looking; /* a look is being made, in parts */
    bool is_lost;    /* asyncio was never found */
    bool has_none;
    uint64_t tick_ms; /* of both tasks, after a tick */
    uint64_t end_ms;  /* after the end instead */
};

static const struct row rows[] = {
    {.name = "it has not run: they still wait there", .passed_ms = 10, .tick_ms = 20, .end_ms = 20},
    {.name = "no time has passed"},
    ROW(.name = "it has run, and the next look is not paid for: later", .cpu_ns = 1,
        .next_ns = 11 * MS, .passed_ms = 10, .end_ms = 10),
    ROW(.name = "it may not be looked at any more: half of what was seen", .cpu_ns = 1,
        .passed_ms = 10, .is_forbidden = true, .end_ms = 10),
    ROW(.name = "while a look is made nothing is charged", .passed_ms = 10, .is_forbidden = true,
        .is_looking = true, .end_ms = 20),
    {.name = "it has no asyncio", .passed_ms = 10, .is_lost = true},
    {.name = "no await time is wanted", .passed_ms = 10, .has_none = true},
};

TEST(what_was_seen_holds_while_nothing_runs)
{
    for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i / 2];
        bool is_end = i % 2 == 1;
        (void)printf("  %s%s\n", row->name, is_end ? ": its end" : "");
        WORLD(world);
        world.process.gap.polled_cpu_ns += row->cpu_ns;
        world.awaiting->next_ns = NOW + row->next_ns;
        world.awaiting->is_forbidden = row->is_forbidden;
        world.awaiting->is_looking = row->is_looking;
        world.awaiting->is_found = !row->is_lost;
        if (row->has_none)
            world.process.tasks.awaiting = NULL;
        for (int again = 0; again < 2; again++) { /* no time is charged twice */
            if (is_end)
                sc_awaiting_end(&world.process, NOW + row->passed_ms * MS);
            else
                sc_awaiting_poll(&world.process, NOW + row->passed_ms * MS);
        }
        assert_int_equal(awaited_ms(&world, world.node), is_end ? row->end_ms : row->tick_ms);
    }
}

TEST(what_is_skipped_is_charged_to_no_line)
{
    WORLD(world);
    world.awaiting->is_looking = true;
    sc_awaiting_skip(&world.process, NOW + 50 * MS);
    assert_false(world.awaiting->is_looking); /* what was read until then is old */
    assert_int_equal(awaited_ms(&world, world.node), 0);
    world.awaiting->is_forbidden = true; /* it is looked at anew, if that can be */
    sc_awaiting_poll(&world.process, NOW + 60 * MS);
    assert_int_equal(awaited_ms(&world, world.node), 0);
    sc_awaiting_end(&world.process, NOW + 60 * MS);
    assert_int_equal(awaited_ms(&world, world.node), 10);
}

/* A process that stands still. Returns what its clock says. */
static uint64_t start_still(pid_t *ret_pid)
{
    uint64_t cpu_ns = 0;
    *ret_pid = fork();
    if (*ret_pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* when a check fails */
        (void)raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(*ret_pid, NULL, WUNTRACED), *ret_pid);
    assert_true(sc_process_cpu(*ret_pid, &cpu_ns));
    return cpu_ns;
}

struct still_row {
    const char *name;
    bool ran; /* while it was looked at */
    uint64_t here_ms, there_ms;
    uint64_t change_ms;
};

/* Two tasks waited here; the process ran 20 ms later and then stood still. After another 80 ms a
 * look sees one of them wait there. */
static const struct still_row still_rows[] = {
    {"it stood still: what is seen is so since it last ran", false, 20, 90, 10},
    {"it ran meanwhile: half of the time for what is seen", true, 100, 50, 50},
};

TEST(what_is_seen_holds_since_the_process_last_ran)
{
    FOR_EACH_ROW(row, still_rows) {
        WORLD(world);
        struct sc_process *process = &world.process;
        struct sc_awaiting *awaiting = world.awaiting;
        uint64_t still_cpu_ns = start_still(&process->pid);
        awaiting->next_ns = NOW + 100 * MS;
        process->gap.ran = true;
        process->gap.polled_cpu_ns = still_cpu_ns;
        sc_awaiting_poll(process, NOW + 20 * MS);
        process->gap.ran = false;
        sc_awaiting_poll(process, NOW + 30 * MS);

        /* all of the look but its end */
        struct sc_await_look *look = &awaiting->looks[1 - awaiting->current];
        uint32_t code = world.collect.nodes.items[world.node].code;
        uint32_t there = sc_collect_frame(&world.collect, 0, code, 20);
        sc_awaits_begin(look);
        sc_awaits_count(look, sc_awaits_place(&world.awaits, there));
        sc_task_lanes_add(&world.awaits.lanes, process->pid, 1, "task", there, NOW);
        awaiting->is_looking = true;
        awaiting->look_cpu_ns = row->ran ? still_cpu_ns - 1 : still_cpu_ns;
        sc_awaiting_poll(process, NOW + 100 * MS);

        assert_false(awaiting->is_looking);
        assert_int_equal(awaited_ms(&world, world.node), row->here_ms);
        assert_int_equal(awaited_ms(&world, there), row->there_ms);
        const struct sc_task_lane *lane = sc_task_lanes_find(&world.awaits.lanes, process->pid, 1);
        assert_int_equal(lane->runs.items[0].begin_ns, NOW + row->change_ms * MS);
        assert_int_equal(lane->runs.items[0].end_ns, NOW + 100 * MS);
        (void)kill(process->pid, SIGKILL);
        (void)waitpid(process->pid, NULL, 0);
    }
}

struct pace_row {
    const char *name;
    uint64_t cost_ns, last_cost_ns;
    bool has_new;
    bool is_last; /* the cost of the look before decides */
};

static const struct pace_row pace_rows[] = {
    {"a look is to cost a fiftieth of the time", 200 * MS, 5 * MS, false, false},
    {"naming a new stack is not paid again", 200 * MS, 5 * MS, true, true},
    {"the first look is at new stacks", 200 * MS, 0, true, true},
    {"the look before was dear, too", 5 * MS, 200 * MS, true, false},
};

TEST(the_cost_of_a_look_decides_when_the_next_may_come)
{
    FOR_EACH_ROW(row, pace_rows) {
        WORLD(world);
        struct sc_awaiting *awaiting = world.awaiting;
        awaiting->is_looking = true;
        awaiting->cost_ns = row->cost_ns;
        awaiting->last_cost_ns = row->last_cost_ns;
        awaiting->stacks = world.collect.nodes.count - row->has_new;
        sc_awaiting_poll(&world.process, NOW + MS);
        uint64_t cost_ns = row->is_last ? row->last_cost_ns : awaiting->cost_ns;
        assert_int_equal(awaiting->next_ns, NOW + MS + 50 * cost_ns);
    }
}

struct find_row {
    const char *name;
    uint64_t age_ns;
    uint64_t next_ns; /* after now */
};

static const struct find_row find_rows[] = {
    {"at once", 0, 0},
    {"a twentieth of its age later", 1000 * MS, 50 * MS},
    {"of 10 seconds", 10000 * MS, 500 * MS},
    {"but after half a second at the latest", 60000 * MS, 500 * MS},
};

TEST(asyncio_is_looked_for_now_and_then)
{
    FOR_EACH_ROW(row, find_rows) {
        WORLD(world);
        world.awaiting->is_found = false;
        world.awaiting->look_cpu_ns = UINT64_MAX;
        world.process.charge.begun_ns = NOW - row->age_ns;
        sc_awaiting_poll(&world.process, NOW);
        assert_int_equal(world.awaiting->next_ns, NOW + row->next_ns);
        assert_int_equal(world.awaiting->look_cpu_ns, CPU);
        /* not while it does not run, */
        sc_awaiting_poll(&world.process, NOW + MS);
        assert_int_equal(world.awaiting->next_ns, NOW + row->next_ns);
        assert_int_equal(world.awaiting->charged_ns, NOW + MS); /* still no task can wait */
        /* nor before that, */
        if (row->next_ns > 0) {
            world.process.gap.polled_cpu_ns = CPU + 1;
            sc_awaiting_poll(&world.process, NOW + row->next_ns - 1);
            assert_int_equal(world.awaiting->look_cpu_ns, CPU);
            assert_int_equal(world.awaiting->charged_ns, NOW + MS);
        }
        /* nor where it cannot be read */
        world.process.gap.polled_cpu_ns = CPU + 2;
        world.process.stacks.remote.forbidden = true;
        sc_awaiting_poll(&world.process, NOW + 5000 * MS);
        assert_int_equal(world.awaiting->look_cpu_ns, CPU);
        world.process.stacks.remote.forbidden = false;
        sc_awaiting_poll(&world.process, NOW + 5000 * MS);
        assert_int_equal(world.awaiting->look_cpu_ns, CPU + 2);
        assert_int_equal(world.awaiting->charged_ns, NOW + 5000 * MS);
    }
}

TEST(a_forked_process_knows_the_tasks_that_are_its_parents)
{
    WORLD(world);
    for (uint64_t key = 5; key < 8; key++)
        sc_vec_push(&world.awaiting->seen, key);
    struct sc_awaiting *child = sc_awaiting_new(&world.awaits, &world.tasks, &world.process);
    for (uint64_t key = 5; key < 8; key++)
        assert_int_not_equal(sc_map_get(&child->inherited, key), SC_NONE);
    assert_int_equal(sc_map_get(&child->inherited, 8), SC_NONE);
    sc_awaiting_free(child);
    sc_awaiting_free(NULL);
}
