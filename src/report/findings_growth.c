/*
 * report/findings_growth.c - findings about memory that grows as long as the program runs: with the
 * container that keeps it, or by its likelihood.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"
#include "report/number.h"

#define GROWN_MIN_MB    20.0 /* less is the size of a program */
#define GROWN_MIN_SHARE 0.3  /* of the footprint's peak, by all lines that grow */
#define LINE_MIN_SHARE  0.05 /* of the footprint's peak: a line that counts */

/* A line grows steadily when it had a middling share of its most at half of the time to it, had
 * its most late in the run (what is made first and used afterwards has it early), and took a good
 * part of the run for it (what is made in a few steps at the end does not). */
#define HALFWAY_MAX 0.85
#define NEARLY_ALL  0.98
#define LONG_MIN    0.25

struct steadiness {
    double halfway_min;
    double late_min;
};
static const struct steadiness steady = {0.2, 0.6};
/* The table of a set or dict becomes up to four times as large in one step. */
static const struct steadiness steady_table = {0.1, 0.25};

#define LEAK_WEIGHT_PERCENT 50.0 /* a leak is no part of the run's time */

/* The entries of a container are few where its own table has not grown; and they are larger. */
#define TABLE_MIN_MB    0.4
#define TABLE_MAX_SHARE 0.5

static double value_at(const struct sc_footprints *curve, double time_s)
{
    double value = 0.0;
    for (size_t i = 0; i < curve->count && (double)curve->items[i].time_ns <= 1e9 * time_s; i++)
        value = curve->items[i].mb;
    return value;
}

static bool is_growing(const struct sc_profile *profile, const struct sc_cost *cost,
                       struct steadiness wanted)
{
    const struct sc_footprints *curve = &cost->memory_samples;
    double most = 0.0;
    if (curve->count < 4)
        return false;
    for (size_t i = 0; i < curve->count; i++)
        most = fmax(most, curve->items[i].mb);
    double from_s = profile->measured_from_s;
    double span_s = fmax(profile->elapsed_s, profile->span_s - from_s);
    double begin_s = (double)curve->items[0].time_ns / 1e9;
    double peak_s = begin_s;
    for (size_t i = curve->count; i-- > 0;) {
        if (curve->items[i].mb >= NEARLY_ALL * most)
            peak_s = (double)curve->items[i].time_ns / 1e9;
    }
    double halfway = value_at(curve, (begin_s + peak_s) / 2.0);
    return halfway >= wanted.halfway_min * most && halfway <= HALFWAY_MAX * most &&
           peak_s - from_s >= wanted.late_min * span_s && peak_s - begin_s >= LONG_MIN * span_s;
}

/* What the line held at the peak, if it grew as long as the program ran; else 0. */
static double grown_mb(const struct sc_profile *profile, const struct sc_cost *cost)
{
    double held_mb = fmax(cost->peak_mb, cost->live_at_peak_mb);
    bool counts = held_mb >= LINE_MIN_SHARE * profile->max_footprint_mb;
    return counts && is_growing(profile, cost, steady) ? held_mb : 0.0;
}

/* The lines of a file that grow, and the text of it. */
struct growth {
    const struct sc_profile *profile;
    const struct sc_file *file;
    double *line_mb; /* of each line; 0: does not grow */
    double sum_mb;
    struct sc_str text;
    struct sc_code code;
};

static void add_lines(const struct growth *growth, uint32_t first, uint32_t last,
                      struct sc_memory_amount *sum)
{
    for (uint32_t n = first; n <= last && n <= growth->file->lines.count; n++) {
        if (growth->line_mb[n - 1] > 0.0)
            sc_memory_amount_add(sum, &growth->file->lines.items[n - 1].cost,
                                 growth->line_mb[n - 1]);
    }
}

static bool is_mentioned(const struct sc_code *code, uint32_t first, uint32_t end, uint32_t name)
{
    for (uint32_t k = first; name != SC_NONE && k < end; k++) {
        if (sc_code_is(code, k, sc_intern_text(&code->texts, name)))
            return true;
    }
    return false;
}

/* Whether the statement binds a name that is among the lexemes [first, end). */
static bool binds_one_of(const struct sc_code *code, uint32_t statement, uint32_t first,
                         uint32_t end)
{
    SC_EACH(const struct sc_binding, binding, &code->bindings)
        if (binding->statement == statement && !binding->is_parameter &&
            is_mentioned(code, first, end, binding->name))
            return true;
    return false;
}

