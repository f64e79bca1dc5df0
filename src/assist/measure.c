/* assist/measure.c - see measure.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assist/command.h"
#include "assist/trial.h"
#include "base/io.h"
#include "base/sort.h"
#include "report/number.h"

/* A series of runs ends early when it would take longer. */
#define BUDGET_S 300.0
#define NS_PER_S 1e9

/* Of each version. Two equal series of so many are apart by chance in 2 of 70 cases; time and
 * memory make two such looks. */
#define ROUNDS_MIN 4U

/* A notch of a box plot: half an interval of 95 % around a median (McGill, Tukey and Larsen,
 * https://doi.org/10.1080/00031305.1978.10479236). */
#define NOTCH 1.57

#define SHOWN_MAX 120U /* of a line of output */

/* Between the two values that are nearest; sorted. */
static double quantile(const double *sorted, size_t count, double part)
{
    double position = part * (double)(count - 1);
    size_t below = (size_t)position;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

static double error_of(const double *sorted, size_t count)
{
    double spread = quantile(sorted, count, 0.75) - quantile(sorted, count, 0.25);
    return NOTCH * spread / sqrt((double)count);
}

struct sc_ai_compared sc_ai_compare(double *original, double *changed, size_t count)
{
    struct sc_ai_compared result = {0};
    if (count == 0)
        return result;
    qsort(original, count, sizeof(double), sc_by_number);
    qsort(changed, count, sizeof(double), sc_by_number);
    result.original = quantile(original, count, 0.5);
    result.changed = quantile(changed, count, 0.5);
    result.original_error = error_of(original, count);
    result.changed_error = error_of(changed, count);
    if (result.original <= 0.0)
        return result;
    double ratio = result.changed / result.original;
    double part = result.original_error / result.original;
    double own = result.changed > 0.0 ? result.changed_error / result.changed : 0.0;
    result.change_percent = 100.0 * (ratio - 1.0);
    result.change_error_percent = 100.0 * ratio * sqrt(part * part + own * own);
    /* with few runs, the two series must not overlap, either */
    bool apart = changed[count - 1] < original[0] || changed[0] > original[count - 1];
    result.is_certain =
        apart && fabs(result.change_percent) > result.change_error_percent && count >= ROUNDS_MIN;
    return result;
}

/* What is collected of the runs of both versions. */
struct series {
    struct sc_ai_run *runs[2]; /* of SC_AI_ROUNDS_MAX each */
    unsigned count;
};

static void report_run(const struct sc_ai_trial *trial, const struct series *series,
                       bool is_changed, const struct sc_ai_run *run, bool counts)
{
    if (trial->progress == NULL)
        return;
    SC_AUTO_FREE char *sentence =
        sc_format("run %u%s of the %s: %s", series->count + 1, counts ? "" : " (to warm up)",
                  is_changed ? "proposal" : "original", sc_number_duration(run->wall_s).text);
    trial->progress(trial->context, sentence);
}

static bool run_both(struct sc_ai_bench *bench, struct series *series, bool counts,
                     struct sc_err *err)
{
    unsigned index = series->count;
    for (int i = 0; i < 2; i++) {
        /* versions take turns in going first, so that drift favours neither */
        bool is_changed = (i + (int)index) % 2 == 1;
        struct sc_ai_run *run = &series->runs[is_changed][index];
        if (!sc_ai_bench_run(bench, is_changed, run, err)) {
            if (i == 1)
                sc_ai_run_done(&series->runs[!is_changed][index]);
            return false;
        }
        report_run(bench->trial, series, is_changed, run, counts);
    }
    series->count++;
    if (series->runs[0][index].uses_original || series->runs[1][index].uses_original)
        return sc_fail(err, SC_ERR_FAILED,
                       "the program takes its code from '%s' itself, not from the copy, so the "
                       "proposal cannot be tried",
                       bench->root);
    return true;
}

struct output_line {
    const char *text;
    size_t length; /* with its newline; 0 at the end */
};

static struct output_line take_line(const struct sc_str *output, size_t *at)
{
    const char *start = sc_str_text(output) + *at;
    size_t left = output->length - *at;
    const char *newline = memchr(start, '\n', left);
    size_t length = newline != NULL ? (size_t)(newline - start) + 1 : left;
    *at += length;
    return (struct output_line){start, length};
}

static bool same_line(struct output_line one, struct output_line other)
{
    return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
}

static int shown_length(struct output_line line)
{
    size_t length =
        line.length > 0 && line.text[line.length - 1] == '\n' ? line.length - 1 : line.length;
    return (int)(length < SHOWN_MAX ? length : SHOWN_MAX);
}

/* Compares the lines that are the same in all runs of the original: many programs print times. */
static void compare_outputs(const struct series *series, struct sc_ai_measured *ret)
{
    size_t at[2][SC_AI_ROUNDS_MAX + 1] = {{0}};
    struct output_line first = {NULL, 1};
    ret->is_steady = ret->same_output = true;
    for (unsigned lineno = 1; first.length > 0; lineno++) {
        bool is_steady = true;
        first = take_line(&series->runs[0][0].output, &at[0][0]);
        for (unsigned i = 1; i < series->count; i++)
            is_steady &= same_line(first, take_line(&series->runs[0][i].output, &at[0][i]));
        ret->is_steady &= is_steady;
        ret->steady_lines += is_steady && first.length > 0;
        for (unsigned i = 0; i < series->count; i++) {
            struct output_line now = take_line(&series->runs[1][i].output, &at[1][i]);
            if (!is_steady || same_line(first, now))
                continue;
            ret->same_output = false;
            if (ret->output_difference == NULL)
                ret->output_difference =
                    sc_format("line %u of the output was \"%.*s\" and is now \"%.*s\"", lineno,
                              shown_length(first), first.text, shown_length(now), now.text);
        }
    }
}

static bool is_blank(struct output_line line)
{
    while (line.length > 0 && (unsigned char)line.text[line.length - 1] <= ' ')
        line.length--;
    return line.length == 0;
}

/* The last line that is not blank; NULL where there is none. Owned. */
static char *last_line(const struct sc_str *output)
{
    struct output_line last = {0};
    size_t at = 0;
    for (struct output_line line; (line = take_line(output, &at)).length > 0;)
        if (!is_blank(line))
            last = line;
    return last.length > 0 ? sc_format("%.*s", shown_length(last), last.text) : NULL;
}

static void judge_behaviour(const struct series *series, struct sc_ai_measured *ret)
{
    const struct sc_ai_run *original = series->runs[0];
    const struct sc_ai_run *changed = series->runs[1];
    const struct sc_ai_run *failed = original[0].status != 0 ? &original[0] : NULL;
    ret->original_status = original[0].status;
    ret->changed_status = changed[0].status;
    ret->same_status = true;
    for (unsigned i = 0; i < series->count; i++) {
        if (changed[i].status != original[0].status) {
            ret->same_status = false;
            ret->changed_status = changed[i].status;
            failed = failed != NULL ? failed : &changed[i];
        }
    }
    ret->last_line = failed != NULL ? last_line(&failed->output) : NULL;
    compare_outputs(series, ret);
}

static double time_of(const struct sc_ai_run *run, bool by_profile)
{
    return by_profile ? run->elapsed_s : run->wall_s;
}

/* Sets is_unseen when every run has a profile and none of them reached the lines of the
 * proposal. */
static void judge_reach(const struct series *series, struct sc_ai_measured *ret)
{
    ret->is_unseen = true;
    for (int k = 0; k < 2; k++)
        for (unsigned i = 0; i < series->count; i++)
            ret->is_unseen = ret->is_unseen && series->runs[k][i].has_profile &&
                             !series->runs[k][i].reaches_lines;
}

/* first: the index of the first run that counts; runs before it were for warming up. */
static void judge_numbers(const struct series *series, unsigned first, struct sc_ai_measured *ret)
{
    unsigned count = series->count - first;
    double values[2][SC_AI_ROUNDS_MAX + 1] = {{0.0}};
    bool by_profile = true;
    ret->peak_is_footprint = true;
    for (int k = 0; k < 2; k++)
        for (unsigned i = first; i < series->count; i++) {
            by_profile = by_profile && series->runs[k][i].elapsed_s > 0.0;
            ret->peak_is_footprint =
                ret->peak_is_footprint && series->runs[k][i].footprint_mb > 0.0;
        }
    for (int k = 0; k < 2; k++)
        for (unsigned i = first; i < series->count; i++)
            values[k][i - first] = time_of(&series->runs[k][i], by_profile);
    ret->time_s = sc_ai_compare(values[0], values[1], count);
    for (int k = 0; k < 2; k++)
        for (unsigned i = first; i < series->count; i++)
            values[k][i - first] = ret->peak_is_footprint ? series->runs[k][i].footprint_mb
                                                          : series->runs[k][i].rss_mb;
    ret->peak_mb = sc_ai_compare(values[0], values[1], count);
    ret->rounds = count;
}

/* Runs all rounds. The first is only a warm-up, unless it takes too long to be left out. */
static bool run_series(struct sc_ai_bench *bench, struct series *series, unsigned *ret_first,
                       struct sc_err *err)
{
    unsigned asked = bench->trial->rounds;
    unsigned rounds = asked > 0 ? asked : SC_AI_ROUNDS;
    if (rounds > SC_AI_ROUNDS_MAX)
        rounds = SC_AI_ROUNDS_MAX;
    uint64_t start_ns = sc_now_ns();
    if (!run_both(bench, series, false, err))
        return false;
    double round_s = (double)(sc_now_ns() - start_ns) / NS_PER_S;
    *ret_first = round_s * (rounds + 1) <= BUDGET_S ? 1 : 0;
    while (series->count - *ret_first < rounds) {
        unsigned done = series->count - *ret_first;
        double spent_s = (double)(sc_now_ns() - start_ns) / NS_PER_S;
        if (asked == 0 && done >= ROUNDS_MIN && spent_s + round_s > BUDGET_S)
            break;
        if (!run_both(bench, series, true, err))
            return false;
    }
    return true;
}

/* The command as it was shown before. */
static char *command_text(const struct sc_ai_bench *bench)
{
    SC_AUTO(sc_ai_command_done) struct sc_ai_command command = {0};
    sc_ai_command_describe(bench->proposal, bench->trial, &command);
    return sc_strdup(command.line != NULL ? command.line : "");
}

bool sc_ai_measure(const struct sc_ai_proposal *proposal, const struct sc_ai_trial *trial,
                   struct sc_ai_measured *ret_measured, struct sc_err *err)
{
    SC_AUTO(sc_ai_bench_done) struct sc_ai_bench bench = {0};
    struct series series = {0};
    unsigned first = 0;
    for (int k = 0; k < 2; k++)
        series.runs[k] = sc_alloc(SC_AI_ROUNDS_MAX + 1, sizeof(struct sc_ai_run));
    bool good =
        sc_ai_bench_init(&bench, proposal, trial, err) && run_series(&bench, &series, &first, err);
    if (good) {
        struct sc_ai_measured measured = {.command = command_text(&bench)};
        judge_behaviour(&series, &measured);
        judge_reach(&series, &measured);
        judge_numbers(&series, first, &measured);
        *ret_measured = measured;
    }
    for (int k = 0; k < 2; k++) {
        for (unsigned i = 0; i < series.count; i++)
            sc_ai_run_done(&series.runs[k][i]);
        free(series.runs[k]);
    }
    return good;
}

void sc_ai_measured_done(struct sc_ai_measured *measured)
{
    free(measured->output_difference);
    free(measured->last_line);
    free(measured->command);
    *measured = (struct sc_ai_measured){0};
}

static void add_change(const struct sc_ai_compared *compared, const char *less, const char *more,
                       const char *what, struct sc_str *text)
{
    if (!compared->is_certain)
        sc_str_add_format(text, "no difference in %s that %s", what,
                          "can be distinguished from chance");
    else if (compared->change_percent < 0.0)
        sc_str_add_format(text, "%s %s", sc_number_percent(-compared->change_percent).text, less);
    else
        sc_str_add_format(text, "%s %s", sc_number_percent(compared->change_percent).text, more);
}

void sc_ai_measured_verdict(const struct sc_ai_measured *measured, struct sc_str *text)
{
    bool is_certain = measured->time_s.is_certain || measured->peak_mb.is_certain;
    if (measured->is_unseen)
        sc_str_add(text, "neither version was seen in the lines of the proposal: what was run does "
                         "not come to them, or takes next to no time there, so it shows nothing "
                         "of them");
    if (measured->is_unseen && is_certain)
        sc_str_add(text, "; ");
    if (measured->is_unseen && !is_certain) {
        /* no difference was to be expected, so none is reported */
    } else if (measured->rounds < ROUNDS_MIN) {
        sc_str_add_format(text,
                          "%u %s of each version %s too few to distinguish a change from chance: "
                          "at least %u are needed",
                          measured->rounds, measured->rounds == 1 ? "run" : "runs",
                          measured->rounds == 1 ? "is" : "are", ROUNDS_MIN);
    } else {
        add_change(&measured->time_s, "less time", "more time", "time", text);
        sc_str_add(text, ", ");
        add_change(&measured->peak_mb, "less memory", "more memory", "memory", text);
    }
    if (!measured->same_status)
        sc_str_add(text, "; THE EXIT STATUS HAS CHANGED");
    if (!measured->same_output)
        sc_str_add(text, "; THE OUTPUT HAS CHANGED");
    else if (!measured->is_steady && measured->steady_lines > 0)
        sc_str_add(text, "; the program's output differs from run to run, but what does not is "
                         "the same");
    else if (!measured->is_steady)
        sc_str_add(text, "; the program's output differs from run to run, so it shows nothing");
    else
        sc_str_add(text, measured->same_status ? "; output and exit status are the same"
                                               : "; the output is the same");
    if (measured->original_status != 0)
        sc_str_add(text, "; the original itself fails, so it may not have come to the code that "
                         "was to be tried");
    if (measured->last_line != NULL)
        sc_str_add_format(text, "; the last line that the %s writes is \"%s\"",
                          measured->original_status != 0 ? "original" : "proposal",
                          measured->last_line);
}
