/*
 * cli/cmd_compare.c - `scalene compare -- A -- B`: which of two commands is faster.
 *
 * What is timed is the commands as they are, without a profiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/copy.h"
#include "base/child.h"
#include "base/mem.h"
#include "base/own_folder.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "benchmark/rounds.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/interpreter.h"
#include "cli/plan.h"
#include "cli/profile_file.h"
#include "compare/compare.h"
#include "render/comparison.h"
#include "render/screen.h"
#include "report/number.h"

/* -------- what was found -------- */

#define COMMAND_BYTES_MAX 72
#define NOTABLE           0.01 /* below that, a difference in memory is not worth a word */

/* What a difference is of, in a sentence and in JSON. */
static const struct {
    const char *name;
    const char *title;
    const char *key;
} measures[SC_MEASURE_COUNT_] = {
    [SC_MEASURE_ELAPSED] = {"time", "elapsed time", "elapsed_s"},
    [SC_MEASURE_CPU] = {"CPU time", "CPU time", "cpu_s"},
    [SC_MEASURE_PEAK] = {"memory", "peak memory", "peak_mb"},
};

/* "3.1% less", "12% more". */
static void add_change(double change, struct sc_str *text)
{
    sc_str_add_format(text, "%s %s", sc_number_fine_percent(fabs(change) * 100.0).text,
                      change < 0.0 ? "less" : "more");
}

/* "between 2.0% less and 4.1% more". */
static void add_bounds(const struct sc_rank_difference *difference, struct sc_str *text)
{
    sc_str_add(text, "between ");
    add_change(difference->low, text);
    sc_str_add(text, " and ");
    add_change(difference->high, text);
}

static void add_certain(const struct sc_rank_difference *difference, enum sc_measure measure,
                        struct sc_str *text)
{
    sc_str_add(text, "B takes ");
    add_change(difference->change, text);
    sc_str_add_format(text, " %s than A (", measures[measure].name);
    add_bounds(difference, text);
    sc_str_add(text, ")");
}

/* Which of both is faster, by how much and how surely, in a sentence without a newline. */
static void rounds_verdict(const struct sc_rounds *rounds, struct sc_str *text)
{
    const struct sc_rank_difference *elapsed = &rounds->of[SC_MEASURE_ELAPSED].difference;
    const struct sc_rank_difference *cpu = &rounds->of[SC_MEASURE_CPU].difference;
    const struct sc_rank_difference *peak = &rounds->of[SC_MEASURE_PEAK].difference;
    if (!elapsed->has_bounds) {
        sc_str_add_format(text, "%u %s too few to tell a difference from chance: %u are needed",
                          rounds->count, rounds->count == 1 ? "round is" : "rounds are",
                          SC_ROUNDS_LEAST);
    } else if (elapsed->is_certain) {
        add_certain(elapsed, SC_MEASURE_ELAPSED, text);
    } else if (cpu->is_certain) {
        add_certain(cpu, SC_MEASURE_CPU, text);
        sc_str_add(text, "; what it takes in elapsed time differs too much from run to run here");
    } else {
        sc_str_add(text, "No difference that can be told from chance: B takes ");
        add_bounds(elapsed, text);
        sc_str_add(text, " time than A");
    }
    if (peak->is_certain && fabs(peak->change) >= NOTABLE) {
        sc_str_add(text, "; it needs ");
        add_change(peak->change, text);
        sc_str_add(text, " memory");
    }
}

static void add_row(enum sc_measure measure, const struct sc_measured *measured,
                    struct sc_str *text)
{
    struct sc_number values[2];
    for (int i = 0; i < 2; i++)
        values[i] = measure == SC_MEASURE_PEAK ? sc_number_megabytes(measured->medians[i])
                                               : sc_number_duration(measured->medians[i]);
    sc_str_add_format(text, "  %-14s%12s%12s   ", measures[measure].title, values[0].text,
                      values[1].text);
    if (!measured->difference.has_bounds)
        sc_str_add(text, "not known");
    else if (measured->difference.is_certain)
        add_change(measured->difference.change, text);
    else
        sc_str_add(text, "no certain difference");
    if (measured->difference.has_bounds) {
        sc_str_add(text, " (");
        add_bounds(&measured->difference, text);
        sc_str_add(text, ")");
    }
    sc_str_add(text, "\n");
}

