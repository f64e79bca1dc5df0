/*
 * tests/unit/charge_young_test.c - where the CPU time of lives goes that no sample covers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/budget.h"
#include "charge_fixture.h"
#include "observer/charge/young.h"

#define JIFFY    (4 * MS)
#define INTERVAL (10 * MS)

static const struct sc_charge_process process_begun = {
    .interval_ns = INTERVAL, .jiffy_ns = JIFFY, .begun = true, .begun_ns = BEGUN};

TEST(steps_of_ages_follow_one_another)
{
    assert_int_equal(sc_young_step(0), 0);
    assert_int_equal(sc_young_step(15999), 0);
    assert_int_equal(sc_young_step(16000), 1);
    assert_int_equal(sc_young_step(64000), 4);
    assert_int_equal(sc_young_step(128000), 8);
    assert_int_equal(sc_young_step(SC_YOUNG_AGE_MAX_NS - 1), SC_YOUNG_AGES - 1);
    assert_int_equal(sc_young_step(UINT64_MAX), SC_YOUNG_AGES - 1);
    uint32_t last = 0;
    for (uint64_t age_ns = 0; age_ns < SC_YOUNG_AGE_MAX_NS; age_ns += 8000) {
        uint32_t step = sc_young_step(age_ns);
        assert_true(step == last || step == last + 1);
        last = step;
    }
}

struct over_row {
    const char *name;
    struct sc_charge_thread thread;
    struct sc_charges charges;
    uint64_t missed_ns;
};

static const struct over_row over_rows[] = {
    ROW(.name = "a life that was not sampled keeps its time for others' places",
        .thread = {.life = SC_LIFE_OF_THREAD},
        .charges = {CHARGED_TO_THREAD(SC_TIME_PYTHON, 2 * MS)}, .missed_ns = 2 * MS),
    ROW(.name = "also if it was seen blocked",
        .thread = {.life = SC_LIFE_OF_THREAD, .blocked_node = WAITING},
        .charges = {CHARGED_TO_THREAD(SC_TIME_PYTHON, 2 * MS)}, .missed_ns = 2 * MS),
    ROW(.name = "of one that was sampled the end is kept, as time of the last kind",
        .thread = WITH(.life = SC_LIFE_OF_PROCESS, .born_cpu_ns = MS / 2, .charged_cpu_ns = MS,
                       .sampled_ns = BEGUN, .sampled_kind = SC_SAMPLE_KERNEL,
                       .blocked_node = WAITING, .sampled_node = HERE),
        .charges = {CHARGED_TO_THREAD(SC_TIME_KERNEL, MS)}, .missed_ns = MS),
    ROW(.name = "a life that is no longer young is charged as any thread",
        .thread = WITH(.life = SC_LIFE_OF_THREAD, .charged_cpu_ns = SC_YOUNG_AGE_MAX_NS,
                       .sampled_ns = BEGUN, .sampled_node = HERE),
        .charges = {CHARGED_TO(HERE, SC_TIME_PYTHON, MS)}),
    ROW(.name = "and so is what is no life",
        .thread = {.is_main = true, .charged_cpu_ns = MS, .sampled_ns = BEGUN},
        .charges = {CHARGED_TO(0, SC_TIME_PYTHON, MS)}),
};

TEST(ends)
{
    FOR_EACH(row, over_rows) {
        struct sc_charge_process process = process_begun;
        struct sc_charge_thread thread = row->thread;
        OWN(sc_charge_young, young) = {0};
        struct sc_charges charges = sc_charge_over(
            &process, &thread, &young, row->thread.charged_cpu_ns + row->charges.cpu_ns);
        assert_charges(row->name, &charges, &row->charges);
        assert_int_equal(young.lives[row->thread.life].missed_ns, row->missed_ns);
    }
}

TEST(what_comes_before_user_code_is_charged_to_no_line)
{
    struct sc_charge_process process = {.interval_ns = INTERVAL};
    struct sc_charge_thread thread = {.life = SC_LIFE_OF_THREAD};
    OWN(sc_charge_young, young) = {0};
    struct sc_charges charges = sc_charge_over(&process, &thread, &young, 2 * MS);
    assert_int_equal(charges.charge.to, 0);
    assert_int_equal(young.lives[SC_LIFE_OF_THREAD].missed_ns, 0);
}

struct life {
    struct sc_charge_process process;
    struct sc_charge_thread thread;
    struct sc_charge_young *young;
};

static struct life begin_life(struct sc_charge_young *young, enum sc_life kind)
{
    struct life life = {.process = process_begun, .young = young};
    sc_charge_begin_life(&life.thread, kind, 0);
    return life;
}

static void meet(struct life *life, uint32_t node, enum sc_sample_kind kind, uint64_t cpu_ns,
                 uint64_t interval_ns)
{
    struct sc_charge_sample sample = {.time_ns = BEGUN + cpu_ns,
                                      .cpu_ns = cpu_ns,
                                      .kind = kind,
                                      .has_frames = true,
                                      .node = node};
    struct sc_charges charges = sc_charge_sample(&life->process, &life->thread, &sample);
    sc_charge_met(life->young, &life->thread, &charges, interval_ns);
}

static void end_life(struct life *life, uint64_t cpu_ns)
{
    (void)sc_charge_over(&life->process, &life->thread, life->young, cpu_ns);
}

static void live(struct sc_charge_young *young, enum sc_life kind, uint32_t node,
                 enum sc_sample_kind sample_kind, uint64_t sampled_ns, uint64_t cpu_ns)
{
    struct life life = begin_life(young, kind);
    if (node != 0)
        meet(&life, node, sample_kind, sampled_ns, INTERVAL);
    end_life(&life, cpu_ns);
}

static void assert_charge(const struct sc_charge *charge, uint32_t node, enum sc_time time,
                          uint64_t ns)
{
    assert_int_equal(charge->node, node);
    assert_int_equal(charge->time, time);
    assert_int_equal(charge->to, SC_CHARGE_STACK);
    assert_true(charge->ns + 2 > ns && charge->ns < ns + 2);
}

/* Few samples are one group, and each stands for as much as any other. */
TEST(what_was_missed_is_shared_by_kind_and_each_time_in_the_same_way)
{
    OWN(sc_charge_young, young) = {0};
    live(&young, SC_LIFE_OF_THREAD, HERE, SC_SAMPLE_PYTHON, MS, 4 * MS);
    live(&young, SC_LIFE_OF_THREAD, HERE, SC_SAMPLE_NATIVE, 2 * MS, 4 * MS);
    live(&young, SC_LIFE_OF_THREAD, THERE, SC_SAMPLE_PYTHON, 3 * MS, 4 * MS);
    live(&young, SC_LIFE_OF_PROCESS, WAITING, SC_SAMPLE_PYTHON, 4 * MS, 4 * MS);
    live(&young, SC_LIFE_OF_THREAD, 0, SC_SAMPLE_PYTHON, 0, 9 * MS);
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_PROCESS);
    assert_int_equal(charges.list.count, 0);
    charges = sc_charge_young(&young, SC_LIFE_OF_THREAD); /* 21 together, 7 each */
    assert_int_equal(charges.list.count, 3);
    assert_charge(&charges.list.items[0], HERE, SC_TIME_PYTHON, 6 * MS);
    assert_charge(&charges.list.items[1], HERE, SC_TIME_NATIVE, 5 * MS);
    assert_charge(&charges.list.items[2], THERE, SC_TIME_PYTHON, 4 * MS);
    sc_vec_done(&charges.list);
    charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 3);
    assert_charge(&charges.list.items[0], HERE, SC_TIME_PYTHON, 6 * MS);
    sc_vec_done(&charges.list);
}