/* The memory of the lines of the statement's function, before it, that are known to make what is
 * mentioned in [first, end), and of what functions mentioned there close over. */
static void add_makers(const struct growth *growth, uint32_t statement, uint32_t first,
                       uint32_t end, struct sc_memory_amount *sum)
{
    const struct sc_code *code = &growth->code;
    const struct sc_statement *statements = code->statements.items;
    uint32_t function = statements[statement].function;
    for (uint32_t s = function + 1; s < statement; s++) {
        const struct sc_statement *each = &statements[s];
        if (each->function != function)
            continue;
        if (each->kind == SC_STATEMENT_SIMPLE && binds_one_of(code, s, first, end)) {
            add_lines(growth, each->first_line, each->last_line, sum);
        } else if (each->kind == SC_STATEMENT_DEF &&
                   is_mentioned(code, first, end, sc_code_name_of(code, s))) {
            add_lines(growth, each->first_line, each->last_line, sum);
            add_makers(growth, s, each->end, statements[each->block_end - 1].end, sum);
        }
    }
}

static struct sc_memory_amount added_by(const struct growth *growth, uint32_t statement)
{
    const struct sc_statement *at = &growth->code.statements.items[statement];
    struct sc_memory_amount sum = {0};
    add_lines(growth, at->first_line, at->last_line, &sum);
    add_makers(growth, statement, at->first, at->end, &sum);
    return sum;
}

static bool has_growing_table(const struct growth *growth, uint32_t lineno)
{
    const struct sc_cost *cost = &growth->file->lines.items[lineno - 1].cost;
    double others_mb = growth->sum_mb - growth->line_mb[lineno - 1];
    return cost->peak_mb >= TABLE_MIN_MB && cost->peak_mb <= TABLE_MAX_SHARE * others_mb &&
           is_growing(growth->profile, cost, steady_table);
}

static void add_leak(const struct sc_report *report, const struct growth *growth, uint32_t lineno,
                     const struct sc_memory_amount *kept, char *what, const char *instead,
                     struct sc_findings *findings)
{
    SC_AUTO_FREE char *fact = what;
    SC_AUTO_FREE char *saving = sc_memory_saving(report->profile, kept);
    SC_AUTO_FREE char *name = sc_shown_name(report->profile, growth->file->name);
    sc_found(findings, "leak", LEAK_WEIGHT_PERCENT, sc_finding_at(growth->file, lineno, true),
             sc_format("%s:%u %s: %s, and more the longer the program runs. %s", name, lineno, fact,
                       saving, instead));
    SC_AUTO(sc_str_done) struct sc_str lines = {0};
    for (size_t i = 0; i < growth->file->lines.count; i++) {
        if (growth->line_mb[i] > 0.0)
            sc_str_add_format(&lines, "%s%zu (%s)", lines.length > 0 ? ", " : "", i + 1,
                              sc_number_megabytes(growth->line_mb[i]).text);
    }
    findings->items[findings->count - 1].evidence =
        sc_format("the memory of these lines grew until late in the run: %s; nothing in this file "
                  "takes anything out, goes through all of it, or passes it on",
                  sc_str_text(&lines));
}

/* A function that keeps each of its results, in whose lines the memory grows. */
static bool find_cache(const struct sc_report *report, const struct growth *growth,
                       struct sc_findings *findings)
{
    const struct sc_code *code = &growth->code;
    for (uint32_t s = 0; s < code->statements.count; s++) {
        const struct sc_statement *at = &code->statements.items[s];
        struct sc_memory_amount kept = {0};
        add_lines(growth, at->first_line, at->block_end_line, &kept);
        if (at->kind != SC_STATEMENT_DEF || !sc_code_is_endless_cache(code, s) ||
            kept.mb < growth->sum_mb / 2.0)
            continue;
        uint32_t most = at->first_line;
        for (uint32_t n = most; n <= at->block_end_line && n <= growth->file->lines.count; n++)
            most = growth->line_mb[n - 1] > growth->line_mb[most - 1] ? n : most;
        uint32_t id = sc_code_name_of(code, s);
        add_leak(report, growth, most, &kept,
                 sc_format("makes results of %s, which its cache keeps for ever",
                           id != SC_NONE ? sc_intern_text(&code->texts, id) : "a function"),
                 "Give the cache a size (functools.lru_cache(maxsize=...)), or none where the "
                 "same is seldom asked again.",
                 findings);
        return true;
    }
    return false;
}

/* The statement that adds most to a container which only grows; where no line is known to make
 * what is added, the only container whose own table has grown, which may keep all that has grown in
 * the file. SC_NONE: none. */
