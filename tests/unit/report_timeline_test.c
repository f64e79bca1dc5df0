/*
 * tests/unit/report_timeline_test.c - runs by thread: their lengths, spans, bins, tracks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "profile_lists.h"
#include "report/timeline.h"
#include "sc_test.h"

/* Stack 0 is plain, 1 collects, 2 reads, 3 reads and waits for the GIL. */
static const char four_stacks[] =
    "[[[{\"kind\":\"py\",\"display_name\":\"main\",\"line\":1}],100],"
    "[[{\"kind\":\"native\",\"display_name\":\"gc_collect_main\"}],10],"
    "[[{\"kind\":\"native\",\"display_name\":\"__read\"}],10],"
    "[[{\"kind\":\"native\",\"display_name\":\"read\"},{\"kind\":\"native\",\"display_name\":"
    "\"take_gil\"}],10]]";

struct loaded {
    struct sc_profile profile;
    struct sc_stacks stacks;
    struct sc_timeline_view view;
};

static void load(struct loaded *loaded, const char *timeline, double interval_s)
{
    loaded->profile =
        profile_of("\"combined_stacks\":%s,\"combined_stacks_timeline\":%s", four_stacks, timeline);
    loaded->profile.interval_s = interval_s;
    loaded->profile.elapsed_s = 10;
    loaded->profile.main_thread_id = 7;
    sc_stacks_init(&loaded->stacks, &loaded->profile);
    sc_timeline_view_init(&loaded->view, &loaded->profile, &loaded->stacks);
}

static void loaded_done(struct loaded *loaded)
{
    sc_timeline_view_done(&loaded->view);
    sc_stacks_done(&loaded->stacks);
    sc_profile_done(&loaded->profile);
}

#define RUN(t, stack, count, thread)                                                               \
    "{\"count\":" #count ",\"stack_index\":" #stack ",\"t_sec\":" #t ",\"thread_id\":" #thread "}"

/* Of each thread its number, * if it is the main one, and its runs: stack: start - end. */
static void assert_runs(const struct loaded *loaded, const char *expected)
{
    OWN(sc_str, text) = {0};
    for (size_t i = 0; i < loaded->view.threads.count; i++) {
        const struct sc_timeline_thread *thread = &loaded->view.threads.items[i];
        sc_str_add_format(&text, "%s%llu%s", i > 0 ? "; " : "", (unsigned long long)thread->number,
                          thread->is_main ? "*" : "");
        for (size_t k = 0; k < thread->runs.count; k++)
            sc_str_add_format(&text, " %u:%.10g-%.10g", thread->runs.items[k].stack,
                              thread->runs.items[k].start_s, thread->runs.items[k].end_s);
    }
    assert_string_equal(sc_str_text(&text), expected);
}

TEST(runs_last_as_long_as_they_count)
{
    OWN(loaded, l);
    load(&l, "[" RUN(0.0, 0, 10, 9) "," RUN(0.0, 0, 200, 7) "," RUN(1.0, 1, 50, 7) "]", 0.01);
    assert_runs(&l, "7* 0:0-1 1:1-1.5; 9 0:0-0.1"); /* cut by the next of the same thread */
    assert_float_equal(l.view.end_s, 1.5, 1e-9);
}

/* What a thread was kept from a CPU before it slept is reported while it sleeps. */
TEST(what_is_reported_late_came_before)
{
    OWN(loaded, l);
    load(&l,
         "[" RUN(0.0, 0, 100, 7) "," RUN(1.0, 1, 300, 7) "," RUN(1.015, 2, 1,
                                                                 7) "," RUN(3.998, 0, 100, 7) "]",
         0.01);
    assert_runs(&l, "7* 0:0-1 2:1-1.01 1:1.01-4.01 0:4.01-5.01");
}

/* A long run whose weight is a little more than the time until the next one. */
TEST(what_follows_a_long_run_stays_behind_it)
{
    OWN(loaded, l);
    load(&l,
         "[" RUN(0.0, 0, 105, 7) "," RUN(1.0, 1, 2, 7) "," RUN(1.02, 2, 105, 7) "," RUN(2.06, 3, 2,
                                                                                        7) "]",
         0.01);
    assert_runs(&l, "7* 0:0-1 1:1-1.02 2:1.02-2.06 3:2.06-2.08");
}

