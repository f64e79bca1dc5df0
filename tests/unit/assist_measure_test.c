/*
 * tests/unit/assist_measure_test.c - what can be said of two series of runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "assist/measure.h"
#include "assist/trial.h"
#include "sc_test.h"

TEST(medians_do_not_mind_one_bad_run)
{
    double original[] = {2.0, 2.1, 9.0, 1.9, 2.0};
    double changed[] = {1.0, 1.0, 1.1, 0.9, 1.0};
    struct sc_ai_compared result = sc_ai_compare(original, changed, 5);
    assert_true(fabs(result.original - 2.0) < 1e-9);
    assert_true(fabs(result.changed - 1.0) < 1e-9);
    assert_true(fabs(result.change_percent + 50.0) < 1e-9);
    assert_true(result.is_certain);
}

TEST(overlapping_runs_are_not_certain)
{
    double original[] = {1.0, 1.2, 1.1, 1.3, 1.2};
    double changed[] = {1.0, 1.1, 1.05, 1.25, 1.1};
    assert_false(sc_ai_compare(original, changed, 5).is_certain);
}

/* Two series of three are apart by chance alone in one case of ten. */
TEST(three_runs_prove_nothing)
{
    double original[] = {2.0, 2.0, 2.0, 2.0};
    double changed[] = {1.0, 1.0, 1.0, 1.0};
    assert_false(sc_ai_compare(original, changed, 3).is_certain);
    assert_true(sc_ai_compare(original, changed, 4).is_certain);
}

TEST(nothing_is_divided_by_nothing)
{
    double zeros[2][3] = {{0.0}, {0.0}};
    struct sc_ai_compared result = sc_ai_compare(zeros[0], zeros[1], 3);
    assert_true(result.change_percent == 0.0 && !result.is_certain);
    result = sc_ai_compare(zeros[0], zeros[1], 0);
    assert_true(result.original == 0.0 && !result.is_certain);
}

static void expect_verdict(const struct sc_ai_measured *measured, const char *wanted)
{
    OWN(sc_str, text) = {0};
    sc_ai_measured_verdict(measured, &text);
    assert_string_equal(sc_str_text(&text), wanted);
}

TEST(the_verdict_says_what_has_changed)
{
    struct sc_ai_measured measured = {
        .rounds = 5,
        .time_s = {.change_percent = -40.0, .is_certain = true},
        .peak_mb = {.change_percent = 12.0, .is_certain = true},
        .is_steady = true,
    };
    expect_verdict(&measured, "40% less time, 12% more memory; THE EXIT STATUS HAS CHANGED; THE "
                              "OUTPUT HAS CHANGED");
    measured.same_output = true;
    expect_verdict(&measured, "40% less time, 12% more memory; THE EXIT STATUS HAS CHANGED; the "
                              "output is the same");
    measured.same_status = true;
    expect_verdict(&measured,
                   "40% less time, 12% more memory; output and exit status are the same");
}

TEST(the_verdict_says_what_it_cannot_know)
{
    struct sc_ai_measured measured = {
        .rounds = 3,
        .time_s = {.change_percent = -93.0, .change_error_percent = 1.0},
        .is_steady = true,
        .same_output = true,
        .same_status = true,
    };
    expect_verdict(&measured,
                   "3 runs of each version are too few to distinguish a change from chance: "
                   "at least 4 are needed; output and exit status are the same");
    measured.rounds = 4;
    measured.original_status = measured.changed_status = 1;
    expect_verdict(
        &measured,
        "no difference in time that can be distinguished from chance, no difference in memory "
        "that can be distinguished from chance; output and exit status are the same; the "
        "original itself fails, so it may not have come to the code that was to be "
        "tried");
}

TEST(a_run_that_does_not_reach_the_lines_shows_nothing)
{
    struct sc_ai_measured measured = {.rounds = 5,
                                      .is_steady = true,
                                      .same_output = true,
                                      .same_status = true,
                                      .is_unseen = true};
    expect_verdict(&measured, "neither version was seen in the lines of the proposal: what was "
                              "run does not come to them, or takes next to no time there, so it "
                              "shows nothing of them; output and exit status are the same");
    measured.time_s = (struct sc_ai_compared){.change_percent = 20.0, .is_certain = true};
    expect_verdict(
        &measured,
        "neither version was seen in the lines of the proposal: what was run does not "
        "come to them, or takes next to no time there, so it shows nothing of them; "
        "20% more time, no difference in memory that can be distinguished from chance; output "
        "and exit status are the same");
}

TEST(paths_are_replaced_wherever_they_stand)
{
    OWN(sc_str, text) = {0};
    static const char words[] = "/a/b:/a/bc /a --in=/a/b/c,/x/a/b /a/b-data /a/b";
    sc_ai_replace_path(words, strlen(words), "/a/b", "X", true, &text);
    assert_string_equal(text.data, "X:/a/bc /a --in=X/c,/x/a/b /a/b-data X");
    sc_str_clear(&text);
    sc_ai_replace_path("in /a/b.", strlen("in /a/b."), "/a/b", "X", false, &text);
    assert_string_equal(text.data, "in X.");
}
