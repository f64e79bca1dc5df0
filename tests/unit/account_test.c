/*
 * tests/unit/account_test.c - what is charged where, when records of a thread without Python frames
 * come: every stack ends in what its time was spent on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/sample/account.h"

#include "channel/writer.h"
#include "observer/lifecycle/records.h"
#include "observer/process/threads.h"
#include "observer/sample/preemption.h"
#include "observer/sample/stack.h"
#include "watched_process.h"

#define FUNCTION  UINT64_C(0x7000000000)
#define HOST_LINE 10

#define TIME_NS(world, node, kind)                                                                 \
    (sc_collect_cost(&(world).watched->collect, (node))->time_ns[(kind)])

enum { MAIN, SHORT, MISSED, THREADS };

struct world {
    struct watched *watched;
    struct sc_symbols *symbols;
    struct sc_charge_young young;
    uint32_t host; /* the line that waits for the others */
};

static void know_function(struct world *world)
{
    struct sc_native *native = &world->watched->process.stacks.native;
    uint32_t code = sc_collect_native(&world->watched->collect, "/m", 0);
    sc_map_put(&native->by_address, FUNCTION, (uint32_t)native->known.count);
    sc_vec_push(&native->known, (struct sc_native_frame){.code = code});
}

/* The main thread waits at a line for two others, which have not lived for long. */
static void world_init(struct world *world)
{
    *world = (struct world){.watched = watched_new(), .symbols = sc_symbols_new(NULL)};
    struct watched *watched = world->watched;
    struct sc_process *process = &watched->process;
    process->classifier =
        sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL, &process->facts, NULL);
    assert_non_null(process->classifier);
    process->stacks.native = (struct sc_native){
        .collect = &watched->collect,
        .symbols = world->symbols,
        .generation = sc_modules_generation(sc_classifier_modules(process->classifier))};
    process->young = &world->young;
    process->reader.segment = mmap(NULL, sizeof(struct sc_segment), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(process->reader.segment != MAP_FAILED);
    know_function(world);
    world->host = sc_collect_frame(
        &watched->collect, 0, sc_collect_code(&watched->collect, "/w/a.py", "f", 1), HOST_LINE);
    for (int i = 0; i < THREADS; i++) {
        struct sc_watched_thread *thread = sc_process_thread(process, getpid() + i);
        if (i != MAIN)
            sc_charge_begin_life(&thread->charge, SC_LIFE_OF_THREAD, 0);
    }
    struct sc_charge_thread *main = &process->threads.items[MAIN].charge;
    main->is_main = main->has_python = main->blocked = true;
    main->blocked_cause = SC_WAIT_LOCK;
    main->blocked_node = world->host;
}

static void world_done(struct world *world)
{
    struct sc_process *process = &world->watched->process;
    sc_reader_close(&process->reader);
    sc_native_done(&process->stacks.native);
    sc_classifier_free(process->classifier);
    sc_kept_stacks_done(&process->stacks.kept);
    sc_map_done(&process->threads.index);
    watched_free(world->watched);
    sc_symbols_free(world->symbols);
    sc_charge_young_done(&world->young);
}

/* Without Python frames, after so much CPU time. */
static void send_bare(struct world *world, uint64_t cpu_ns, uint16_t flags, bool has_function)
{
    struct {
        struct sc_record_sample record;
        uint64_t address;
    } sent = {.record = {.time_ns = NOW,
                         .cpu_ns = cpu_ns,
                         .tid = (uint32_t)(getpid() + SHORT),
                         .flags = flags,
                         .kept_place = SC_KEPT_NOWHERE,
                         .address_count = has_function},
              .address = FUNCTION};
    size_t header = sizeof(struct sc_record_header);
    size_t size = sizeof(sent.record) + (has_function ? sizeof(sent.address) : 0);
    void *record = sc_ring_reserve(world->watched->process.reader.segment, size);
    assert_non_null(record);
    memcpy((char *)record + header, (char *)&sent + header, size - header);
    sc_ring_commit(record, SC_RECORD_SAMPLE, size);
    sc_records_drain(&world->watched->process);
}

/* Of time that other threads worked natively for a line. */
static uint64_t parallel_ns(const struct sc_collect *collect)
{
    uint64_t sum_ns = 0;
    for (uint32_t i = 1; i < collect->nodes.count; i++) {
        const struct sc_stack_node *node = &collect->nodes.items[i];
        if (node->cost == SC_NONE ||
            collect->costs.items[node->cost].time_ns[SC_TIME_PARALLEL] == 0)
            continue;
        const struct sc_code *code = &collect->codes.items[node->code];
        assert_true(sc_collect_is_native(collect, i));
        assert_string_not_equal(sc_intern_text(&collect->names, code->file), SC_MODULE_KERNEL);
        sum_ns += collect->costs.items[node->cost].time_ns[SC_TIME_PARALLEL];
    }
    return sum_ns;
}

