/*
 * tests/unit/charge_test.c - what is charged where, as tables: books, what comes, what is expected.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "charge_fixture.h"
#include "observer/charge/long_call.h"

struct sample_row {
    const char *name;
    struct sc_charge_process process;
    struct sc_charge_thread thread;
    struct sc_charge_sample sample;
    struct sc_charges charges;
    /* the books afterwards */
    uint64_t thread_ns;
    uint64_t process_ns;
    uint64_t sampled_ns;
    uint64_t hostless_ns;
};

/* In ms, of moments since user code begins: the process with the CPU time that is charged; a sample
 * with its thread's CPU time; what is charged; the books of the thread and the process afterwards.
 */
#define PROCESS(charged)                                                                           \
    .process = {                                                                                   \
        .interval_ns = MS, .begun = true, .begun_ns = BEGUN, .charged_cpu_ns = MS * (charged)}
#define SAMPLE(at, used, ...)                                                                      \
    .sample = {.time_ns = BEGUN + MS * (at), .cpu_ns = MS * (used), __VA_ARGS__}
#define CHARGED_MS(at, what, since, until)                                                         \
    CHARGED(at, what, BEGUN + MS * (since), BEGUN + MS * (until))
#define SPAN_MS(at, since, until) SPAN(at, BEGUN + MS * (since), BEGUN + MS * (until))
#define BOOKED(thread, process, sampled)                                                           \
    AFTER(MS *(thread), MS *(process)), .sampled_ns = BEGUN + MS * (sampled)

static const struct sample_row sample_rows[] = {
    ROW(.name = "the first sample of a thread stands for all that it has used", PROCESS(50),
        SAMPLE(9, 4, .has_frames = true, .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_PYTHON, 5, 9)}, BOOKED(4, 54, 9)),
    ROW(.name = "another one stands for what was used since the one before", PROCESS(50),
        .thread = {.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN, .sampled_node = THERE},
        SAMPLE(20, 33, .kind = SC_SAMPLE_NATIVE, .has_frames = true, .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_NATIVE, 17, 20)}, BOOKED(33, 53, 20)),
    ROW(.name = "in a system call it is the kernel's", PROCESS(50),
        .thread = {.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN},
        SAMPLE(20, 31, .kind = SC_SAMPLE_KERNEL, .has_frames = true, .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_KERNEL, 19, 20)}, BOOKED(31, 51, 20)),
    ROW(.name = "a clock that says less than what is charged charges nothing", PROCESS(50),
        .thread = {.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN},
        SAMPLE(20, 29, .has_frames = true, .node = HERE), .charges = {SPAN_MS(HERE, 20, 20)},
        BOOKED(30, 50, 20)),
    ROW(.name = "one that comes late leaves what was used meanwhile to the next one", PROCESS(50),
        .thread = {.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN},
        SAMPLE(20, 36, .late_ns = 2 * MS, .kind = SC_SAMPLE_KERNEL, .has_frames = true,
               .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_KERNEL, 14, 18)}, BOOKED(34, 54, 20)),
    ROW(.name = "later than the sample before it has nothing", PROCESS(50),
        .thread = {.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN},
        SAMPLE(20, 31, .late_ns = 2 * MS, .has_frames = true, .node = HERE),
        .charges = {SPAN_MS(HERE, 18, 18)}, BOOKED(30, 50, 20)),
    ROW(.name = "later than clocks say it has nothing, either", PROCESS(50),
        SAMPLE(20, 31, .late_ns = UINT64_MAX, .has_frames = true, .node = HERE),
        .charges = {SPAN(HERE, BEGUN, BEGUN)}, .process_ns = 50 * MS,
        .sampled_ns = BEGUN + 20 * MS),
    ROW(.name = "a sample before user code is start-up: booked, not charged", PROCESS(50),
        .sample = {.time_ns = BEGUN - 1, .cpu_ns = 4 * MS, .has_frames = true, .node = HERE},
        AFTER(4 * MS, 54 * MS)),
    ROW(.name = "and so is any sample while it is not known when that begins",
        .process = {.interval_ns = MS, .charged_cpu_ns = 50 * MS},
        .sample = {.time_ns = BEGUN + 1, .cpu_ns = 4 * MS, .has_frames = true, .node = HERE},
        AFTER(4 * MS, 54 * MS)),
    ROW(.name = "no span begins before user code", PROCESS(0),
        .sample = {.time_ns = BEGUN + MS, .cpu_ns = 4 * MS, .has_frames = true, .node = HERE},
        .charges = {CHARGED_TO(HERE, SC_TIME_PYTHON, 4 * MS), .has_span = true, .node = HERE,
                    .since_ns = BEGUN, .until_ns = BEGUN + MS, .span_ns = 4 * MS},
        AFTER(4 * MS, 4 * MS), .sampled_ns = BEGUN + MS),
    ROW(.name = "a collection of garbage is part of a sample that interprets", PROCESS(0),
        SAMPLE(9, 4, .has_frames = true, .is_collecting = true, .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_PYTHON, 5, 9), .chore = SC_CHORE_COLLECTING},
        BOOKED(4, 4, 9)),
    ROW(.name = "but not of one in C code, which runs beside the collector", PROCESS(0),
        SAMPLE(9, 4, .kind = SC_SAMPLE_NATIVE, .has_frames = true, .is_collecting = true,
               .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_NATIVE, 5, 9)}, BOOKED(4, 4, 9)),
    ROW(.name = "the end of objects is a part of a sample, in C code, too", PROCESS(0),
        SAMPLE(9, 4, .kind = SC_SAMPLE_NATIVE, .has_frames = true, .is_freeing = true,
               .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_NATIVE, 5, 9), .chore = SC_CHORE_FREEING},
        BOOKED(4, 4, 9)),
    ROW(.name = "a native thread works for the line that was found for it", PROCESS(0),
        SAMPLE(9, 2, .kind = SC_SAMPLE_NATIVE, .has_host = true, .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_PARALLEL, 7, 9)}, BOOKED(2, 2, 9)),
    ROW(.name = "without one its time is its own, and waits for a line", PROCESS(0),
        SAMPLE(9, 2, .kind = SC_SAMPLE_NATIVE, .node = THERE),
        .charges = {CHARGED_TO_THREAD(SC_TIME_PARALLEL, 2 * MS), SPAN_MS(THERE, 7, 9)},
        BOOKED(2, 2, 9), .hostless_ns = 2 * MS),
    ROW(.name = "the main thread without frames does not work for another thread", PROCESS(0),
        .thread = {.is_main = true}, SAMPLE(9, 2, .kind = SC_SAMPLE_NATIVE, .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_NATIVE, 7, 9)}, BOOKED(2, 2, 9)),
    ROW(.name = "a thread of C code that calls Python now and then is native where it does not",
        PROCESS(0), .thread = {.has_python = true, .sampled_ns = BEGUN, .sampled_node = THERE},
        SAMPLE(9, 2, .kind = SC_SAMPLE_NATIVE, .has_host = true, .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_PARALLEL, 7, 9)}, BOOKED(2, 2, 9)),
    ROW(.name = "but one of Python's that is ending does not work for another thread", PROCESS(0),
        .thread = WITH(.has_python = true, .life = SC_LIFE_OF_THREAD, .sampled_ns = BEGUN,
                       .sampled_node = THERE),
        SAMPLE(9, 2, .kind = SC_SAMPLE_NATIVE, .node = HERE),
        .charges = {CHARGED_MS(HERE, SC_TIME_NATIVE, 7, 9)}, BOOKED(2, 2, 9)),
};