/* It would be moved beyond where the third one begins. */
TEST(runs_stay_in_their_order)
{
    OWN(loaded, l);
    load(&l, "[" RUN(0.0, 0, 4, 7) "," RUN(0.0005, 1, 3, 7) "," RUN(0.0006, 2, 8, 7) "]", 0.001);
    assert_runs(&l, "7* 0:0-0.0005 1:0.0005-0.0006 2:0.0006-0.0086");
}

TEST(a_thread_may_have_no_number)
{
    OWN(sc_profile, profile) =
        profile_of("\"combined_stacks\":%s,\"main_thread_id\":7,\"combined_stacks_timeline\":["
                   "{\"count\":9,\"stack_index\":0,\"t_sec\":0,\"thread_id\":null}]",
                   four_stacks);
    OWN(sc_stacks, stacks);
    OWN(sc_timeline_view, view);
    sc_stacks_init(&stacks, &profile);
    sc_timeline_view_init(&view, &profile, &stacks);
    assert_int_equal(view.threads.count, 1);
    assert_string_equal(view.threads.items[0].name, "thread not known");
}

TEST(threads_of_processes_are_distinguished)
{
    OWN(sc_profile, profile) = profile_of(
        "\"combined_stacks\":%s,\"main_thread_id\":7,\"scalene_c\":{\"interval_s\":0.01},"
        "\"combined_stacks_timeline\":["
        "{\"count\":9,\"stack_index\":0,\"t_sec\":0,\"thread_id\":7,\"tid\":41},"
        "{\"count\":5,\"stack_index\":0,\"t_sec\":0,\"thread_id\":7,\"tid\":40}]",
        four_stacks);
    OWN(sc_stacks, stacks);
    OWN(sc_timeline_view, view);
    for (uint64_t i = 0; i < 2; i++) {
        struct sc_thread thread = {.name = sc_strdup("MainThread"), .tid = 40 + i, .pid = 40 + i};
        thread.python_ident = 7;
        thread.is_main = true;
        sc_vec_push(&profile.threads, thread);
    }
    sc_stacks_init(&stacks, &profile);
    sc_timeline_view_init(&view, &profile, &stacks);
    assert_int_equal(view.threads.count, 2);
    assert_string_equal(view.threads.items[0].id, "41:41");
    assert_string_equal(view.threads.items[0].name, "41 MainThread");
    assert_string_equal(view.threads.items[1].id, "40:40");
}

/* Where there is a tree of calls its own timeline counts, in seconds since profiling began. */
TEST(a_tree_of_calls_has_a_timeline)
{
    OWN(loaded, l) = {
        .profile = profile_of(
            "\"combined_stacks\":%s,\"combined_stacks_timeline\":[" RUN(
                0.0, 0, 10,
                9) "],"
                   "\"main_thread_id\":7,\"scalene_c\":{\"interval_s\":0.01,"
                   "\"call_frames\":[{\"display_name\":\"f\"}],\"call_tree\":[[0,0,1,0],[1,0,2,0]],"
                   "\"call_timeline\":[[0.5,1.0,1,40],[1.5,2.0,2,40],[3,1,0,40],[3,1,3,40],[-1,1,1,"
                   "40]]}",
            four_stacks)};
    sc_stacks_init(&l.stacks, &l.profile);
    sc_timeline_view_init(&l.view, &l.profile, &l.stacks);
    assert_int_equal(l.view.run_count, 2);
    assert_runs(&l, "40 0:0.5-1.5 1:1.5-3.5");
}

TEST(without_an_interval_runs_last_until_the_next)
{
    OWN(loaded, l);
    load(&l, "[" RUN(0.0, 0, 10, 7) "," RUN(4.0, 1, 3, 7) "]", 0);
    assert_runs(&l, "7* 0:0-4 1:4-10");
}