TEST(a_short_life_stands_for_others_as_its_own_time_does)
{
    const struct {
        const char *name;
        uint16_t flags;
        bool has_function;
        bool is_from_outside;
    } rows[] = {
        {"in a function", 0, true, false},
        {"in a system call that a function makes", SC_SAMPLE_IN_SYSTEM_CALL, true, false},
        {"in a system call", SC_SAMPLE_IN_SYSTEM_CALL, false, false},
        {"nowhere that is known", 0, false, false},
        {"read from outside", 0, false, true},
    };
    FOR_EACH_ROW(row, rows) {
        WORLD(world);
        struct sc_process *process = &world.watched->process;
        if (row->is_from_outside) {
            const struct sc_outside seen = {.kind = SC_SAMPLE_KERNEL};
            sc_account_outside(process, &process->threads.items[SHORT], &seen, NOW, MS);
        } else {
            send_bare(&world, MS, row->flags, row->has_function);
        }
        sc_account_over(process, &process->threads.items[SHORT], 2 * MS);
        sc_account_over(process, &process->threads.items[MISSED], 4 * MS);
        assert_int_equal(parallel_ns(&world.watched->collect), MS);
        sc_account_young(&world.young, &world.watched->collect);
        assert_int_equal(parallel_ns(&world.watched->collect), 6 * MS);
        sc_account_young_back(&world.young, &world.watched->collect);
        assert_int_equal(parallel_ns(&world.watched->collect), MS);
    }
}

/* A thread that has Python frames at a line of its own; it was kept from a CPU until the tick. */
static void sample_at(struct world *world, uint32_t line, uint64_t cpu_ns)
{
    struct sc_process *process = &world->watched->process;
    struct sc_watched_thread *thread = &process->threads.items[SHORT];
    const struct sc_outside seen = {.node = line, .kind = SC_SAMPLE_PYTHON};
    sc_account_outside(process, thread, &seen, NOW + cpu_ns, cpu_ns);
}

static void keep_from_cpu(struct world *world, uint64_t ns)
{
    struct sc_process *process = &world->watched->process;
    process->gap.polled_ns += ns;
    sc_preemption_charge(process, &process->threads.items[SHORT], ns);
}

static uint64_t preempted_ns(const struct world *world, uint32_t line)
{
    const struct sc_collect *collect = &world->watched->collect;
    const struct sc_stack_node *node = &collect->nodes.items[line];
    return node->cost == SC_NONE
               ? 0
               : collect->costs.items[node->cost].time_ns[SC_TIME_PREEMPTED_PYTHON];
}

/* The first sample of a thread says as little of what it does as any other one, and it may be long
 * until the second comes where others want the CPUs. */
TEST(what_a_thread_lacks_a_cpu_at_its_beginning_is_not_the_first_samples)
{
    enum { FIRST_TICKS = 10, CUT_SHORT = 2 };
    for (uint32_t samples = CUT_SHORT; samples <= SC_RECENT_SAMPLES; samples += 14) {
        WORLD(world);
        struct sc_process *process = &world.watched->process;
        uint32_t code = sc_collect_code(&world.watched->collect, "/w/a.py", "g", 20);
        uint32_t first = sc_collect_frame(&world.watched->collect, 0, code, 21);
        uint32_t next = sc_collect_frame(&world.watched->collect, 0, code, 22);
        process->gap.polled_ns = NOW;
        sample_at(&world, first, MS);
        for (int i = 0; i < FIRST_TICKS; i++)
            keep_from_cpu(&world, 16 * MS);
        assert_int_equal(preempted_ns(&world, first), 0);
        for (uint32_t i = 2; i <= samples; i++)
            sample_at(&world, next, i * MS);
        if (samples < SC_RECENT_SAMPLES) { /* its life ends before there are enough */
            assert_int_equal(preempted_ns(&world, first), 0);
            sc_account_over(process, &process->threads.items[SHORT], samples * MS);
        }
        assert_int_equal(preempted_ns(&world, first), FIRST_TICKS * 16 * MS / samples);
        assert_int_equal(preempted_ns(&world, next),
                         FIRST_TICKS * 16 * MS * (samples - 1) / samples);
        if (samples == SC_RECENT_SAMPLES) { /* what comes now is shared at once */
            keep_from_cpu(&world, 16 * MS);
            assert_int_equal(preempted_ns(&world, first), (FIRST_TICKS + 1) * 16 * MS / samples);
        }
    }
}

