/* compare/compare.c - see compare.h. SPDX-License-Identifier: Apache-2.0 */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

/* Places with a smaller part of the run's number, in the mean of both sides, are not judged. */
#define LEAST_PART 0.01

/* From this part of its time without a free CPU on, a machine is worth a note. */
#define BUSY_PART 0.1

#define X_KEY(name, key, is_mb, noise) key,
const char *const sc_metric_keys[SC_METRIC_COUNT_] = {SC_METRICS(X_KEY)};
#undef X_KEY

bool sc_compare_has(const struct sc_comparison *comparison, enum sc_compare_table table,
                    enum sc_metric metric)
{
    if (sc_metric_is_mb(metric))
        return comparison->has_memory && table != SC_COMPARE_STACKS;
    switch (table) {
    case SC_COMPARE_RUN:
        return metric != SC_METRIC_TOTAL;
    case SC_COMPARE_LINES:
        return metric == SC_METRIC_TIME || metric == SC_METRIC_WAIT;
    case SC_COMPARE_FUNCTIONS:
        return metric == SC_METRIC_TIME || metric == SC_METRIC_TOTAL || metric == SC_METRIC_WAIT;
    default:
        return metric == SC_METRIC_TOTAL;
    }
}

/* Waits and totals are measured against the run's time. */
static double whole_of(const struct sc_comparison *comparison, enum sc_metric metric)
{
    enum sc_metric of = metric == SC_METRIC_WAIT  ? SC_METRIC_ELAPSED
                        : metric < SC_METRIC_WAIT ? SC_METRIC_TIME
                                                  : metric;
    const struct sc_difference *whole =
        &comparison->tables[SC_COMPARE_RUN].items[0].differences[of];
    return (whole->mean[0] + whole->mean[1]) / 2.0;
}

static struct sc_difference *difference_of(struct sc_comparison *comparison,
                                           enum sc_compare_table table, size_t place,
                                           enum sc_metric metric,
                                           const struct sc_tally_facts facts[2])
{
    struct sc_compared *of = &comparison->tables[table].items[place];
    sc_difference_init(&of->differences[metric], of->tallies[metric], facts);
    comparison->is_same &= of->differences[metric].change == 0.0;
    return &of->differences[metric];
}

/* The run's total time and peak are what is said first; they are judged by themselves. */
static void judge(struct sc_comparison *comparison, enum sc_compare_table table, double alpha)
{
    SC_AUTO_FREE SC_VEC(struct sc_difference *) judged = {0};
    SC_AUTO_FREE SC_VEC(struct sc_difference *) first = {0};
    for (int i = 0; i < SC_METRIC_COUNT_; i++) {
        enum sc_metric metric = (enum sc_metric)i;
        struct sc_tally_facts facts[2];
        for (int side = 0; side < 2; side++)
            facts[side] = sc_sums_facts(comparison, side, metric);
        bool is_run = table == SC_COMPARE_RUN;
        bool is_first = is_run && (metric == SC_METRIC_TIME || metric == SC_METRIC_PEAK);
        double least = is_run ? 0.0 : LEAST_PART * whole_of(comparison, metric);
        for (size_t k = 0; k < comparison->tables[table].count; k++) {
            struct sc_difference *one = difference_of(comparison, table, k, metric, facts);
            double mean = (one->mean[0] + one->mean[1]) / 2.0;
            if (!sc_compare_has(comparison, table, metric) || mean <= 0.0 || mean < least)
                continue;
            if (is_first)
                sc_vec_push(&first, one);
            else
                sc_vec_push(&judged, one);
        }
    }
    sc_differences_judge(judged.items, judged.count, alpha);
    sc_differences_judge(first.items, first.count, alpha);
}

/* -------- how the runs differ -------- */

/* What runs can differ in, so that their numbers do. */
static const struct {
    const char *what;
    const char *more;
} run_facts[] = {{"program", ""},
                 {"Python", ""},
                 {"kind of time", ""},
                 {"memory", "; it is not compared"},
                 {"profiler", ""}};

static const char *fact_of(const struct sc_profile *profile, size_t fact)
{
    const char *const values[] = {sc_after_last(profile->program, '/'), profile->python_version,
                                  profile->mode, profile->memory ? "measured" : "not measured",
                                  profile->foreign ? "the original" : "Scalene"};
    return values[fact];
}

static void note_differences(struct sc_comparison *comparison)
{
    const struct sc_match_profiles *sides = comparison->sides;
    for (size_t f = 0; f < sizeof(run_facts) / sizeof(run_facts[0]); f++) {
        const char *first = fact_of(&sides[0].items[0], f);
        for (size_t i = 0; i < sides[0].count + sides[1].count; i++) {
            size_t count = sides[0].count;
            const struct sc_profile *profile =
                i < count ? &sides[0].items[i] : &sides[1].items[i - count];
            const char *its = fact_of(profile, f);
            if (first == NULL || its == NULL || strcmp(first, its) == 0)
                continue;
            sc_vec_push(&comparison->notes,
                        sc_format("The runs differ in %s: %s before, %s in a run %s%s.",
                                  run_facts[f].what, first, its, i < count ? "before" : "after",
                                  run_facts[f].more));
            break;
        }
    }
}

static void note_endings(struct sc_comparison *comparison)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison->sides[side].count; i++) {
            SC_AUTO_FREE char *ending = sc_profile_ending(&comparison->sides[side].items[i]);
            if (ending == NULL)
                continue;
            sc_vec_push(&comparison->notes,
                        sc_format("A run %s: %s.", side == 0 ? "before" : "after", ending));
            break;
        }
}

