/*
 * tests/unit/charge_young_test.c - where the CPU time goes of lives that no sample has met.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/budget.h"
#include "charge_fixture.h"
#include "observer/charge/young.h"

#define JIFFY (4 * MS)

static const struct sc_charge_process process_begun = {
    .interval_ns = 10 * MS, .jiffy_ns = JIFFY, .begun = true, .begun_ns = BEGUN};

static void assert_near(double got, double expected)
{
    assert_true(got - expected < 1e-9 && expected - got < 1e-9);
}

static void the_chance_of_a_sample_grows_with_what_is_used(void **state)
{
    (void)state;
    assert_near(sc_young_chance(MS, 10 * MS, JIFFY), 0.1);
    assert_near(sc_young_chance(8 * MS, 10 * MS, JIFFY), 0.8);
    assert_near(sc_young_chance(10 * MS, 10 * MS, JIFFY),
                0.9); /* a fifth of the draws: the third */
    assert_near(sc_young_chance(12 * MS, 10 * MS, JIFFY), 1);
    assert_near(sc_young_chance(90 * MS, 10 * MS, JIFFY), 1);
    assert_near(sc_young_chance(MS, MS, JIFFY), 0.25); /* no more often than the kernel ticks */
    assert_near(sc_young_chance(4 * MS, MS, JIFFY), 1);
    assert_near(sc_young_chance(MS, 4 * MS, JIFFY), 0.25);
    assert_near(sc_young_chance(MS, 10 * MS, 0), 0.1);
    assert_true(sc_young_chance(0, 10 * MS, JIFFY) > 0);
    assert_true(sc_young_chance(1, 0, 0) > 0);
}

struct over_row {
    const char *name;
    struct sc_charge_thread thread;
    struct sc_charges charges;
    uint64_t missed_ns;
    double weight_ns; /* of the one place that there is */
};

static const struct over_row over_rows[] = {
    {
        .name = "a life that was not met keeps its time for others' places",
        .thread = {.life = SC_LIFE_OF_THREAD},
        .charges = {.count = 1,
                    .items = {{.to = SC_CHARGE_THREAD, .time = SC_TIME_PYTHON, .ns = 2 * MS}},
                    .cpu_ns = 2 * MS},
        .missed_ns = 2 * MS,
        .weight_ns = -1,
    },
    {
        .name = "unless it was seen blocked",
        .thread = {.life = SC_LIFE_OF_THREAD, .blocked_node = WAITING},
        .charges = {.count = 1,
                    .items = {{.node = WAITING,
                               .on_python = true,
                               .to = SC_CHARGE_BOTH,
                               .time = SC_TIME_PYTHON,
                               .ns = 2 * MS}},
                    .cpu_ns = 2 * MS},
        .weight_ns = -1,
    },
    {
        .name = "one that was met stands for four others",
        .thread = {.life = SC_LIFE_OF_THREAD,
                   .is_met = true,
                   .born_interval_ns = 10 * MS,
                   .first_node = THERE,
                   .charged_cpu_ns = MS,
                   .sampled_ns = BEGUN,
                   .sampled_node = HERE},
        .charges = {.count = 1, .items = {BOTH(HERE, SC_TIME_PYTHON, MS)}, .cpu_ns = MS},
        .weight_ns = 8 * (double)MS,
    },
    {
        .name = "by what it has used since its timer was started",
        .thread = {.life = SC_LIFE_OF_PROCESS,
                   .is_met = true,
                   .born_interval_ns = 10 * MS,
                   .first_node = THERE,
                   .born_cpu_ns = MS,
                   .charged_cpu_ns = MS,
                   .sampled_ns = BEGUN,
                   .sampled_node = HERE},
        .charges = {.count = 1, .items = {BOTH(HERE, SC_TIME_PYTHON, MS)}, .cpu_ns = MS},
        .weight_ns = 9 * (double)MS,
    },
    {
        .name = "what a longer life has left is for the first samples, by what they lack",
        .thread = {.life = SC_LIFE_OF_THREAD,
                   .is_met = true,
                   .born_interval_ns = MS,
                   .first_cpu_ns = MS / 4,
                   .first_node = THERE,
                   .first_time = SC_TIME_PYTHON,
                   .charged_cpu_ns = 5 * MS / 4,
                   .sampled_ns = BEGUN,
                   .sampled_node = HERE},
        .charges = {.count = 1,
                    .items = {{.to = SC_CHARGE_THREAD, .time = SC_TIME_PYTHON, .ns = 3 * MS / 4}},
                    .cpu_ns = 3 * MS / 4},
        .missed_ns = 3 * MS / 4,
        .weight_ns = 3 * (double)MS / 4,
    },
    {
        .name = "where it was only seen blocked it stands for nothing",
        .thread = {.life = SC_LIFE_OF_THREAD,
                   .charged_cpu_ns = MS,
                   .sampled_ns = BEGUN,
                   .sampled_node = HERE},
        .charges = {.count = 1, .items = {BOTH(HERE, SC_TIME_PYTHON, MS)}, .cpu_ns = MS},
        .weight_ns = -1,
    },
    {
        .name = "what is no life is charged as ever",
        .thread = {.is_main = true, .charged_cpu_ns = MS, .sampled_ns = BEGUN, .is_met = true},
        .charges = {.count = 1, .items = {BOTH(0, SC_TIME_PYTHON, MS)}, .cpu_ns = MS},
        .weight_ns = -1,
    },
};