/* So many gaps before there are enough samples are kept, and no more. */
TEST(what_is_owed_has_a_bound)
{
    WORLD(world);
    struct sc_process *process = &world.watched->process;
    uint32_t line =
        sc_collect_frame(&world.watched->collect, 0,
                         sc_collect_code(&world.watched->collect, "/w/a.py", "g", 20), 21);
    process->gap.polled_ns = NOW;
    sample_at(&world, line, MS);
    for (uint32_t i = 0; i < SC_OWED_GAPS_MAX; i++)
        keep_from_cpu(&world, MS);
    assert_int_equal(preempted_ns(&world, line), 0);
    keep_from_cpu(&world, MS);
    assert_int_equal(preempted_ns(&world, line), MS);
    assert_int_equal(process->threads.items[SHORT].owed.list.count, SC_OWED_GAPS_MAX);
    sc_account_over(process, &process->threads.items[SHORT], MS);
    assert_int_equal(preempted_ns(&world, line), (SC_OWED_GAPS_MAX + 1) * MS);
}

static uint64_t lacked_ns(const struct world *world, uint32_t node)
{
    node = sc_stack_spent(&world->watched->process, node, SC_TIME_PREEMPTED_NATIVE);
    return TIME_NS(*world, node, SC_TIME_PREEMPTED_NATIVE);
}

TEST(a_native_thread_lacks_a_cpu_for_the_line_it_works_for)
{
    WORLD(world);
    struct sc_charge_thread *native = &world.watched->process.threads.items[SHORT].charge;
    uint32_t before =
        sc_collect_frame(&world.watched->collect, 0,
                         sc_collect_code(&world.watched->collect, "/w/a.py", "f", 1), 11);
    *native = (struct sc_charge_thread){
        .sampled_ns = NOW - MS, .sampled_bare = true, .sampled_node = before};
    keep_from_cpu(&world, 3 * MS);
    assert_int_equal(lacked_ns(&world, before), 3 * MS);
    native->sampled_node = 0; /* no line was found when it was sampled */
    keep_from_cpu(&world, 4 * MS);
    assert_int_equal(lacked_ns(&world, world.host), 4 * MS);
}

/* At its end no tick comes any more for which that time could stand. */
TEST(what_no_sample_stood_for_is_shared_among_the_last_ones)
{
    WORLD(world);
    struct sc_process *process = &world.watched->process;
    struct sc_collect *collect = &world.watched->collect;
    struct sc_watched_thread *thread = &process->threads.items[MAIN];
    uint32_t code = sc_collect_code(collect, "/w/a.py", "g", 20);
    uint32_t lines[] = {sc_collect_frame(collect, 0, code, 21),
                        sc_collect_frame(collect, 0, code, 22)};
    for (uint32_t i = 1; i <= 4; i++) {
        const struct sc_outside seen = {.node = lines[i == 4], .kind = SC_SAMPLE_PYTHON};
        sc_account_outside(process, thread, &seen, NOW + i * MS, i * MS);
    }
    thread->charge.owed_ns = 8 * MS;
    sc_account_over(process, thread, 4 * MS);
    assert_int_equal(TIME_NS(world, lines[0], SC_TIME_PYTHON), (3 + 6) * MS);
    assert_int_equal(TIME_NS(world, lines[1], SC_TIME_PYTHON), (1 + 2) * MS);
    assert_int_equal(collect->threads.items[thread->account].cpu_ns, 12 * MS);
    assert_int_equal(thread->charge.owed_ns, 0);
}

/* It was used before, and profiling was switched off meanwhile. */
TEST(what_is_owed_at_a_pause_is_not_lost_at_the_end)
{
    WORLD(world);
    struct sc_process *process = &world.watched->process;
    struct sc_collect *collect = &world.watched->collect;
    struct sc_watched_thread *thread = &process->threads.items[MAIN];
    uint32_t line = sc_collect_frame(collect, 0, sc_collect_code(collect, "/w/a.py", "g", 20), 21);
    const struct sc_outside seen = {.node = line, .kind = SC_SAMPLE_PYTHON};
    sc_account_outside(process, thread, &seen, NOW + MS, MS);
    thread->charge.owed_ns = 6 * MS;
    process->is_skipped = true;
    sc_account_over(process, thread, 9 * MS);
    assert_int_equal(TIME_NS(world, line, SC_TIME_PYTHON), (1 + 6) * MS);
}
