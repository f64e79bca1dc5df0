/* benchmark/rounds.c - see rounds.h. SPDX-License-Identifier: Apache-2.0 */
#include "benchmark/rounds.h"

#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"

#define NS_PER_S    1e9
#define NEAR        0.01 /* a difference that is surely smaller need not be looked for any longer */
#define PIECE_BYTES 16384U
#define LAST_BYTES  200

const unsigned sc_rounds_looks[SC_ROUNDS_LOOKS] = {10, 20, 40, SC_ROUNDS_MAX};

/* The last line that a run wrote, behind a colon, as it may say why the run failed; "" without one.
 * Owned. */
static char *last_words(const char *path)
{
    char bytes[LAST_BYTES + 1];
    FILE *output = fopen(path, "rbe");
    if (output == NULL)
        return sc_strdup("");
    (void)fseek(output, -(long)LAST_BYTES, SEEK_END); /* a shorter one is read from its beginning */
    size_t length = fread(bytes, 1, LAST_BYTES, output);
    (void)fclose(output);
    while (length > 0 && strchr(" \r\n", bytes[length - 1]) != NULL)
        length--;
    bytes[length] = '\0';
    const char *last = sc_after_last(bytes, '\n');
    return last[0] != '\0' ? sc_format(": %s", last) : sc_strdup("");
}

static bool run_one(const struct sc_rounds_plan *plan, int which, struct sc_timed_run *ret_run,
                    struct sc_err *err)
{
    struct sc_err cause = {0};
    const char *name = which == 0 ? "A" : "B";
    if (!sc_timed_run(&plan->commands[which], ret_run, &cause))
        return sc_fail(err, cause.kind, "%s: %s", name, cause.text);
    if (ret_run->status == 0 || plan->takes_failures)
        return true;
    SC_AUTO_FREE char *words = last_words(plan->commands[which].output);
    if (ret_run->status < 0)
        return sc_fail(err, SC_ERR_FAILED, "%s was ended by signal %d (%s)%s", name,
                       -ret_run->status, strsignal(-ret_run->status), words);
    return sc_fail(err, SC_ERR_FAILED, "%s ended with exit status %d%s", name, ret_run->status,
                   words);
}

static bool run_round(const struct sc_rounds_plan *plan, unsigned round,
                      struct sc_timed_run runs[2], struct sc_err *err)
{
    int first = round % 2 == 0 ? 0 : 1;
    if (!run_one(plan, first, &runs[first], err) || !run_one(plan, !first, &runs[!first], err))
        return false;
    if (plan->on_round != NULL)
        plan->on_round(plan->context, round, runs);
    return true;
}

/* Piece by piece, as an output may be larger than memory. */
static bool same_rest(FILE *one, FILE *other)
{
    char pieces[2][PIECE_BYTES];
    for (;;) {
        size_t lengths[2] = {fread(pieces[0], 1, PIECE_BYTES, one),
                             fread(pieces[1], 1, PIECE_BYTES, other)};
        if (lengths[0] != lengths[1] || memcmp(pieces[0], pieces[1], lengths[0]) != 0)
            return false;
        if (lengths[0] < PIECE_BYTES)
            return ferror(one) == 0 && ferror(other) == 0;
    }
}

static bool same_output(const struct sc_rounds_plan *plan)
{
    FILE *outputs[2] = {fopen(plan->commands[0].output, "rbe"),
                        fopen(plan->commands[1].output, "rbe")};
    bool is_same = outputs[0] != NULL && outputs[1] != NULL && same_rest(outputs[0], outputs[1]);
    for (int i = 0; i < 2; i++)
        if (outputs[i] != NULL)
            (void)fclose(outputs[i]);
    return is_same;
}

static double value_of(const struct sc_timed_run *run, enum sc_measure measure)
{
    const double values[SC_MEASURE_COUNT_] = {
        [SC_MEASURE_ELAPSED] = run->elapsed_s,
        [SC_MEASURE_CPU] = run->cpu_s,
        [SC_MEASURE_PEAK] = run->max_rss_mb,
    };
    return values[measure];
}

void sc_rounds_look(const struct sc_round_values *values, unsigned count, unsigned looks,
                    struct sc_rounds *rounds)
{
    size_t critical =
        sc_rank_critical(count, SC_ROUNDS_ALPHA / (looks * (double)SC_MEASURE_COUNT_));
    for (int i = 0; i < SC_MEASURE_COUNT_; i++) {
        struct sc_measured *measured = &rounds->of[i];
        for (int which = 0; which < 2; which++)
            measured->medians[which] = sc_rank_median(values->of[i][which], count);
        measured->difference = sc_rank_compare(values->of[i][0], values->of[i][1], count, critical);
    }
    rounds->count = count;
}

/* Whether more rounds would tell nothing that the user waits for. */
static bool is_known(const struct sc_rounds *rounds)
{
    bool is_near = true;
    for (int i = SC_MEASURE_ELAPSED; i <= SC_MEASURE_CPU; i++) {
        const struct sc_rank_difference *difference = &rounds->of[i].difference;
        if (difference->is_certain)
            return true;
        is_near =
            is_near && difference->has_bounds && difference->low > -NEAR && difference->high < NEAR;
    }
    return is_near;
}

/* Runs until the rounds that were asked for are done, the budget is spent or it is known. */
static bool run_all(const struct sc_rounds_plan *plan, double round_s, struct sc_rounds *rounds,
                    struct sc_err *err)
{
    struct sc_round_values values = {0};
    uint64_t start_ns = sc_now_ns();
    unsigned count = 0;
    unsigned looks = 0;
    for (bool is_done = false; !is_done;) {
        struct sc_timed_run runs[2] = {{0}, {0}};
        if (!run_round(plan, count + 1, runs, err))
            return false;
        for (int i = 0; i < SC_MEASURE_COUNT_; i++)
            for (int which = 0; which < 2; which++)
                values.of[i][which][count] = value_of(&runs[which], (enum sc_measure)i);
        count++;
        double spent_s = (double)(sc_now_ns() - start_ns) / NS_PER_S;
        bool is_spent = plan->rounds == 0 && count >= SC_ROUNDS_LEAST_LOOKS &&
                        spent_s + round_s > plan->budget_s;
        is_done = count == SC_ROUNDS_MAX || is_spent || count == plan->rounds;
        if (plan->rounds == 0 && (is_done || count == sc_rounds_looks[looks])) {
            sc_rounds_look(&values, count, SC_ROUNDS_LOOKS, rounds);
            is_done |= is_known(rounds);
            looks++;
        }
    }
    if (plan->rounds != 0)
        sc_rounds_look(&values, count, 1, rounds);
    return true;
}

bool sc_rounds_run(const struct sc_rounds_plan *plan, struct sc_rounds *ret_rounds,
                   struct sc_err *err)
{
    struct sc_timed_run runs[2] = {{0}, {0}};
    if (!run_round(plan, 0, runs, err))
        return false;
    for (int which = 0; which < 2; which++)
        ret_rounds->statuses[which] = runs[which].status;
    ret_rounds->same_output = same_output(plan);
    return run_all(plan, runs[0].elapsed_s + runs[1].elapsed_s, ret_rounds, err);
}
