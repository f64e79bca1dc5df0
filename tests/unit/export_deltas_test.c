/*
 * tests/unit/export_deltas_test.c - what has come to stacks since the last time: nothing below 0,
 * and all together the last profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "export/deltas.h"
#include "sc_test.h"

#define NODES_MAX 8

/* Nodes of made-up samples: main, main>work, main>work>deep, main>rest; and a line, under two
 * names. */
enum { ROOT, MAIN, WORK, DEEP, REST, LINE, SAME_LINE, STACKS };

static const char *const names[] = {"", "main", "work", "deep", "rest", "<module>", "main"};
static const uint32_t parents[] = {0, ROOT, MAIN, WORK, MAIN, ROOT, ROOT};

/* The samples of a moment have the stacks that are named, so their nodes' numbers differ. */
struct moment {
    struct sc_export_samples samples;
    uint32_t node_of[STACKS]; /* 0: it is not there */
};

static void moment_done(struct moment *moment)
{
    sc_export_samples_done(&moment->samples);
}

static void add_stack(struct moment *moment, int stack)
{
    struct sc_export_samples *samples = &moment->samples;
    uint32_t at = (uint32_t)samples->frames.count;
    sc_vec_push(&samples->functions, (struct sc_export_function){names[stack], "/p/a.py", "", 0});
    sc_vec_push(&samples->frames, (struct sc_export_frame){at, 7, "", true});
    moment->node_of[stack] = (uint32_t)samples->nodes.count;
    sc_vec_push(&samples->nodes,
                (struct sc_export_node){moment->node_of[parents[stack]], at, stack >= LINE});
}

/* The stacks are digits; callers come before what they call. */
static void begin(struct moment *moment, const char *stacks)
{
    *moment = (struct moment){.samples = {.is_timed = true, .room = NODES_MAX}};
    sc_vec_push(&moment->samples.nodes, (struct sc_export_node){0, 0});
    for (; *stacks != '\0'; stacks++)
        add_stack(moment, *stacks - '0');
}

static void set(struct moment *moment, enum sc_export_value value, int stack, double amount)
{
    double **self = &moment->samples.self[value];
    if (*self == NULL)
        *self = sc_alloc(NODES_MAX, sizeof(double));
    (*self)[moment->node_of[stack]] = amount;
}

static int64_t left(const struct moment *moment, enum sc_export_value value, int stack)
{
    uint32_t node = moment->node_of[stack];
    return node != 0 ? sc_export_self(&moment->samples, value, node) : 0;
}

static int64_t all(const struct moment *moment, enum sc_export_value value)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < moment->samples.nodes.count; i++)
        sum += sc_export_self(&moment->samples, value, i);
    return sum;
}

TEST(the_first_time_everything_is_new_and_then_what_has_come)
{
    OWN(sc_export_deltas, deltas) = {0};
    OWN(moment, first);
    OWN(moment, second);
    begin(&first, "12");
    set(&first, SC_EXPORT_TIME, MAIN, 5.4);
    set(&first, SC_EXPORT_TIME, WORK, 7);
    set(&first, SC_EXPORT_COPIED, WORK, 100);
    sc_export_deltas_take(&deltas, &first.samples);
    assert_int_equal(left(&first, SC_EXPORT_TIME, MAIN), 5);
    assert_int_equal(left(&first, SC_EXPORT_TIME, WORK), 7);
    assert_int_equal(left(&first, SC_EXPORT_COPIED, WORK), 100);
    begin(&second, "1423"); /* other numbers */
    set(&second, SC_EXPORT_TIME, MAIN, 5.6);
    set(&second, SC_EXPORT_TIME, REST, 2);
    set(&second, SC_EXPORT_TIME, WORK, 7);
    set(&second, SC_EXPORT_TIME, DEEP, 4);
    set(&second, SC_EXPORT_COPIED, WORK, 100);
    sc_export_deltas_take(&deltas, &second.samples);
    assert_int_equal(left(&second, SC_EXPORT_TIME, MAIN), 1); /* whole numbers add up */
    assert_int_equal(left(&second, SC_EXPORT_TIME, REST), 2);
    assert_int_equal(left(&second, SC_EXPORT_TIME, WORK), 0);
    assert_int_equal(left(&second, SC_EXPORT_TIME, DEEP), 4);
    assert_null(second.samples.self[SC_EXPORT_COPIED]); /* nothing has come */
}

TEST(a_stack_that_became_a_part_of_its_caller_is_not_taken_twice)
{
    OWN(sc_export_deltas, deltas) = {0};
    OWN(moment, first);
    OWN(moment, second);
    begin(&first, "124");
    set(&first, SC_EXPORT_ALLOCATED, WORK, 10);
    set(&first, SC_EXPORT_ALLOCATED, REST, 10);
    sc_export_deltas_take(&deltas, &first.samples);
    begin(&second, "14");
    set(&second, SC_EXPORT_ALLOCATED, MAIN, 13);
    set(&second, SC_EXPORT_ALLOCATED, REST, 11);
    sc_export_deltas_take(&deltas, &second.samples);
    assert_int_equal(left(&second, SC_EXPORT_ALLOCATED, MAIN), 3);
    assert_int_equal(left(&second, SC_EXPORT_ALLOCATED, REST), 1);
}

