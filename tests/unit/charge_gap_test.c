/*
 * tests/unit/charge_gap_test.c - how long nothing was on a CPU, and who was kept from one, as
 * tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/map.h"
#include "charge_fixture.h"
#include "observer/charge/gap.h"

#define JIFFY  (4 * (int64_t)MS)
#define TICKED .jiffy_ns = JIFFY, .processors = 2, .polled_ns = NOW, .polled_cpu_ns = 70 * MS

struct measure_row {
    const char *name;
    int64_t pending_ns; /* before */
    int64_t passed_ns;
    int64_t used_ns;
    int64_t expected_ns; /* pending afterwards */
    int64_t last_gap_ns;
    double utilization;
    bool ran;
};

static const struct measure_row measure_rows[] = {
    {.name = "it ran all the time", .passed_ns = 10, .used_ns = 10, .utilization = .5, .ran = true},
    {.name = "nothing ran", .passed_ns = 10, .expected_ns = 10, .last_gap_ns = 10},
    ROW(.name = "what is pending adds up", .pending_ns = 5, .passed_ns = 10, .used_ns = 3,
        .expected_ns = 12, .last_gap_ns = 7, .utilization = .15, .ran = true),
    ROW(.name = "what was reported late is taken back", .pending_ns = 5, .passed_ns = 10,
        .used_ns = 13, .expected_ns = 2, .last_gap_ns = -3, .utilization = .65, .ran = true),
    ROW(.name = "no more than a jiffy is owed", .pending_ns = -2, .passed_ns = 10, .used_ns = 13,
        .expected_ns = -4, .last_gap_ns = -3, .utilization = .65, .ran = true),
    ROW(.name = "a jiffy too much in one tick is reported late", .passed_ns = 10, .used_ns = 14,
        .expected_ns = -4, .last_gap_ns = -4, .utilization = .7, .ran = true),
    ROW(.name = "more than that is another CPU, and settles nothing", .pending_ns = 5,
        .passed_ns = 10, .used_ns = 15, .expected_ns = 5, .utilization = .75, .ran = true),
    ROW(.name = "there are no more CPUs than all", .passed_ns = 10, .used_ns = 30, .utilization = 1,
        .ran = true),
    {.name = "a clock that goes back has not passed", .passed_ns = -3, .used_ns = -3},
};

TEST(what_passes_without_a_cpu_is_pending)
{
    FOR_EACH_ROW(row, measure_rows) {
        struct sc_charge_gap gap = {TICKED, .pending_ns = row->pending_ns * (int64_t)MS};
        uint64_t now_ns = NOW + (uint64_t)row->passed_ns * MS;
        uint64_t cpu_ns = 70 * MS + (uint64_t)row->used_ns * MS;
        sc_gap_measure(&gap, now_ns, cpu_ns);
        assert_int_equal(gap.pending_ns, row->expected_ns * (int64_t)MS);
        assert_int_equal(gap.last_gap_ns, row->last_gap_ns * (int64_t)MS);
        assert_int_equal((int)(gap.utilization * 1000 + .5), (int)(row->utilization * 1000 + .5));
        assert_int_equal(gap.ran, row->ran);
        assert_int_equal(gap.last_polled_ns, NOW);
        assert_int_equal(gap.polled_ns, now_ns);
        assert_int_equal(gap.polled_cpu_ns, cpu_ns);
    }
}

TEST(the_clocks_begin_with_user_code)
{
    struct sc_charge_gap gap = {.jiffy_ns = JIFFY, .processors = 1};
    sc_gap_begin(&gap, NOW, 70 * MS);
    sc_gap_measure(&gap, NOW + 10 * MS, 76 * MS);
    assert_int_equal(gap.pending_ns, 4 * MS);
    assert_int_equal((int)(gap.utilization * 1000 + .5), 600);
}

TEST(what_is_skipped_is_charged_to_no_line)
{
    struct sc_charge_gap gap = {TICKED, .pending_ns = 9 * (int64_t)MS,
                                .last_gap_ns = 3 * (int64_t)MS, .prepaid_ns = MS,
                                .unplaced_ns = 2 * MS};
    assert_int_equal(sc_gap_skip(&gap, NOW + 50 * MS, 90 * MS), 20 * MS);
    assert_true(gap.ran);
    assert_int_equal(gap.pending_ns, 0);
    assert_int_equal(gap.last_gap_ns, 0);
    assert_int_equal(gap.prepaid_ns, 0);
    assert_int_equal(gap.unplaced_ns, 0);
    assert_int_equal(gap.polled_ns, NOW + 50 * MS);
    assert_int_equal(gap.last_polled_ns, NOW);
    assert_int_equal(sc_gap_skip(&gap, NOW + 60 * MS, 90 * MS), 0);
    assert_false(gap.ran);
    assert_int_equal(sc_gap_skip(&gap, NOW + 70 * MS, 80 * MS), 0); /* a clock that goes back */
    sc_gap_measure(&gap, NOW + 80 * MS, 85 * MS);
    assert_int_equal(gap.pending_ns, 5 * MS);
}