static void ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(over_rows) / sizeof(over_rows[0]); i++) {
        const struct over_row *row = &over_rows[i];
        struct sc_charge_process process = process_begun;
        struct sc_charge_thread thread = row->thread;
        struct sc_charge_young young = {0};
        struct sc_charges charges = sc_charge_over(&process, &thread, &young, 2 * MS);
        const struct sc_young_lives *lives = &young.lives[row->thread.life];
        assert_charges(row->name, &charges, &row->charges);
        assert_int_equal(lives->missed_ns, row->missed_ns);
        assert_int_equal(lives->places.count, row->weight_ns >= 0);
        if (row->weight_ns >= 0) {
            assert_int_equal(lives->places.items[0].node, THERE);
            assert_true(lives->places.items[0].weight_ns - row->weight_ns < 1);
            assert_true(row->weight_ns - lives->places.items[0].weight_ns < 1);
        }
        sc_charge_young_done(&young);
    }
}

static void what_comes_before_user_code_is_charged_to_no_line(void **state)
{
    (void)state;
    struct sc_charge_process process = {.interval_ns = 10 * MS};
    struct sc_charge_thread thread = {.life = SC_LIFE_OF_THREAD};
    struct sc_charge_young young = {0};
    struct sc_charges charges = sc_charge_over(&process, &thread, &young, 2 * MS);
    assert_int_equal(charges.count, 0);
    assert_int_equal(young.lives[SC_LIFE_OF_THREAD].missed_ns, 0);
    sc_charge_young_done(&young);
}

static void end_met(struct sc_charge_young *young, enum sc_life life, uint32_t node,
                    enum sc_time time, uint64_t cpu_ns)
{
    struct sc_charge_process process = process_begun;
    struct sc_charge_thread thread = {
        .is_met = true, .first_node = node, .first_time = time, .sampled_ns = BEGUN};
    sc_charge_begin_life(&thread, life, 0, process.interval_ns);
    (void)sc_charge_over(&process, &thread, young, cpu_ns);
}

static void end_missed(struct sc_charge_young *young, enum sc_life life, uint64_t cpu_ns)
{
    struct sc_charge_process process = process_begun;
    struct sc_charge_thread thread = {.life = life};
    (void)sc_charge_over(&process, &thread, young, cpu_ns);
}

static void assert_charge(const struct sc_charge *charge, uint32_t node, enum sc_time time,
                          uint64_t ns)
{
    assert_int_equal(charge->node, node);
    assert_int_equal(charge->time, time);
    assert_int_equal(charge->ns, ns);
    assert_int_equal(charge->to, SC_CHARGE_STACK);
}

static void missed_time_is_shared_by_weight_once_and_by_kind(void **state)
{
    (void)state;
    struct sc_charge_young young = {0};
    end_met(&young, SC_LIFE_OF_THREAD, HERE, SC_TIME_PYTHON, 4 * MS);  /* 4 x .6 / .4 = 6 */
    end_met(&young, SC_LIFE_OF_THREAD, HERE, SC_TIME_NATIVE, 4 * MS);  /* 6, its own kind of time */
    end_met(&young, SC_LIFE_OF_THREAD, THERE, SC_TIME_PYTHON, 7 * MS); /* 3 */
    end_met(&young, SC_LIFE_OF_PROCESS, WAITING, SC_TIME_PYTHON, 4 * MS);
    end_missed(&young, SC_LIFE_OF_THREAD, 10 * MS);
    end_missed(&young, SC_LIFE_OF_THREAD, 5 * MS);
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_PROCESS);
    assert_int_equal(charges.list.count, 0);
    charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 3);
    assert_charge(&charges.list.items[0], HERE, SC_TIME_PYTHON, 6 * MS);
    assert_charge(&charges.list.items[1], HERE, SC_TIME_NATIVE, 6 * MS);
    assert_charge(&charges.list.items[2], THERE, SC_TIME_PYTHON, 3 * MS);
    sc_vec_done(&charges.list);
    charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 0);
    sc_charge_young_done(&young);
}

