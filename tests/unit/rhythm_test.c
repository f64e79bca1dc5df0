/*
 * tests/unit/rhythm_test.c - threads that work and wait in turn, on a kernel that looks at timers
 * only at its own ticks: each place has what it cost, whatever the rhythm is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "agent/memory/stream.h"
#include "observer/charge/charge.h"
#include "sc_test.h"

#define US       ((uint64_t)1000)
#define MS       (1000 * US)
#define JIFFY_NS (4 * MS)
#define RUN_NS   (30000 * MS)

enum { WORK = 1, NAP };

/* One turn: so long at WORK, then so long at NAP, then so long off the CPU. */
struct turn {
    uint64_t work_ns;
    uint64_t nap_ns;
    uint64_t wait_ns;
};

static uint64_t random_state;

static uint64_t up_to(uint64_t ns)
{
    return sc_stream_random(&random_state) % (ns + 1);
}

/* Its rhythm is five ticks and a little more: the ticks wander through the work, and meet it at its
 * end each time, at the nap, after a long time in which they missed it. */
static struct turn fast_beat(void)
{
    return (struct turn){2000 * US, 40 * US, 18040 * US};
}

static struct turn slow_beat(void)
{
    return (struct turn){2000 * US, 40 * US, 17980 * US};
}

static struct turn beat_of_little_work(void)
{
    return (struct turn){900 * US, 100 * US, 99020 * US};
}

/* One that follows no tick: a short job, then one at another place, at once. */
static struct turn two_jobs(void)
{
    return (struct turn){up_to(2000 * US), up_to(600 * US), up_to(12 * MS)};
}

/* Many short jobs, and now and then a long one of another kind. */
static struct turn long_jobs_between(void)
{
    bool is_long = up_to(40) == 0;
    return (struct turn){is_long ? 4 * MS : 0, is_long ? 0 : 100 * US, up_to(20 * MS)};
}

struct thread {
    struct sc_charge_process process;
    struct sc_charge_thread books;
    uint64_t cpu_ns;
    uint64_t used_ns[NAP + 1];
    uint64_t charged_ns[NAP + 1];
    bool is_limited;
};

/* At each tick that hits the thread there is a sample. */
static void work(struct thread *thread, uint32_t node, uint64_t from_ns, uint64_t ns)
{
    for (uint64_t tick_ns = (from_ns + JIFFY_NS - 1) / JIFFY_NS * JIFFY_NS; tick_ns < from_ns + ns;
         tick_ns += JIFFY_NS) {
        struct sc_charge_sample sample = {.time_ns = tick_ns,
                                          .cpu_ns = thread->cpu_ns + tick_ns - from_ns,
                                          .most_ns = thread->is_limited ? JIFFY_NS : 0,
                                          .has_frames = true,
                                          .node = node};
        struct sc_charges charges = sc_charge_sample(&thread->process, &thread->books, &sample);
        thread->charged_ns[node] += charges.cpu_ns;
    }
    thread->cpu_ns += ns;
    thread->used_ns[node] += ns;
}

static void end(struct thread *thread)
{
    struct sc_recent_part parts[SC_RECENT_SAMPLES];
    sc_charge_owe(&thread->process, &thread->books, thread->cpu_ns);
    uint32_t count = sc_recent_share(&thread->books.recent, thread->books.owed_ns, parts);
    for (uint32_t i = 0; i < count; i++)
        thread->charged_ns[parts[i].node] += parts[i].ns;
    assert_int_equal(thread->charged_ns[WORK] + thread->charged_ns[NAP], thread->cpu_ns);
}

/* By how many points of a hundred the nap's share is wrong, on average over runs. */
static double error_of(struct turn (*turn)(void), bool is_limited)
{
    enum { RUNS = 20 };
    double sum = 0;
    for (int i = 0; i < RUNS; i++) {
        struct thread thread = {.process = {.interval_ns = JIFFY_NS, .begun = true},
                                .books = {.is_main = true},
                                .is_limited = is_limited};
        uint64_t now_ns = up_to(20 * MS);
        while (now_ns < RUN_NS) {
            struct turn next = turn();
            work(&thread, WORK, now_ns, next.work_ns);
            work(&thread, NAP, now_ns + next.work_ns, next.nap_ns);
            now_ns += next.work_ns + next.nap_ns + next.wait_ns;
        }
        end(&thread);
        double charged_ns = (double)thread.charged_ns[NAP];
        sum += 100 * (charged_ns - (double)thread.used_ns[NAP]) / (double)thread.cpu_ns;
    }
    return sum / RUNS;
}

TEST(each_place_has_what_it_cost)
{
    static const struct {
        const char *name;
        struct turn (*turn)(void);
        double unlimited; /* at least so wrong is what follows from one sample standing for all */
    } rows[] = {
        {"a beat of 1 s", fast_beat, 8},
        {"a beat of 4 s", slow_beat, 30},
        {"a beat of 20 s, with little work", beat_of_little_work, 20},
        {"two jobs without a rhythm", two_jobs, 1},
        {"long jobs among short ones", long_jobs_between, 5},
    };
    random_state = 9;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double limited = error_of(rows[i].turn, true);
        double unlimited = error_of(rows[i].turn, false);
        (void)printf("  %s: %+.1f points, else %+.1f\n", rows[i].name, limited, unlimited);
        assert_true(limited > -2 && limited < 2);
        assert_true(unlimited < -rows[i].unlimited || unlimited > rows[i].unlimited);
    }
}

/* How what is passed and owed is charged; all in ms. */
TEST(a_sample_stands_for_no_more_than_its_ticks)
{
    static const struct {
        const char *name;
        uint64_t passed, most, own, owed;
    } steps[] = {
        {"all since the previous one, without a wait between", 9, 0, 9, 0},
        {"what it can, after waits", 20, 4, 4, 16},
        {"that, and a part of what is owed", 2, 4, 4, 14},
        {"without a wait nothing that is owed", 4, 0, 4, 14},
        {"the rest of what is owed", 1, 20, 15, 0},
        {"less than it could", 3, 4, 3, 0},
    };
    struct sc_charge_process process = {.interval_ns = JIFFY_NS, .begun = true};
    struct sc_charge_thread thread = {.is_main = true};
    struct sc_charge_sample sample = {.has_frames = true, .node = WORK};
    FOR_EACH_ROW(row, steps) {
        sample.time_ns += 100 * MS;
        sample.cpu_ns += row->passed * MS;
        sample.most_ns = row->most * MS;
        struct sc_charges charges = sc_charge_sample(&process, &thread, &sample);
        assert_int_equal(charges.charge.ns, row->own * MS);
        assert_int_equal(charges.cpu_ns, row->own * MS);
        assert_int_equal(charges.passed_ns, row->passed * MS);
        assert_int_equal(thread.owed_ns, row->owed * MS);
        assert_int_equal(thread.charged_cpu_ns, sample.cpu_ns);
    }
}