/* A sample stands for as much as comes between two of them, and that may change in a run. */
TEST(samples_that_come_seldom_stand_for_more)
{
    OWN(sc_charge_young, young) = {0};
    struct life life = begin_life(&young, SC_LIFE_OF_THREAD);
    meet(&life, HERE, SC_SAMPLE_PYTHON, MS / 1000, MS);
    end_life(&life, MS);
    life = begin_life(&young, SC_LIFE_OF_THREAD);
    meet(&life, THERE, SC_SAMPLE_PYTHON, MS / 1000, 9 * MS);
    end_life(&life, 9 * MS);
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 2);
    assert_true(charges.list.items[0].ns > 99 * MS / 100);
    assert_true(charges.list.items[0].ns < 101 * MS / 100);
    sc_vec_done(&charges.list);
}

TEST(without_a_sample_it_is_lost)
{
    OWN(sc_charge_young, young) = {0};
    live(&young, SC_LIFE_OF_PROCESS, 0, SC_SAMPLE_PYTHON, 0, 3 * MS);
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_PROCESS);
    assert_int_equal(charges.list.count, 1);
    assert_charge(&charges.list.items[0], 0, SC_TIME_NATIVE, 3 * MS);
    sc_vec_done(&charges.list);
}

static void wait_and_live(struct sc_charge_young *young, uint64_t cpu_ns)
{
    struct life life = begin_life(young, SC_LIFE_OF_THREAD);
    life.thread.blocked_node = WAITING;
    end_life(&life, cpu_ns);
}

/* Lives that wait and then work are seen at both places, or only while they wait. */
TEST(where_lives_wait_counts_only_if_none_was_sampled)
{
    OWN(sc_charge_young, young) = {0};
    wait_and_live(&young, 2 * MS);
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 1);
    assert_charge(&charges.list.items[0], WAITING, SC_TIME_PYTHON, 2 * MS);
    assert_true(charges.list.items[0].on_python);
    sc_vec_done(&charges.list);
    live(&young, SC_LIFE_OF_THREAD, HERE, SC_SAMPLE_PYTHON, MS, 2 * MS);
    wait_and_live(&young, 2 * MS);
    charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 1);
    assert_charge(&charges.list.items[0], HERE, SC_TIME_PYTHON, 5 * MS);
    sc_vec_done(&charges.list);
}