TEST(what_has_moved_to_another_stack_leaves_the_sum_right)
{
    OWN(sc_export_deltas, deltas) = {0};
    static const int work[] = {10, 4, 4, 9};
    static const int rest[] = {0, 7, 12, 12};
    int64_t of_work = 0;
    int64_t of_rest = 0;
    for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++) {
        OWN(moment, moment);
        begin(&moment, "124");
        set(&moment, SC_EXPORT_GPU, WORK, work[i]);
        set(&moment, SC_EXPORT_GPU, REST, rest[i]);
        sc_export_deltas_take(&deltas, &moment.samples);
        of_work += left(&moment, SC_EXPORT_GPU, WORK);
        of_rest += left(&moment, SC_EXPORT_GPU, REST);
        assert_int_equal(of_work + of_rest, work[i] + rest[i]);
    }
    assert_int_equal(of_work, 10);
    assert_int_equal(of_rest, 11);
}

TEST(a_value_that_became_less_is_taken_again_when_it_has_grown_again)
{
    OWN(sc_export_deltas, deltas) = {0};
    static const int amounts[] = {10, 3, 9, 12};
    static const int expected[] = {10, 0, 0, 2};
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
        OWN(moment, moment);
        begin(&moment, "12");
        set(&moment, SC_EXPORT_BLOCKED_IO, WORK, amounts[i]);
        sc_export_deltas_take(&deltas, &moment.samples);
        assert_int_equal(all(&moment, SC_EXPORT_BLOCKED_IO), expected[i]);
    }
}

TEST(waiting_stays_a_part_of_the_time)
{
    OWN(sc_export_deltas, deltas) = {0};
    static const int time[] = {10, 16, 30};
    static const int waiting[] = {4, 16, 13}; /* all of it at first, as was thought then */
    int64_t time_sum = 0;
    int64_t waiting_sum = 0;
    for (size_t i = 0; i < sizeof(time) / sizeof(time[0]); i++) {
        OWN(moment, moment);
        begin(&moment, "12");
        set(&moment, SC_EXPORT_TIME, WORK, time[i]);
        set(&moment, SC_EXPORT_WAITING, WORK, waiting[i]);
        sc_export_deltas_take(&deltas, &moment.samples);
        assert_true(left(&moment, SC_EXPORT_TIME, WORK) >= left(&moment, SC_EXPORT_WAITING, WORK));
        time_sum += left(&moment, SC_EXPORT_TIME, WORK);
        waiting_sum += left(&moment, SC_EXPORT_WAITING, WORK);
    }
    assert_int_equal(waiting_sum, 16); /* the most that was ever said */
    assert_int_equal(time_sum, 33);    /* 17 on a CPU, and that */
}

TEST(what_is_in_use_is_that_of_now_and_the_peak_is_of_no_span)
{
    OWN(sc_export_deltas, deltas) = {0};
    for (int i = 0; i < 2; i++) {
        OWN(moment, moment);
        begin(&moment, "12");
        set(&moment, SC_EXPORT_AT_EXIT, WORK, 8);
        set(&moment, SC_EXPORT_AT_PEAK, WORK, 9);
        sc_export_deltas_take(&deltas, &moment.samples);
        assert_int_equal(left(&moment, SC_EXPORT_AT_EXIT, WORK), 8);
        assert_null(moment.samples.self[SC_EXPORT_AT_PEAK]);
    }
}

TEST(a_line_stays_the_same_when_the_function_around_it_is_known)
{
    OWN(sc_export_deltas, deltas) = {0};
    for (int i = 0; i < 2; i++) {
        OWN(moment, moment);
        int line = i == 0 ? LINE : SAME_LINE;
        begin(&moment, i == 0 ? "5" : "6");
        set(&moment, SC_EXPORT_COPIED, line, 3 + i);
        sc_export_deltas_take(&deltas, &moment.samples);
        assert_int_equal(left(&moment, SC_EXPORT_COPIED, line), i == 0 ? 3 : 1);
    }
}

TEST(only_frames_of_what_has_come_are_used)
{
    OWN(sc_export_deltas, deltas) = {0};
    for (int i = 0; i < 2; i++) {
        OWN(moment, moment);
        begin(&moment, "124");
        set(&moment, SC_EXPORT_TIME, WORK, 3);
        set(&moment, SC_EXPORT_TIME, REST, i);
        sc_export_deltas_take(&deltas, &moment.samples);
        const struct sc_export_frame *frames = moment.samples.frames.items;
        assert_true(frames[0].is_used); /* of the caller, too */
        assert_true(frames[1].is_used == (i == 0));
        assert_true(frames[2].is_used == (i == 1));
    }
}