/* The first characters of the command, and dots where there are more. */
static void add_command(const char *name, const char *command, struct sc_str *text)
{
    SC_AUTO_FREE char *shown = sc_visible(command);
    size_t length = strlen(shown);
    size_t fits = sc_utf8_fit(shown, length, COMMAND_BYTES_MAX);
    sc_str_add_format(text, "  %s: %.*s%s\n", name, (int)fits, shown, fits < length ? "..." : "");
}

/* The verdict and a table of what was measured. commands: as they were written. */
static void rounds_text(const struct sc_rounds *rounds, char *const commands[2],
                        struct sc_str *text)
{
    rounds_verdict(rounds, text);
    sc_str_add(text, ".\n\n");
    add_command("A", commands[0], text);
    add_command("B", commands[1], text);
    sc_str_add_format(text, "  %-14s%12s%12s   B against A\n", "medians", "A", "B");
    for (int i = 0; i < SC_MEASURE_COUNT_; i++)
        add_row((enum sc_measure)i, &rounds->of[i], text);
    sc_str_add_format(text, "  %u %s, each command once in each, in turn", rounds->count,
                      rounds->count == 1 ? "round" : "rounds");
    if (rounds->of[SC_MEASURE_ELAPSED].difference.has_bounds)
        sc_str_add_format(text, "; all intervals together hold in %.0f of 100 comparisons",
                          100.0 * (1.0 - SC_ROUNDS_ALPHA));
    sc_str_add(text, "\n");
    if (!rounds->same_output)
        sc_str_add(text, "  The outputs of A and B differ.\n");
    for (int i = 0; i < 2; i++)
        if (rounds->statuses[i] != 0)
            sc_str_add_format(text, "  %s ended with %s %d.\n", i == 0 ? "A" : "B",
                              rounds->statuses[i] > 0 ? "exit status" : "signal",
                              abs(rounds->statuses[i]));
}

static json_t *measured_json(const struct sc_measured *measured)
{
    const struct sc_rank_difference *difference = &measured->difference;
    json_t *object = json_pack("{s:f, s:f, s:f, s:b}", "a", measured->medians[0], "b",
                               measured->medians[1], "change_percent", difference->change * 100.0,
                               "is_certain", (int)difference->is_certain);
    json_t *low = difference->has_bounds ? json_real(difference->low * 100.0) : json_null();
    json_t *high = difference->has_bounds ? json_real(difference->high * 100.0) : json_null();
    (void)json_object_set_new(object, "low_percent", low);
    (void)json_object_set_new(object, "high_percent", high);
    return object;
}

/* The same as a JSON object and a newline (docs/compare.md). places: the JSON text that is the
 * value of "profiles". */