TEST(samples)
{
    FOR_EACH(row, sample_rows) {
        struct sc_charge_process process = row->process;
        struct sc_charge_thread thread = row->thread;
        struct sc_charges charges = sc_charge_sample(&process, &thread, &row->sample);
        bool counts = sc_charge_counts(&row->process, row->sample.time_ns);
        assert_charges(row->name, &charges, &row->charges);
        assert_int_equal(thread.charged_cpu_ns, row->thread_ns);
        assert_int_equal(process.charged_cpu_ns, row->process_ns);
        assert_int_equal(thread.sampled_ns, row->sampled_ns);
        assert_int_equal(process.hostless_ns[0], row->hostless_ns);
        assert_int_equal(process.hostless_ns[1], 0);
        assert_int_equal(counts, row->charges.has_span);
        if (!counts)
            continue;
        bool has_frames = row->sample.has_frames;
        assert_int_equal(thread.has_python, has_frames || row->thread.has_python);
        assert_int_equal(thread.sampled_node,
                         has_frames || row->sample.has_host ? row->sample.node : 0);
        assert_int_equal(thread.sampled_bare, !has_frames);
        assert_int_equal(thread.sampled_kind, row->sample.kind);
    }
}

struct rest_row {
    const char *name;
    struct sc_charge_thread thread;
    bool before;
    uint64_t cpu_ns;
    struct sc_charges charges;
    uint64_t thread_ns;
    uint64_t process_ns;
    uint64_t hostless_ns;
};