static uint32_t keeper_of(const struct growth *growth, struct sc_memory_amount *ret_kept)
{
    const struct sc_code *code = &growth->code;
    uint32_t most = SC_NONE;
    uint32_t table = SC_NONE;
    unsigned tables = 0;
    struct sc_memory_amount most_added = {0};
    for (uint32_t s = 0; s < code->statements.count; s++) {
        const struct sc_statement *at = &code->statements.items[s];
        uint32_t first = 0;
        uint32_t end = 0;
        if (at->first_line > growth->file->lines.count || !sc_code_keeps(code, s, &first, &end))
            continue;
        struct sc_memory_amount added = added_by(growth, s);
        if (added.mb > most_added.mb) {
            most_added = added;
            most = s;
        }
        if (has_growing_table(growth, at->first_line)) {
            table = s;
            tables++;
        }
    }
    *ret_kept = most_added;
    if (most_added.mb >= growth->sum_mb / 2.0)
        return most;
    *ret_kept = (struct sc_memory_amount){0};
    add_lines(growth, 1, (uint32_t)growth->file->lines.count, ret_kept);
    return tables == 1 ? table : SC_NONE;
}

static void find_keeper(const struct sc_report *report, const struct growth *growth,
                        struct sc_findings *findings)
{
    const struct sc_code *code = &growth->code;
    struct sc_memory_amount kept = {0};
    uint32_t statement = keeper_of(growth, &kept);
    uint32_t first = 0;
    uint32_t end = 0;
    if (statement == SC_NONE || !sc_code_keeps(code, statement, &first, &end))
        return;
    size_t start = code->lexemes.items[first].start;
    SC_AUTO_FREE char *container =
        sc_strndup(code->text + start, code->lexemes.items[end - 1].end - start);
    add_leak(report, growth, code->statements.items[statement].first_line, &kept,
             sc_format("adds to %s, from which nothing is ever taken out", container),
             "Take out what is done with, keep only the last ones (a deque with maxlen, a cache "
             "with maxsize), or hold them weakly (weakref).",
             findings);
}

static void find_in_file(const struct sc_report *report, const struct sc_file *file,
                         struct sc_findings *findings)
{
    struct growth growth = {.profile = report->profile,
                            .file = file,
                            .line_mb = sc_alloc(file->lines.count + 1, sizeof(double))};
    for (size_t i = 0; i < file->lines.count; i++) {
        growth.line_mb[i] = grown_mb(report->profile, &file->lines.items[i].cost);
        growth.sum_mb += growth.line_mb[i];
    }
    if (growth.sum_mb >= fmax(GROWN_MIN_MB, GROWN_MIN_SHARE * report->profile->max_footprint_mb)) {
        sc_file_code_init(file, &growth.text, &growth.code);
        if (!find_cache(report, &growth, findings))
            find_keeper(report, &growth, findings);
        sc_code_done(&growth.code);
        sc_str_done(&growth.text);
    }
    free(growth.line_mb);
}

void sc_find_growth(const struct sc_report *report, struct sc_findings *findings)
{
    for (size_t f = 0; report->profile->memory && f < report->profile->files.count; f++) {
        const struct sc_file *file = &report->profile->files.items[f];
        if (sc_file_has_text(file))
            find_in_file(report, file, findings);
    }
}

/* -------- leaks by their likelihood -------- */

#define LEAK_MIN_LIKELIHOOD 0.95

/* Whether a leak of the file has been named with what keeps it. */
static bool is_named(const struct sc_findings *findings, const struct sc_file *file)
{
    SC_EACH(const struct sc_finding, each, findings)
        if (each->file == file && strcmp(each->id, "leak") == 0)
            return true;
    return false;
}

void sc_find_memory(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_profile *profile = report->profile;
    SC_EACH(const struct sc_file, file, &profile->files) {
        SC_AUTO_FREE char *name = sc_shown_name(profile, file->name);
        if (is_named(findings, file))
            continue;
        SC_EACH(const struct sc_leak, leak, &file->leaks)
            if (leak->likelihood >= LEAK_MIN_LIKELIHOOD)
                sc_found(
                    findings, "leak", LEAK_WEIGHT_PERCENT, sc_finding_at(file, leak->lineno, true),
                    sc_format("%s:%u may leak %s per second (likelihood %s): look for what keeps "
                              "its objects alive",
                              name, leak->lineno, sc_number_megabytes(leak->velocity_mb_s).text,
                              sc_number_percent(100.0 * leak->likelihood).text));
    }
}