TEST(a_span_weighs_what_lies_in_it)
{
    OWN(loaded, l);
    double weights[4];
    double firsts_s[4];
    load(&l, "[" RUN(0.0, 0, 100, 7) "," RUN(1.0, 1, 100, 7) "," RUN(1.5, 0, 20, 9) "]", 0.01);
    sc_timeline_weights(&l.view, SC_ANY_THREAD, 0.5, 1.6, weights, firsts_s);
    assert_float_equal(weights[0], 0.6, 1e-9);
    assert_float_equal(weights[1], 0.6, 1e-9);
    assert_float_equal(weights[2], 0, 1e-9);
    assert_true(isinf(firsts_s[2]));
    assert_float_equal(firsts_s[1], 1.0, 1e-9);
    sc_timeline_weights(&l.view, 1, 0.5, 1.6, weights, firsts_s);
    assert_float_equal(weights[0], 0.1, 1e-9);
    assert_float_equal(weights[1], 0, 1e-9);
}

TEST(tracks_go_by_the_names_of_frames)
{
    OWN(loaded, l);
    load(&l, "[" RUN(0.0, 1, 100, 7) "," RUN(1.0, 2, 100, 7) "," RUN(2.0, 3, 100, 7) "]", 0.01);
    assert_int_equal(l.view.marks[0], 0);
    assert_int_equal(l.view.marks[1], 1 << SC_TRACK_GC);
    assert_int_equal(l.view.marks[2], 1 << SC_TRACK_IO);
    assert_int_equal(l.view.marks[3], 1 << SC_TRACK_GIL);
    OWN(sc_timeline_span, span);
    sc_timeline_span_init(&span, &l.view, 0, 4, 8);
    assert_float_equal((double)span.shares[SC_TRACK_GC][1], 1, 1e-6);
    assert_float_equal((double)span.shares[SC_TRACK_GC][2], 0, 1e-6);
    assert_float_equal((double)span.shares[SC_TRACK_IO][2], 1, 1e-6);
    assert_float_equal((double)span.shares[SC_TRACK_GIL][7], 0, 1e-6);
}

static void long_timeline(struct sc_str *text, size_t count)
{
    sc_str_add_char(text, '[');
    for (size_t i = 0; i < count; i++) /* a tenth of each run's time is of stack 1 */
        sc_str_add_format(text,
                          "%s{\"count\":%d,\"stack_index\":%d,\"t_sec\":%.6f,\"thread_id\":7}",
                          i > 0 ? "," : "", i % 2 == 0 ? 9 : 1, (int)(i % 2),
                          (double)(i / 2) * 0.01 + (i % 2 == 0 ? 0 : 0.009));
    sc_str_add_char(text, ']');
}

TEST(short_runs_become_the_one_with_the_largest_part)
{
    OWN(sc_str, text) = {0};
    OWN(loaded, l);
    struct sc_timeline_span span;
    long_timeline(&text, 100000);
    load(&l, sc_str_text(&text), 0.001);
    assert_int_equal(l.view.run_count, 100000);
    sc_timeline_span_init(&span, &l.view, 0, 500, 1000);
    assert_int_equal(span.runs.count, 1); /* the same one in every bin, without gaps */
    assert_int_equal(span.runs.items[0].stack, 0);
    assert_float_equal(span.runs.items[0].start_s, 0, 1e-9);
    assert_float_equal(span.runs.items[0].end_s, 500, 0.01);
    for (size_t i = 0; i < span.bins; i++) /* the tenth that collects shows all the same */
        assert_float_equal((double)span.shares[SC_TRACK_GC][i], 0.1, 0.01);
    sc_timeline_span_done(&span);
    sc_timeline_span_init(&span, &l.view, 100, 100.1, 1000); /* near enough to distinguish them */
    assert_true(span.runs.count >= 20 && span.runs.count <= 22);
    sc_timeline_span_done(&span);
}

TEST(answers_are_bounded)
{
    OWN(sc_str, text) = {0};
    OWN(loaded, l);
    OWN(sc_timeline_span, span);
    sc_str_add_char(&text, '[');
    for (int i = 0; i < 200000; i++)
        sc_str_add_format(&text,
                          "%s{\"count\":1,\"stack_index\":%d,\"t_sec\":%.6f,\"thread_id\":%d}",
                          i > 0 ? "," : "", i / 2000 % 4, i * 0.001, i % 2000);
    sc_str_add_char(&text, ']');
    load(&l, sc_str_text(&text), 0.001);
    assert_int_equal(l.view.threads.count, 1000);
    assert_int_equal(l.view.run_count, 200000);
    sc_timeline_span_init(&span, &l.view, 0, 200, SIZE_MAX);
    assert_int_equal(span.bins, 4096);
    assert_int_equal(span.threads_shown, 64);
    assert_true(span.runs.count <= 60064);
}