static const struct rest_row rest_rows[] = {
    ROW(.name = "what a thread used after its last sample goes to where that was",
        .thread = WITH(.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN, .sampled_node = HERE,
                       .sampled_kind = SC_SAMPLE_NATIVE, .blocked_node = WAITING),
        .cpu_ns = 32 * MS, .charges = {CHARGED_TO(HERE, SC_TIME_NATIVE, 2 * MS)},
        AFTER(32 * MS, 52 * MS)),
    ROW(.name = "of a Python thread too, which was seen",
        .thread = WITH(.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN, .sampled_node = HERE,
                       .life = SC_LIFE_OF_THREAD),
        .cpu_ns = 32 * MS, .charges = {CHARGED_TO(HERE, SC_TIME_PYTHON, 2 * MS)},
        AFTER(32 * MS, 52 * MS)),
    ROW(.name = "of a native thread, to the line that it worked for then",
        .thread = WITH(.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN, .sampled_node = HERE,
                       .sampled_kind = SC_SAMPLE_KERNEL, .sampled_bare = true),
        .cpu_ns = 32 * MS, .charges = {CHARGED_TO(HERE, SC_TIME_PARALLEL, 2 * MS)},
        AFTER(32 * MS, 52 * MS)),
    ROW(.name = "or, when there was none, to the one that is found now",
        .thread = {.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN, .sampled_bare = true},
        .cpu_ns = 32 * MS, .charges = {CHARGED_TO_THREAD(SC_TIME_PARALLEL, 2 * MS)},
        AFTER(32 * MS, 52 * MS), .hostless_ns = 2 * MS),
    ROW(.name = "of a thread of Python's that was starting, to where that was",
        .thread = WITH(.has_python = true, .life = SC_LIFE_OF_THREAD, .charged_cpu_ns = 30 * MS,
                       .sampled_ns = BEGUN, .sampled_bare = true),
        .cpu_ns = 32 * MS, .charges = {CHARGED_TO(0, SC_TIME_PYTHON, 2 * MS)},
        AFTER(32 * MS, 52 * MS)),
    ROW(.name = "of one never sampled, to the Python frame where it was seen blocked",
        .thread = {.blocked_node = WAITING, .life = SC_LIFE_OF_THREAD}, .cpu_ns = 2 * MS,
        .charges = {.charge = WITH(.node = WAITING, .on_python = true, .to = SC_CHARGE_BOTH,
                                   .time = SC_TIME_PYTHON, .ns = 2 * MS),
                    .cpu_ns = 2 * MS},
        AFTER(2 * MS, 52 * MS)),
    ROW(.name = "of a native thread never seen, to the line that is found for it", .cpu_ns = 2 * MS,
        .charges = {CHARGED_TO_THREAD(SC_TIME_PARALLEL, 2 * MS)}, AFTER(2 * MS, 52 * MS),
        .hostless_ns = 2 * MS),
    ROW(.name = "of the main thread never seen, to no stack", .thread = {.is_main = true},
        .cpu_ns = 2 * MS,
        .charges = {.charge = WITH(.on_python = true, .to = SC_CHARGE_BOTH, .time = SC_TIME_PYTHON,
                                   .ns = 2 * MS),
                    .cpu_ns = 2 * MS},
        AFTER(2 * MS, 52 * MS)),
    ROW(.name = "nothing new, nothing charged",
        .thread = {.charged_cpu_ns = 30 * MS, .sampled_ns = BEGUN, .sampled_node = HERE},
        .cpu_ns = 29 * MS, AFTER(30 * MS, 50 * MS)),
    ROW(.name = "before user code it is booked alone", .thread = {.life = SC_LIFE_OF_THREAD},
        .before = true, .cpu_ns = 2 * MS, AFTER(2 * MS, 52 * MS)),
};

TEST(rests)
{
    FOR_EACH(row, rest_rows) {
        struct sc_charge_process process = begun;
        process.begun = !row->before;
        struct sc_charge_thread thread = row->thread;
        struct sc_charges charges = sc_charge_rest(&process, &thread, row->cpu_ns);
        assert_charges(row->name, &charges, &row->charges);
        assert_int_equal(thread.charged_cpu_ns, row->thread_ns);
        assert_int_equal(process.charged_cpu_ns, row->process_ns);
        assert_int_equal(process.hostless_ns[0], row->hostless_ns);
        assert_int_equal(thread.sampled_ns, row->thread.sampled_ns);
    }
}

TEST(lost_time_is_native_and_of_no_stack)
{
    struct sc_charge_process process = begun;
    struct sc_charges charges = sc_charge_lost(&process, 3 * MS);
    struct sc_charges expected = {CHARGED_TO(0, SC_TIME_NATIVE, 3 * MS)};
    assert_charges("lost", &charges, &expected);
    assert_int_equal(process.charged_cpu_ns, 53 * MS);
}