struct busy_row {
    const char *name;
    struct sc_charge_thread thread;
    int64_t pending_ns;
    bool busy;
};

#define SLACK (20 * MS)

static const struct busy_row busy_rows[] = {
    {.name = "it was sampled now", .thread = {.sampled_ns = NOW}, .busy = true},
    ROW(.name = "long enough ago to be late only", .thread = {.sampled_ns = NOW - 2 * SLACK},
        .busy = true),
    {.name = "too long ago", .thread = {.sampled_ns = NOW - 2 * SLACK - 1}},
    {.name = "never", .thread = {.sampled_ns = 0}},
    ROW(.name = "a gap of clocks that differ", .thread = {.sampled_ns = NOW},
        .pending_ns = JIFFY + 500000, .busy = true),
    {.name = "a gap that is more", .thread = {.sampled_ns = NOW}, .pending_ns = JIFFY + 500001},
    {.name = "it is over", .thread = {.sampled_ns = NOW, .ended = true}},
};

TEST(one_that_is_plainly_busy_is_not_looked_at)
{
    FOR_EACH_ROW(row, busy_rows) {
        const struct sc_charge_gap gap = {TICKED, .pending_ns = row->pending_ns};
        assert_int_equal(sc_gap_is_plainly_busy(&gap, &row->thread, SLACK), row->busy);
    }
}

struct next_row {
    const char *name;
    struct sc_charge_thread threads[3];
    uint32_t place;
};

static const struct next_row next_rows[] = {
    {.name = "none was ever sampled", .threads = {{.runnable = true}}, .place = SC_NONE},
    ROW(.name = "the last that ran",
        .threads = {{.sampled_ns = 5}, {.sampled_ns = 7}, {.sampled_ns = 6}}, .place = 1),
    ROW(.name = "one that wants to run, though it ran before another",
        .threads = {{.sampled_ns = 7}, {.sampled_ns = 5, .runnable = true}, {.sampled_ns = 8}},
        .place = 1),
    ROW(.name = "of two that want to, the last that ran",
        .threads = {{.sampled_ns = 6, .runnable = true},
                    {.sampled_ns = 5, .runnable = true},
                    {.sampled_ns = 9}},
        .place = 0),
    ROW(.name = "not one that is over",
        .threads = {{.sampled_ns = 5}, {.sampled_ns = 7, .runnable = true, .ended = true}},
        .place = 0),
    {.name = "the first of two alike", .threads = {{.sampled_ns = 5}, {.sampled_ns = 5}}},
};

TEST(who_would_have_run)
{
    FOR_EACH_ROW(row, next_rows) {
        const struct sc_charge_threads threads = {
            .first = row->threads, .count = 3, .step_bytes = sizeof(row->threads[0])};
        assert_int_equal(sc_gap_next_to_run(&threads), row->place);
    }
    assert_int_equal(sc_gap_next_to_run(&(struct sc_charge_threads){0}), SC_NONE);
}

struct preempted_row {
    const char *name;
    int64_t pending_ns;
    int64_t last_gap_ns;
    uint64_t prepaid_ns; /* before */
    uint64_t delay_ns;
    uint64_t expected_ns;
    uint64_t owed_ns; /* prepaid afterwards */
    bool never_blocked;
};

static const struct preempted_row preempted_rows[] = {
    {.name = "the kernel reports nothing", .pending_ns = 9, .last_gap_ns = 9},
    ROW(.name = "it reports a part", .pending_ns = 9, .last_gap_ns = 9, .delay_ns = 4,
        .expected_ns = 4),
    ROW(.name = "of more than passed: other threads waited, too", .pending_ns = 9, .last_gap_ns = 9,
        .delay_ns = 40, .expected_ns = 9),
    {.name = "nothing is pending", .delay_ns = 4, .never_blocked = true},
    {.name = "less than nothing is", .pending_ns = -2, .delay_ns = 4, .never_blocked = true},
    ROW(.name = "one that never blocked was kept from a CPU: the kernel will report it",
        .pending_ns = 9, .last_gap_ns = 9, .expected_ns = 9, .owed_ns = 9, .never_blocked = true),
    ROW(.name = "but since the last tick only", .pending_ns = 9, .last_gap_ns = 5, .expected_ns = 5,
        .owed_ns = 5, .never_blocked = true),
    ROW(.name = "and no longer than is pending", .pending_ns = 3, .last_gap_ns = 5,
        .expected_ns = 3, .owed_ns = 3, .never_blocked = true),
    ROW(.name = "what the kernel reports at once is not owed", .pending_ns = 9, .last_gap_ns = 5,
        .delay_ns = 2, .expected_ns = 5, .owed_ns = 3, .never_blocked = true),
    ROW(.name = "it may report more than the last tick", .pending_ns = 9, .last_gap_ns = 5,
        .delay_ns = 7, .expected_ns = 7, .never_blocked = true),
    ROW(.name = "in the last tick it ran on two CPUs", .pending_ns = 9, .last_gap_ns = -1,
        .never_blocked = true),
    ROW(.name = "more is owed until the kernel reports it", .pending_ns = 9, .last_gap_ns = 9,
        .prepaid_ns = 6, .expected_ns = 9, .owed_ns = 15, .never_blocked = true),
    ROW(.name = "what it reports has been charged", .pending_ns = 9, .last_gap_ns = 9,
        .prepaid_ns = 6, .delay_ns = 6),
    ROW(.name = "what is beyond that has not", .pending_ns = 9, .last_gap_ns = 9, .prepaid_ns = 6,
        .delay_ns = 8, .expected_ns = 2),
    ROW(.name = "what it never reports was a hypervisor's: no longer owed", .pending_ns = 9,
        .last_gap_ns = 9, .prepaid_ns = 6, .delay_ns = 1),
    {.name = "settled also while nothing is pending", .prepaid_ns = 6, .delay_ns = 8},
    {.name = "nothing reported, nothing settled", .pending_ns = 9, .prepaid_ns = 6, .owed_ns = 6},
};