static void rounds_json(const struct sc_rounds *rounds, char *const commands[2], const char *places,
                        struct sc_str *text)
{
    SC_AUTO(sc_str_done) struct sc_str verdict = {0};
    rounds_verdict(rounds, &verdict);
    json_t *object =
        json_pack("{s:i, s:f, s:b, s:s, s:[i, i]}", "rounds", (int)rounds->count, "error_chance",
                  SC_ROUNDS_ALPHA, "same_output", (int)rounds->same_output, "verdict",
                  sc_str_text(&verdict), "statuses", rounds->statuses[0], rounds->statuses[1]);
    json_t *shown = json_array();
    for (int i = 0; i < 2; i++) {
        SC_AUTO_FREE char *command = sc_visible(commands[i]);
        (void)json_array_append_new(shown, json_string(command));
    }
    (void)json_object_set_new(object, "commands", shown);
    for (int i = 0; i < SC_MEASURE_COUNT_; i++)
        (void)json_object_set_new(object, measures[i].key, measured_json(&rounds->of[i]));
    (void)json_object_set_new(object, "profiles", json_loads(places, JSON_DECODE_ANY, NULL));
    SC_AUTO_FREE char *json =
        json_dumps(object, JSON_INDENT(4) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
    sc_str_add_format(text, "%s\n", json != NULL ? json : "{}");
    json_decref(object);
}

/* One of both: what the user wrote, and what that starts. */
struct side {
    struct sc_words words;  /* borrowed, ended by NULL */
    struct sc_words of_run; /* the same as words behind `run`, which writes to outfile */
    char *text;             /* the same, in one line */
    struct sc_planned_run planned;
    char *output; /* the file that its output goes to */
    char *outfile_option;
    char *python_option;
    const char *outfile; /* the file that is named there */
    SC_VEC(struct sc_profile) profiles;
    int profiled_status; /* of the last run without a profile, as in struct sc_timed_run */
};

struct compare {
    struct sc_words options; /* borrowed, ended by NULL */
    struct sc_values values;
    struct side sides[2];
    char *folder;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupted != 0;
}

/* Divides the line: options, then both commands, each after the word -- (or ---, where a command
 * has a -- of its own). */
static bool divide(struct compare *compare, char *const *words, struct sc_err *err)
{
    const char *mark = NULL;
    size_t parts = 0;
    for (size_t i = 0; words[i] != NULL; i++) {
        if (mark == NULL && sc_is_among(words[i], "-- ---"))
            mark = words[i];
        if (mark != NULL && strcmp(words[i], mark) == 0) {
            if (++parts > 2)
                return sc_fail(err, SC_ERR_USAGE,
                               "compare: there are more than two commands; write --- before each "
                               "of both where one has -- in it");
        } else {
            sc_vec_push(parts == 0 ? &compare->options : &compare->sides[parts - 1].words,
                        words[i]);
        }
    }
    sc_vec_push(&compare->options, NULL);
    return true;
}

/* Finds out what a command starts. A program of Python's may be named alone, as for `run`. */
static bool plan_side(struct side *side, int which, const char *folder, struct sc_err *err)
{
    char *const *words = side->words.items;
    struct sc_words *of_run = &side->of_run;
    struct sc_str text = {0};
    struct sc_err cause = {0};
    if (side->words.count == 0)
        return sc_fail(err, SC_ERR_USAGE,
                       "compare: two commands are needed: scalene compare -- A -- B");
    bool is_program = words[0][0] == '-' || sc_ends_with(words[0], ".py");
    static char mark[] = "--";
    static const char option[] = "--outfile=";
    side->outfile_option = sc_format("%s%s/profile-%d.json", option, folder, which);
    side->outfile = side->outfile_option + strlen(option);
    static char as_is[] = "--outfile-as-is";
    sc_vec_push(of_run, as_is);
    sc_vec_push(of_run, side->outfile_option);
    if (sc_interpreter_own() != NULL) { /* of which the profiled run would not know */
        side->python_option = sc_format("--python=%s", sc_interpreter_own());
        sc_vec_push(of_run, side->python_option);
    }
    if (!is_program)
        sc_vec_push(of_run, mark);
    for (size_t i = 0; i < side->words.count; i++) {
        sc_vec_push(of_run, words[i]);
        sc_str_add_format(&text, "%s%s", i > 0 ? " " : "", words[i]);
    }
    sc_vec_push(of_run, NULL);
    side->text = text.data;
    bool good = sc_plan_make(of_run->items, false, &side->planned, &cause);
    if (good && side->planned.plan.command == NULL)
        good = sc_fail(&cause, SC_ERR_USAGE, "it names no program");
    if (!good)
        (void)sc_fail(err, cause.kind, "compare: %s: %s", which == 0 ? "A" : "B", cause.text);
    return good;
}

static void show_round(void *context, unsigned round, const struct sc_timed_run runs[2])
{
    (void)context;
    (void)fprintf(stderr, "\r\033[Kround %u%s: A %s, B %s", round,
                  round == 0 ? " (to warm up)" : "", sc_number_duration(runs[0].elapsed_s).text,
                  sc_number_duration(runs[1].elapsed_s).text);
}

static bool run_rounds(struct compare *compare, struct sc_rounds *rounds, struct sc_err *err)
{
    const struct sc_value *of = compare->values.of;
    bool is_terminal = isatty(STDERR_FILENO) == 1;
    struct sc_rounds_plan plan = {
        .rounds = (unsigned)of[SC_OPT_COMPARE_ROUNDS].count,
        .budget_s = of[SC_OPT_COMPARE_BUDGET].number,
        .takes_failures = of[SC_OPT_COMPARE_IGNORE_FAILURE].flag,
        .on_round = is_terminal ? show_round : NULL,
    };
    for (int i = 0; i < 2; i++) {
        struct side *side = &compare->sides[i];
        side->output = sc_format("%s/output-%s", compare->folder, i == 0 ? "a" : "b");
        plan.commands[i] = (struct sc_timed_command){
            .words = side->planned.plan.command,
            .environment = environ,
            .output = side->output,
            .is_cancelled = is_interrupted,
        };
    }
    struct sc_err cause = {0};
    bool good = sc_rounds_run(&plan, rounds, &cause);
    if (is_terminal)
        (void)fputs("\r\033[K", stderr);
    return good || sc_fail(err, cause.kind, "compare: %s", cause.text);
}

/* Runs a side once more, under the profiler. A side without a profile, as no Python was started, is
 * no failure. One that fails under the profiler alone has done something else, so its profile is
 * not used. */
static bool profile_side(struct compare *compare, int which, struct sc_err *err)
{
    struct side *side = &compare->sides[which];
    SC_AUTO_FREE struct sc_words words = {0};
    struct sc_timed_run run = {0};
    struct sc_profile profile = {0};
    struct sc_err cause = {0};
    SC_AUTO_FREE char *self = sc_own_executable();
    static char run_word[] = "run";
    static char quiet_word[] = "--quiet";
    sc_vec_push(&words, self);
    sc_vec_push(&words, run_word);
    sc_vec_push(&words, quiet_word);
    for (size_t i = 0; i < side->of_run.count; i++)
        sc_vec_push(&words, side->of_run.items[i]); /* with the NULL at their end */
    const struct sc_timed_command command = {
        .words = words.items,
        .environment = environ,
        .output = side->output,
        .is_cancelled = is_interrupted,
    };
    (void)unlink(side->outfile);
    bool good = sc_timed_run(&command, &run, &cause) ||
                sc_fail(err, cause.kind, "compare: %s: %s", which == 0 ? "A" : "B", cause.text);
    if (!good)
        return false;
    bool is_read = sc_profile_file_read(side->outfile, &profile, NULL);
    bool is_valid = run.status == 0 || compare->values.of[SC_OPT_COMPARE_IGNORE_FAILURE].flag;
    if (is_read && is_valid && !sc_profile_is_empty(&profile)) {
        sc_vec_push(&side->profiles, profile);
    } else {
        sc_profile_done(&profile);
        side->profiled_status = run.status;
    }
    return true;
}

/* Profiles of both, in turn, to be compared. */
static bool profile_both(struct compare *compare, struct sc_err *err)
{
    uint64_t rounds = compare->values.of[SC_OPT_COMPARE_PROFILES].count;
    for (uint64_t i = 0; i < rounds; i++) {
        int first = i % 2 == 0 ? 0 : 1;
        if (!profile_side(compare, first, err) || !profile_side(compare, !first, err))
            return false;
    }
    return true;
}

static void add_why_no_places(const char *name, int status, struct sc_str *text)
{
    sc_str_add_format(text, "\nWhere the difference lies is not known: there is no profile of %s, ",
                      name);
    if (status != 0)
        sc_str_add_format(text, "whose profiled run ended with %s %d.\n",
                          status > 0 ? "exit status" : "signal", abs(status));
    else
        sc_str_add(text, "which starts no Python, or for too short a time.\n");
}

/* Adds where the difference lies, by the profiles; with is_json as a JSON object, else null. */
static void add_places(struct compare *compare, const struct sc_screen *screen, bool is_json,
                       struct sc_str *text)
{
    const struct side *sides = compare->sides;
    const struct sc_match_profiles profiles[2] = {
        {sides[0].profiles.items, sides[0].profiles.count},
        {sides[1].profiles.items, sides[1].profiles.count}};
    const struct sc_limits no_limits = {0};
    bool is_profiled = profiles[0].count > 0 && profiles[1].count > 0;
    bool is_asked = compare->values.of[SC_OPT_COMPARE_PROFILES].count > 0;
    if (!is_profiled && is_json)
        sc_str_add(text, "null");
    if (!is_profiled && !is_json && is_asked)
        add_why_no_places(profiles[0].count == 0 ? "A" : "B",
                          sides[profiles[0].count == 0 ? 0 : 1].profiled_status, text);
    if (!is_profiled)
        return;
    SC_AUTO(sc_comparison_done) struct sc_comparison comparison = {0};
    sc_comparison_init(&comparison, profiles, 1);
    if (!is_json)
        sc_str_add(text, "\nWhere the difference lies, by profiles of further runs:\n\n");
    if (is_json)
        sc_render_comparison_json(&comparison, &no_limits, false, text);
    else
        sc_render_comparison(&comparison, &no_limits, &screen->rendering, false, text);
}

static void show(struct compare *compare, const struct sc_rounds *rounds, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    SC_AUTO(sc_str_done) struct sc_str places = {0};
    char *const commands[2] = {compare->sides[0].text, compare->sides[1].text};
    bool is_json = compare->values.of[SC_OPT_COMPARE_JSON].flag;
    struct sc_screen screen = sc_screen_of(is_json ? -1 : STDOUT_FILENO); /* -1: no pager */
    add_places(compare, &screen, is_json, &places);
    if (is_json)
        rounds_json(rounds, commands, sc_str_text(&places), &text);
    else
        rounds_text(rounds, commands, &text);
    if (!is_json)
        sc_str_add(&text, sc_str_text(&places));
    (void)sc_screen_show(&screen, STDOUT_FILENO, &text, err);
}

static void compare_both(struct compare *compare, struct sc_err *err)
{
    struct sc_rounds rounds = {0};
    compare->folder = sc_new_private_folder(err);
    if (compare->folder == NULL)
        return;
    (void)signal(SIGINT, on_interrupt);
    (void)signal(SIGTERM, on_interrupt);
    if (!sc_ignores_hangup())
        (void)signal(SIGHUP, on_interrupt);
    if (plan_side(&compare->sides[0], 0, compare->folder, err) &&
        plan_side(&compare->sides[1], 1, compare->folder, err) &&
        run_rounds(compare, &rounds, err) && profile_both(compare, err))
        show(compare, &rounds, err);
    sc_remove_tree(compare->folder);
}

int sc_cmd_compare(char *const *words, struct sc_err *err)
{
    struct compare compare = {0};
    struct sc_words operands = {0};
    sc_values_init(&compare.values);
    if (divide(&compare, words, err) &&
        sc_options_parse(SC_VERB_COMPARE, compare.options.items, &compare.values, &operands, err)) {
        if (compare.values.of[SC_OPT_COMPARE_HELP].flag)
            sc_help_show(SC_VERB_COMPARE, SC_GROUP_BASIC);
        else if (operands.count > 0)
            (void)sc_fail(err, SC_ERR_USAGE,
                          "compare: '%.100s' stands before the first --: scalene compare -- A -- B",
                          operands.items[0]);
        else
            compare_both(&compare, err);
    }
    for (int i = 0; i < 2; i++) {
        sc_vec_done(&compare.sides[i].words);
        sc_planned_run_done(&compare.sides[i].planned);
        free(compare.sides[i].text);
        free(compare.sides[i].output);
        free(compare.sides[i].outfile_option);
        free(compare.sides[i].python_option);
        sc_vec_done(&compare.sides[i].of_run);
        sc_vec_done_each(&compare.sides[i].profiles, sc_profile_done);
    }
    free(compare.folder);
    sc_vec_done(&compare.options);
    sc_vec_done(&operands);
    sc_values_done(&compare.values);
    return sc_err_status(err);
}