TEST(a_gap_ends_at_the_tick)
{
    struct sc_charges charges = sc_charge_gap(HERE, SC_TIME_SLEEP, NOW, 5 * MS);
    struct sc_charges expected = {.charge = BOTH(HERE, SC_TIME_SLEEP, 5 * MS),
                                  SPAN(HERE, NOW - 5 * MS, NOW)};
    assert_charges("gap", &charges, &expected);
    charges = sc_charge_gap(HERE, SC_TIME_SLEEP, MS, 5 * MS);
    assert_int_equal(charges.since_ns, 0);
}

TEST(preempted_time_is_of_the_last_kind)
{
    struct sc_charge_thread thread = {.sampled_kind = SC_SAMPLE_PYTHON};
    assert_int_equal(sc_charge_preempted(&thread), SC_TIME_PREEMPTED_PYTHON);
    thread.sampled_kind = SC_SAMPLE_NATIVE;
    assert_int_equal(sc_charge_preempted(&thread), SC_TIME_PREEMPTED_NATIVE);
    thread.sampled_kind = SC_SAMPLE_KERNEL;
    assert_int_equal(sc_charge_preempted(&thread), SC_TIME_PREEMPTED_KERNEL);
    /* work for another's line is native wherever it is, with a CPU or without */
    thread.sampled_ns = BEGUN;
    thread.sampled_bare = true;
    assert_int_equal(sc_charge_preempted(&thread), SC_TIME_PREEMPTED_NATIVE);
    thread.is_main = true;
    assert_int_equal(sc_charge_preempted(&thread), SC_TIME_PREEMPTED_KERNEL);
}

/* Whatever comes in whatever order: what is charged to threads, and to stacks or on its way there,
 * is what their clocks say. */
TEST(a_thread_without_samples_is_in_one_call_when_the_kernel_alone_has_run)
{
    static const struct {
        struct sc_cpu_ticks now; /* since 100 and 50 */
        bool is_known;
        bool is_call;
    } rows[] = {
        {{100, 50}, false, false}, {{100, 53}, false, false}, {{100, 54}, true, true},
        {{101, 53}, true, false},  {{104, 50}, true, false},  {{101, 58}, true, true},
        {{102, 58}, true, false},  {{110, 130}, true, true},  {{111, 130}, true, false},
    };
    const struct sc_cpu_ticks since = {100, 50};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)printf("  %zu\n", i);
        assert_int_equal(sc_long_call_is_known(&since, &rows[i].now), rows[i].is_known);
        assert_int_equal(sc_long_call_is(&since, &rows[i].now), rows[i].is_call);
    }
}

TEST(no_time_is_made_or_lost)
{
    struct sc_charge_process process = {.interval_ns = MS, .begun = true, .begun_ns = BEGUN};
    struct sc_charge_thread threads[4] = {{.is_main = true},
                                          {.life = SC_LIFE_OF_THREAD},
                                          {0},
                                          {.life = SC_LIFE_OF_THREAD, .blocked_node = HERE}};
    uint64_t cpu_ns[4] = {0};
    uint64_t to_stacks = 0;
    uint64_t to_threads = 0;
    uint64_t random = 1;
    for (uint64_t i = 0; i < 10000; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        size_t which = random >> 62;
        unsigned what = (unsigned)(random >> 40) % 8;
        cpu_ns[which] += (random >> 20) % MS;
        struct sc_charge_sample sample = {.time_ns = BEGUN + (i + 1) * MS,
                                          .cpu_ns = cpu_ns[which],
                                          .late_ns = (random & 7) == 0 ? (random >> 8) % MS : 0,
                                          .kind = (enum sc_sample_kind)(what % 3),
                                          .has_frames = what > 2,
                                          .has_host = what == 1,
                                          .node = what};
        struct sc_charges charges =
            what == 7   ? sc_charge_rest(&process, &threads[which], cpu_ns[which])
            : what == 6 ? sc_charge_hostless(&process,
                                             (struct sc_charge_host){.found = (random & 4096) != 0})
                        : sc_charge_sample(&process, &threads[which], &sample);
        to_stacks += (charges.charge.to & SC_CHARGE_STACK) != 0 ? charges.charge.ns : 0;
        to_threads += (charges.charge.to & SC_CHARGE_THREAD) != 0 ? charges.charge.ns : 0;
        assert_int_equal(to_threads, process.charged_cpu_ns);
        assert_int_equal(to_stacks + process.hostless_ns[0] + process.hostless_ns[1],
                         process.charged_cpu_ns);
    }
    assert_true(to_stacks > 0);
}