static void note_busy_machine(struct sc_comparison *comparison)
{
    double most[2] = {0.0, 0.0};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison->sides[side].count; i++)
            most[side] = fmax(most[side], sc_sums_left_out(&comparison->sides[side].items[i]));
    if (fmax(most[0], most[1]) >= BUSY_PART)
        sc_vec_push(
            &comparison->notes,
            sc_format("No CPU was free for up to %.0f%% of a run before, %.0f%% after; that time "
                      "is left out.",
                      most[0] * 100.0, most[1] * 100.0));
}

/* -------- all of it -------- */

/* A cost of zeroes alone counts for nothing, and owns nothing. */
static bool is_plain(const struct sc_line *line)
{
    const unsigned char *bytes = (const unsigned char *)&line->cost;
    for (size_t i = 0; i < sizeof(line->cost); i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static bool has_same_lines(const struct sc_file *file, const struct sc_file *first)
{
    bool is_same = file->lines.count == first->lines.count;
    for (size_t i = 0; i < file->lines.count && is_same; i++) {
        const struct sc_line *one = &file->lines.items[i];
        const struct sc_line *other = &first->lines.items[i];
        is_same = one->lineno == other->lineno && one->text != NULL && other->text != NULL &&
                  strcmp(one->text, other->text) == 0;
    }
    return is_same;
}

static void drop_plain_lines(struct sc_file *file)
{
    SC_VEC(struct sc_line) kept = {0};
    for (size_t i = 0; i < file->lines.count; i++) {
        if (is_plain(&file->lines.items[i]))
            free(file->lines.items[i].text);
        else
            sc_vec_push(&kept, file->lines.items[i]);
    }
    free(file->lines.items);
    file->lines.items = kept.items;
    file->lines.count = kept.count;
    file->lines.capacity = kept.capacity;
}

void sc_comparison_slim(struct sc_profile *profile, const struct sc_profile *first)
{
    for (size_t i = 0; i < profile->files.count; i++)
        for (size_t k = 0; k < first->files.count; k++) {
            struct sc_file *file = &profile->files.items[i];
            const struct sc_file *other = &first->files.items[k];
            if (strcmp(file->name, other->name) == 0 && has_same_lines(file, other))
                drop_plain_lines(file);
        }
}

void sc_comparison_init(struct sc_comparison *comparison, const struct sc_match_profiles sides[2],
                        size_t comparisons)
{
    *comparison = (struct sc_comparison){.sides = {sides[0], sides[1]}, .is_same = true};
    comparison->has_memory = true;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side].count; i++)
            comparison->has_memory &= sides[side].items[i].memory;
    sc_match_init(&comparison->match, sides);
    sc_sums_add_all(comparison);
    for (int table = 0; table < SC_COMPARE_COUNT_; table++)
        judge(comparison, (enum sc_compare_table)table, SC_COMPARE_ALPHA / (double)comparisons);
    note_differences(comparison);
    note_endings(comparison);
    note_busy_machine(comparison);
}

void sc_comparison_done(struct sc_comparison *comparison)
{
    sc_match_done(&comparison->match);
    for (int table = 0; table < SC_COMPARE_COUNT_; table++) {
        sc_vec_done(&comparison->tables[table]);
        sc_map_done(&comparison->index[table]);
    }
    sc_intern_done(&comparison->texts);
    sc_vec_free(&comparison->notes);
}

void sc_compared_add_place(const struct sc_comparison *comparison,
                           const struct sc_compared *compared, int side, struct sc_str *text)
{
    if (side < 0)
        side = compared->file[1] != SC_NONE ? 1 : 0;
    if (compared->file[side] == SC_NONE)
        return;
    sc_str_add(text, sc_intern_text(&comparison->match.sides[side].names, compared->file[side]));
    if (compared->lineno[side] > 0)
        sc_str_add_format(text, ":%u", compared->lineno[side]);
}

const struct sc_match_line *sc_compared_line(const struct sc_comparison *comparison,
                                             const struct sc_compared *compared, int side)
{
    return compared->file[side] == SC_NONE
               ? NULL
               : sc_match_line_of(&comparison->match, side, compared->file[side],
                                  compared->lineno[side]);
}

const struct sc_match_function *sc_compared_function(const struct sc_comparison *comparison,
                                                     const struct sc_compared *compared, int side)
{
    uint32_t index = compared->function[side];
    return index != SC_NONE ? &comparison->match.sides[side].functions.items[index] : NULL;
}

static enum sc_metric sorted_by; /* qsort passes nothing on */

SC_POINTERS_ORDERED_BY(compare_changes, struct sc_compared,
                       SC_ORDER(fabs(b->differences[sorted_by].change),
                                fabs(a->differences[sorted_by].change)),
                       SC_ORDER(a, b));

struct sc_compared_list sc_comparison_changes(const struct sc_comparison *comparison,
                                              enum sc_compare_table table, enum sc_metric metric,
                                              bool is_all)
{
    struct sc_compared_list list = {0};
    SC_EACH(const struct sc_compared, one, &comparison->tables[table]) {
        enum sc_verdict verdict = one->differences[metric].verdict;
        if (verdict == SC_VERDICT_CERTAIN ||
            (is_all && (verdict == SC_VERDICT_UNSURE || verdict == SC_VERDICT_THIN)))
            sc_vec_push(&list, one);
    }
    sorted_by = metric;
    sc_vec_sort(&list, compare_changes);
    return list;
}

bool sc_comparison_is_changed(const struct sc_comparison *comparison)
{
    for (int table = 0; table < SC_COMPARE_COUNT_; table++)
        for (size_t i = 0; i < comparison->tables[table].count; i++)
            for (int metric = 0; metric < SC_METRIC_COUNT_; metric++)
                if (comparison->tables[table].items[i].differences[metric].verdict ==
                    SC_VERDICT_CERTAIN)
                    return true;
    return false;
}