/* Most lives of an interval or two are met, so nearly all that are met could not be missed. */
static void one_short_life_does_not_decide_for_all(void **state)
{
    (void)state;
    struct sc_charge_young young = {0};
    for (int i = 0; i < 100; i++)
        end_met(&young, SC_LIFE_OF_PROCESS, HERE, SC_TIME_PYTHON, 50 * MS); /* 50.5 together */
    end_met(&young, SC_LIFE_OF_PROCESS, THERE, SC_TIME_PYTHON, 4 * MS);     /* 6 */
    end_missed(&young, SC_LIFE_OF_PROCESS, 100 * MS);
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_PROCESS);
    assert_int_equal(charges.list.count, 2);
    assert_true(charges.list.items[0].ns > 89 * MS && charges.list.items[0].ns < 90 * MS);
    assert_int_equal(charges.list.items[0].ns + charges.list.items[1].ns, 100 * MS);
    sc_vec_done(&charges.list);
    sc_charge_young_done(&young);
}

static void without_a_weight_places_count_the_same_and_without_a_place_it_is_lost(void **state)
{
    (void)state;
    struct sc_charge_young young = {0};
    end_missed(&young, SC_LIFE_OF_PROCESS, 3 * MS);
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_PROCESS);
    assert_int_equal(charges.list.count, 1);
    assert_charge(&charges.list.items[0], 0, SC_TIME_NATIVE, 3 * MS);
    sc_vec_done(&charges.list);
    end_met(&young, SC_LIFE_OF_PROCESS, HERE, SC_TIME_PYTHON, 50 * MS);
    end_met(&young, SC_LIFE_OF_PROCESS, THERE, SC_TIME_KERNEL, 50 * MS);
    end_missed(&young, SC_LIFE_OF_PROCESS, 3 * MS);
    charges = sc_charge_young(&young, SC_LIFE_OF_PROCESS);
    assert_int_equal(charges.list.count, 2);
    assert_charge(&charges.list.items[0], HERE, SC_TIME_PYTHON, 3 * MS / 2);
    assert_charge(&charges.list.items[1], THERE, SC_TIME_KERNEL, 3 * MS / 2);
    sc_vec_done(&charges.list);
    sc_charge_young_done(&young);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

/* Runs one life of cpu_ns, of which the first part is THERE and the rest HERE. */
static uint64_t live(struct sc_charge_young *young, uint64_t *random, uint64_t cpu_ns,
                     uint64_t there_ns)
{
    struct sc_charge_process process = process_begun;
    struct sc_charge_thread thread = {0};
    sc_charge_begin_life(&thread, SC_LIFE_OF_THREAD, 0, process.interval_ns);
    uint64_t draw = next_random(random);
    uint64_t interval_ns = sc_budget_first_interval_ns(process.interval_ns, JIFFY, draw);
    uint64_t phase_ns = next_random(random) % JIFFY + 1;
    uint64_t jiffies = interval_ns > phase_ns ? (interval_ns - phase_ns - 1) / JIFFY + 1 : 0;
    uint64_t at_ns = phase_ns + jiffies * JIFFY;
    if (at_ns <= cpu_ns) {
        thread.is_met = true;
        thread.sampled_ns = BEGUN;
        thread.first_node = at_ns <= there_ns ? THERE : HERE;
    }
    (void)sc_charge_over(&process, &thread, young, cpu_ns);
    return at_ns <= cpu_ns ? 0 : cpu_ns;
}

/* Lives of several lengths, all short: what is missed of each half goes to each half. */
static void many_lives_get_what_they_used(void **state)
{
    (void)state;
    struct sc_charge_young young = {0};
    uint64_t random = 7;
    uint64_t missed_ns = 0;
    double missed_there = 0;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t cpu_ns = (1 + i % 12) * MS;
        uint64_t there_ns = i % 12 < 3 ? cpu_ns : cpu_ns / 4; /* short ones are all there */
        uint64_t lost_ns = live(&young, &random, cpu_ns, there_ns);
        missed_ns += lost_ns;
        missed_there += (double)lost_ns * (double)there_ns / (double)cpu_ns;
    }
    struct sc_young_charges charges = sc_charge_young(&young, SC_LIFE_OF_THREAD);
    assert_int_equal(charges.list.count, 2);
    assert_int_equal(charges.list.items[0].ns + charges.list.items[1].ns, missed_ns);
    for (size_t i = 0; i < 2; i++) {
        double expected =
            charges.list.items[i].node == THERE ? missed_there : (double)missed_ns - missed_there;
        double found = (double)charges.list.items[i].ns;
        assert_true(found > 0.97 * expected && found < 1.03 * expected);
    }
    sc_vec_done(&charges.list);
    sc_charge_young_done(&young);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chance_of_a_sample_grows_with_what_is_used),
        cmocka_unit_test(ends),
        cmocka_unit_test(what_comes_before_user_code_is_charged_to_no_line),
        cmocka_unit_test(missed_time_is_shared_by_weight_once_and_by_kind),
        cmocka_unit_test(one_short_life_does_not_decide_for_all),
        cmocka_unit_test(without_a_weight_places_count_the_same_and_without_a_place_it_is_lost),
        cmocka_unit_test(many_lives_get_what_they_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