TEST(nonsense_is_passed_over)
{
    static const char *const texts[] = {
        "[]",
        "[{},{\"new\":[]}]",
        "[" RUN(0.0, 4, 1, 7) "," RUN(-1, 0, 1, 7) "," RUN(0, 4294967295, 1, 7) "]",
        "[" RUN(0, 0, 0, 7) "," RUN(1e15, 0, 1, 7) "," RUN(0, 0, 18446744073709551615, 7) "]",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        OWN(loaded, l);
        OWN(sc_timeline_span, span);
        load(&l, texts[i], 0.01);
        assert_int_equal(l.view.run_count, 0);
        sc_timeline_span_init(&span, &l.view, 0, l.view.end_s, 100);
        assert_int_equal(span.runs.count, 0);
    }
    OWN(loaded, l);
    struct sc_timeline_span span;
    load(&l,
         "[" RUN(5, 0, 100, 18446744073709551615) "," RUN(1, 2, 3000, 0) "," RUN(5, 1, 1, 0) "]",
         0.01);
    assert_int_equal(l.view.run_count, 3);
    sc_timeline_span_init(&span, &l.view, NAN, NAN, 0);
    assert_int_equal(span.runs.count, 0);
    sc_timeline_span_done(&span);
    sc_timeline_span_init(&span, &l.view, -100, 1e12, 4096);
    sc_timeline_span_done(&span);
}

TEST(tracks_of_the_profile_come_before_names)
{
    OWN(loaded, l);
    struct sc_timeline_span span;
    l.profile = profile_of(
        "\"combined_stacks\":%s,\"combined_stacks_timeline\":[" RUN(
            0, 0, 400,
            7) "],"
               /* 0.5 to 2.5 s in slots of half a second; of collecting there was none */
               "\"scalene_c\":{\"interval_s\":0.01,\"timeline_tracks\":["
               "{\"id\":\"io\",\"begin_s\":0.5,\"slot_s\":0.5,\"shares\":[1,0.5,0,7]},"
               "{\"id\":\"gc\",\"begin_s\":0,\"slot_s\":1,\"shares\":[]},{\"id\":\"new\"}]}",
        four_stacks);
    sc_stacks_init(&l.stacks, &l.profile);
    sc_timeline_view_init(&l.view, &l.profile, &l.stacks);
    assert_true(l.view.has_track[SC_TRACK_IO]);
    assert_false(l.view.has_track[SC_TRACK_GC]);
    sc_timeline_span_init(&span, &l.view, 0, 4, 4);
    const float expected[] = {0.5F, 0.25F, 0.5F, 0};
    for (size_t i = 0; i < 4; i++)
        assert_float_equal(span.shares[SC_TRACK_IO][i], expected[i], 1e-5);
    sc_timeline_span_done(&span);
    sc_timeline_span_init(&span, &l.view, 1, 1.5, 10); /* finer than the slots */
    for (size_t i = 0; i < 10; i++)
        assert_float_equal(span.shares[SC_TRACK_IO][i], 0.5F, 1e-5);
    sc_timeline_span_done(&span);
}

TEST(tracks_that_make_no_sense_are_passed_over)
{
    double share = 1;
    char io[] = "io";
    char none[] = "";
    struct sc_profile_track tracks[] = {
        {io, -1, 1, {&share, 1, 1}},
        {io, 0, 0, {&share, 1, 1}},
        {io, 0, 1e15, {&share, 1, 1}},
        {none, 0, 1, {&share, 1, 1}},
    };
    struct sc_profile profile = {.tracks = {tracks, 4, 4}};
    struct sc_track_curve curves[SC_TRACK_COUNT_] = {0};
    float shares[4];
    sc_track_curves_init(curves, &profile);
    assert_false(curves[SC_TRACK_IO].is_there);
    tracks[0] = (struct sc_profile_track){io, 1e9, 1e-300, {&share, 1, 1}};
    sc_track_curves_init(curves, &profile);
    sc_track_curve_bins(&curves[SC_TRACK_IO], 0, 2e9, 4, shares);
    assert_float_equal(shares[2], 0, 1e-5);
    sc_track_curves_done(curves);
}