TEST(places_are_remembered)
{
    OWN(sc_charge_young, young) = {0};
    live(&young, SC_LIFE_OF_THREAD, HERE, SC_SAMPLE_PYTHON, 2 * MS, 4 * MS);
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 1);
    assert_charge(&charges.list.items[0], HERE, SC_TIME_PYTHON, 2 * MS);
    sc_vec_done(&charges.list);
    live(&young, SC_LIFE_OF_THREAD, 0, SC_SAMPLE_PYTHON, 0, 4 * MS);
    charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 1);
    assert_charge(&charges.list.items[0], HERE, SC_TIME_PYTHON, 6 * MS);
    sc_vec_done(&charges.list);
}

TEST(what_comes_to_a_node_after_its_place_was_led_elsewhere_stays)
{
    OWN(sc_charge_young, young) = {0};
    const struct sc_young_lives *lives = &young.lives[SC_LIFE_OF_THREAD];
    for (unsigned i = 0; i < 3; i++) {
        sc_charge_young_lead(&young, HERE, THERE);
        live(&young, SC_LIFE_OF_THREAD, HERE, SC_SAMPLE_PYTHON, 4 * MS, 4 * MS);
    }
    assert_int_equal(lives->places.count, 2);
    assert_int_equal(lives->places.items[0].node, HERE);
    assert_int_equal(lives->places.items[0].charged_ns, 4 * MS);
    assert_int_equal(lives->places.items[1].node, THERE);
    assert_int_equal(lives->places.items[1].charged_ns, 8 * MS);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

/* What a life does: the first part is THERE, the rest HERE. */
struct kind_of_life {
    uint64_t cpu_ns;
    uint64_t there_ns;
};

/* The first sample comes after none up to INTERVAL, at a tick; those that follow cannot come for
 * another rest_ns, as after a handler that has taken long. */
static void live_sampled(struct sc_charge_young *young, uint64_t *random,
                         const struct kind_of_life *kind, uint64_t rest_ns)
{
    struct life life = begin_life(young, SC_LIFE_OF_THREAD);
    uint64_t phase_ns = next_random(random) % JIFFY + 1;
    uint64_t due_ns = sc_budget_first_interval_ns(INTERVAL, JIFFY, next_random(random));
    for (;;) {
        uint64_t jiffies = due_ns > phase_ns ? (due_ns - phase_ns - 1) / JIFFY + 1 : 0;
        uint64_t at_ns = phase_ns + jiffies * JIFFY;
        if (at_ns > kind->cpu_ns)
            break;
        meet(&life, at_ns <= kind->there_ns ? THERE : HERE, SC_SAMPLE_PYTHON, at_ns, INTERVAL);
        due_ns = at_ns + sc_budget_interval_ns(INTERVAL, JIFFY / 2, rest_ns, next_random(random));
    }
    end_life(&life, kind->cpu_ns);
}

TEST(lives_get_what_they_used)
{
    const struct {
        const char *name;
        struct kind_of_life kinds[3];
        uint64_t rest_ns;
    } rows[] = {
        {"all alike, shorter than an interval", {{6 * MS, 2 * MS}}, 0},
        {"of an interval and a half", {{15 * MS, 5 * MS}}, 0},
        {"of an interval and a half, with slow handlers", {{15 * MS, 10 * MS}}, 12 * MS},
        {"of four intervals, with slow handlers", {{40 * MS, 15 * MS}}, 8 * MS},
        {"short ones beside long ones", {{MS, MS}, {MS, MS}, {30 * MS, 0}}, 0},
        {"of all lengths", {{2 * MS, MS}, {9 * MS, 8 * MS}, {25 * MS, 3 * MS}}, 5 * MS},
    };
    FOR_EACH_ROW(row, rows) {
        OWN(sc_charge_young, young) = {0};
        struct sc_young_lives *lives = &young.lives[SC_LIFE_OF_THREAD];
        uint64_t random = 7;
        uint64_t all_ns = 0;
        uint64_t there_ns = 0;
        for (size_t n = 0; n < 60000; n++) {
            const struct kind_of_life *kind = &row->kinds[n % 3];
            kind = kind->cpu_ns != 0 ? kind : &row->kinds[0];
            live_sampled(&young, &random, kind, row->rest_ns);
            all_ns += kind->cpu_ns;
            there_ns += kind->there_ns;
        }
        uint64_t found_ns[2] = {0}; /* THERE, HERE */
        for (size_t k = 0; k < lives->places.count; k++)
            found_ns[lives->places.items[k].node != THERE] += lives->places.items[k].charged_ns;
        struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
        for (size_t k = 0; k < charges.list.count; k++)
            found_ns[charges.list.items[k].node != THERE] += charges.list.items[k].ns;
        assert_int_equal(found_ns[0] + found_ns[1], all_ns);
        double error = ((double)found_ns[0] - (double)there_ns) / (double)all_ns;
        assert_true(error > -0.01 && error < 0.01);
        sc_vec_done(&charges.list);
    }
}