TEST(who_was_kept_from_a_cpu)
{
    FOR_EACH_ROW(row, preempted_rows) {
        struct sc_charge_gap gap = {TICKED, .pending_ns = row->pending_ns * (int64_t)MS,
                                    .last_gap_ns = row->last_gap_ns * (int64_t)MS,
                                    .prepaid_ns = row->prepaid_ns * MS};
        assert_int_equal(sc_gap_preempted(&gap, row->delay_ns * MS, row->never_blocked),
                         row->expected_ns * MS);
        assert_int_equal(gap.prepaid_ns, row->owed_ns * MS);
        assert_int_equal(gap.pending_ns, row->pending_ns * (int64_t)MS);
    }
}

struct below_row {
    const char *name;
    uint64_t worked_ms[2]; /* of two processes below, in a tick of 10 ms */
    uint64_t left_ms;      /* of 10 that the root waited */
    uint64_t late_ms;      /* of the first one, for its next tick */
};

static const struct below_row below_rows[] = {
    {.name = "nothing works below", .left_ms = 10},
    {.name = "one does half of the time", .worked_ms = {5}, .left_ms = 5},
    {.name = "one does all the time", .worked_ms = {10}, .left_ms = 0},
    {.name = "what is reported late counts in the next tick", .worked_ms = {12}, .late_ms = 2},
    {.name = "but no second CPU does", .worked_ms = {20}, .late_ms = 4},
    {.name = "two at half of the time overlap by chance", .worked_ms = {5, 5}, .left_ms = 2},
    {.name = "one that always works covers the other", .worked_ms = {10, 5}, .left_ms = 0},
};

TEST(a_root_does_not_wait_while_those_below_it_work)
{
    FOR_EACH_ROW(row, below_rows) {
        struct sc_charge_gap root = {TICKED};
        struct sc_charge_gap below[2] = {{TICKED}, {TICKED}};
        for (size_t k = 0; k < 2; k++) {
            sc_gap_measure(&below[k], NOW + 10 * MS, 70 * MS + row->worked_ms[k] * MS);
            sc_gap_add_descendant_work(&root, &below[k], NOW + 10 * MS);
        }
        assert_int_equal(below[0].worked_ns, row->late_ms * MS);
        sc_gap_measure(&root, NOW + 10 * MS, 70 * MS);
        assert_int_equal(root.pending_ns, 10 * MS);
        assert_int_equal(sc_gap_uncovered(&root, 10 * MS) / MS, row->left_ms);
        assert_int_equal(sc_gap_uncovered(&root, 10 * MS), 10 * MS); /* once */
    }
}

TEST(what_is_covered_is_no_more_than_what_is_waited)
{
    struct sc_charge_gap root = {TICKED};
    struct sc_charge_gap below = {TICKED, .worked_ns = 10 * MS};
    sc_gap_add_descendant_work(&root, &below, NOW + 10 * MS);
    sc_gap_measure(&root, NOW + 10 * MS, 74 * MS); /* 6 ms of its own are missing */
    assert_int_equal(sc_gap_uncovered(&root, 6 * MS), 0);
    sc_gap_add_descendant_work(&root, &below,
                               NOW); /* no time has passed: nothing is lost, nothing counts */
    assert_true(root.below < 1e-9);
    below.worked_ns = 10 * MS;
    sc_gap_add_descendant_work(&root, &below, NOW + 20 * MS);
    (void)sc_gap_skip(&root, NOW + 20 * MS, 74 * MS);
    sc_gap_measure(&root, NOW + 30 * MS, 74 * MS);
    assert_int_equal(sc_gap_uncovered(&root, 10 * MS), 10 * MS);
}
