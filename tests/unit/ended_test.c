/*
 * tests/unit/ended_test.c - what is kept of processes that have ended, in a run with very many.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/lifecycle/ended.h"

#include "observer/lifecycle/process_life.h"
#include "sc_test.h"

#define S ((uint64_t)1000000000)

enum { KEPT = 3, ROOT = 100 };

static struct sc_observation seen;

/* An ended process of 1 s of CPU time and 10 samples. */
static struct sc_process *add_process(void)
{
    struct sc_process *process = sc_alloc(1, sizeof(*process));
    uint64_t serial = seen.followed_count++;
    *process = (struct sc_process){
        .pid = ROOT + (pid_t)serial,
        .parent_pid = ROOT,
        .names = {.numbers = {.count = 1, .numbers = {ROOT + (pid_t)serial}}},
        .serial = (uint32_t)serial,
        .counts = {.samples = 10, .losses[0] = 1},
        .charge = {.begun = true,
                   .begun_ns = (5 + serial) * S,
                   .charged_cpu_ns = 3 * S,
                   .begun_cpu_ns = 2 * S},
        .ending = {.is_over = true, .status_fd = -1, .ended_ns = (20 + serial) * S, .cpu_ns = S},
        .memory.pages.fd = -1,
    };
    sc_vec_push(&seen.processes, process);
    sc_tree_add_process(&seen.tree, &process->names, NULL, process->serial);
    return process;
}

static void add_passing(void)
{
    struct sc_process *process = add_process();
    process->is_forked = process->program.is_replaced = true;
    process->counts.samples = 0;
}

static void begin(void)
{
    seen = (struct sc_observation){.pid = ROOT};
    struct sc_process *root = add_process();
    root->parent_pid = 1;
    root->is_root = true;
    root->ending.is_over = false;
}

static void done(void)
{
    for (size_t i = 0; i < seen.processes.count; i++)
        sc_process_free(seen.processes.items[i]);
    sc_vec_done(&seen.processes);
    sc_tree_done(&seen.tree);
}

TEST(many_that_ended_become_one_sum)
{
    begin();
    for (int i = 0; i < 1000; i++) {
        add_process()->looks.waiting = 2;
        sc_observation_sum_ended(&seen, KEPT, (40 + (uint64_t)i) * S);
        assert_true(seen.processes.count < 30);
    }
    sc_observation_sum_ended(&seen, KEPT, 5000 * S);
    assert_int_equal(seen.processes.count, KEPT + 1);
    assert_int_equal(seen.tree.numbers.count, KEPT + 1);
    const struct sc_process *sum = seen.processes.items[KEPT];
    assert_int_equal(sum->summed_count, 1000 - (KEPT - 1));
    assert_int_equal(sum->counts.samples, 10 * sum->summed_count);
    assert_int_equal(sum->counts.losses[0], sum->summed_count);
    assert_int_equal(sum->looks.waiting, 2 * sum->summed_count);
    assert_int_equal(sum->charge.charged_cpu_ns - sum->charge.begun_cpu_ns, S * sum->summed_count);
    assert_int_equal(sum->charge.begun_ns, (5 + KEPT) * S);
    assert_int_equal(sum->ending.ended_ns, (20 + 1000) * S);
    assert_true(sc_process_own_cpu_s(sum) > 997.5 && sc_process_own_cpu_s(sum) < 998.5);
    done();
}

TEST(what_is_still_needed_stays)
{
    begin();
    for (int i = 1; i < KEPT; i++)
        add_process();
    add_process()->ending.is_over = false;
    add_process()->memory.is_kept = true;
    add_process()->ending.status_fd = 1000;
    add_process()->ending.ended_ns = 58 * S;
    sc_observation_sum_ended(&seen, KEPT, 60 * S);
    assert_int_equal(seen.processes.count, KEPT + 4);
    for (size_t i = 0; i < seen.processes.count; i++) {
        assert_int_equal(seen.processes.items[i]->serial, i);
        assert_int_equal(seen.processes.items[i]->summed_count, 0);
    }
    seen.processes.items[KEPT + 1]->memory.is_kept = false;
    seen.processes.items[KEPT + 2]->ending.status_fd = -1;
    done();
}

/* Forked only to execute something: it has no row, and its time is in its parent's. */
TEST(the_time_of_passing_children_is_their_parents)
{
    begin();
    for (int i = 0; i < 5; i++)
        add_passing();
    sc_observation_sum_ended(&seen, KEPT, 60 * S);
    assert_int_equal(seen.processes.count, 2);
    assert_true(seen.processes.items[0]->passing_cpu_s > 4.9);
    assert_true(seen.processes.items[0]->passing_cpu_s < 5.1);
    assert_int_equal(seen.processes.items[1]->summed_count, 5);
    done();
}

TEST(what_agents_told_of_devices_is_of_all)
{
    begin();
    for (int i = 1; i < KEPT; i++)
        add_process();
    add_process()->devices = (struct sc_devices){.states = 1U << SC_GPU_TRACING, .version = 12090};
    add_process()->devices =
        (struct sc_devices){.states = 1U << SC_GPU_TAKEN, .version = 11080, .has_worked = true};
    add_process()->devices = (struct sc_devices){.states = 1U << SC_GPU_REFUSED, .refusal = 35};
    sc_observation_sum_ended(&seen, KEPT, 60 * S);
    assert_int_equal(seen.processes.count, KEPT + 1);
    const struct sc_devices *merged = &seen.processes.items[KEPT]->devices;
    assert_int_equal(merged->states, 1 << SC_GPU_TRACING | 1 << SC_GPU_TAKEN | 1 << SC_GPU_REFUSED);
    assert_int_equal(merged->version, 12090);
    assert_int_equal(merged->refusal, 35);
    assert_true(merged->has_worked);
    done();
}

TEST(nothing_points_to_one_that_is_forgotten)
{
    begin();
    for (int i = 1; i < KEPT + 2; i++)
        add_process();
    struct sc_process *child = add_process();
    child->ending.is_over = false;
    child->root = seen.processes.items[KEPT + 1];
    sc_observation_sum_ended(&seen, KEPT, 60 * S);
    assert_int_equal(seen.processes.count, KEPT + 2);
    assert_null(child->root);
    done();
}

/* Notes name the process that they are about, also when it was summed up. */
TEST(a_sum_names_who_was_refused)
{
    begin();
    for (int i = 1; i < KEPT; i++)
        add_process();
    add_passing();
    add_process()->refused.maps = true;
    struct sc_process *sealed = add_process();
    sealed->counts.sealed_ns = 7 * S;
    sealed->known_ns = 3 * S;
    sc_observation_sum_ended(&seen, KEPT, 60 * S);
    const struct sc_process *sum = seen.processes.items[KEPT];
    assert_int_equal(sum->summed_count, 3);
    assert_true(sum->refused.maps && !sum->program.is_replaced);
    assert_int_equal(sum->counts.sealed_ns, 7 * S);
    assert_int_equal(sum->pid, ROOT + KEPT + 2);
    assert_int_equal(sum->known_ns, 3 * S);
    done();
}
