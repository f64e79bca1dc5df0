/*
 * report/findings.c - what can be done: one sentence per finding, from the numbers alone.
 *
 * A finding names its place and its evidence first, then what usually helps. Nothing is said that
 * the profile does not show, and each thing is said once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/number.h"
#include "report/report.h"

#define LINE_MIN_PERCENT     10.0 /* of the run: a line worth a sentence */
#define LOOP_MIN_PERCENT     20.0 /* of the run: a loop worth a sentence */
#define FUNCTION_MIN_PERCENT 30.0 /* of the run: a function worth a sentence */
#define MOSTLY               0.8  /* of a place's own time: it is of one kind */
#define GC_MIN_PERCENT       5.0
#define GIL_MIN_PERCENT      20.0 /* of the elapsed time, summed over threads */
#define COPY_MIN_MB_S        100.0
#define LEAK_MIN_LIKELIHOOD  0.95

/* Times of a run of lines. */
struct kind_sum {
    double kinds[SC_KIND_COUNT_];
};

struct findings {
    struct sc_finding *items;
    size_t count;
    size_t capacity;
};

/* Where a finding is; {0} is the whole program. */
struct place {
    const struct sc_file *file;
    uint32_t lineno, end_lineno;
    bool can_ask;
};

static void found(struct findings *findings, const char *id, double percent, struct place place,
                  char *text)
{
    sc_vec_push(findings, (struct sc_finding){.id = id,
                                              .percent = percent,
                                              .text = text,
                                              .file = place.file,
                                              .lineno = place.lineno,
                                              .end_lineno = place.end_lineno,
                                              .can_ask = place.can_ask});
}

static struct place at_line(const struct sc_file *file, uint32_t lineno, bool can_ask)
{
    return (struct place){file, lineno, lineno, can_ask};
}

static bool is_loop(const struct sc_line *line)
{
    return line->start_outermost_loop > 0 && line->end_outermost_loop > line->start_outermost_loop;
}

static double total_of(const double kinds[SC_KIND_COUNT_])
{
    return kinds[SC_KIND_PYTHON] + kinds[SC_KIND_NATIVE] + kinds[SC_KIND_SYSTEM];
}

/* The text of a line tells a loop's header from a block's. */
static bool starts_loop(const struct sc_line *line)
{
    const char *text = line->text != NULL ? line->text : "";
    text += strspn(text, " \t\f");
    return sc_starts_with(text, "for ") || sc_starts_with(text, "while ") ||
           sc_starts_with(text, "async for ") || sc_starts_with(text, "while(");
}

/* sums[i]: the times of all lines before the i-th. Freed by the caller. */
static struct kind_sum *running_sums(const struct sc_file *file)
{
    struct kind_sum *sums = sc_alloc(file->lines.count + 1, sizeof(*sums));
    for (size_t i = 0; i < file->lines.count; i++) {
        double kinds[SC_KIND_COUNT_];
        sc_cost_kinds(&file->lines.items[i].cost, kinds);
        for (int k = 0; k < SC_KIND_COUNT_; k++)
            sums[i + 1].kinds[k] = sums[i].kinds[k] + kinds[k];
    }
    return sums;
}

/* A loop that begins at the line with this index, if it interprets Python most of its time. */
static bool find_loop(const struct sc_report *report, const struct sc_file *file, size_t index,
                      const struct kind_sum *sums, struct findings *findings)
{
    const struct sc_line *line = &file->lines.items[index];
    if (!is_loop(line) || line->lineno != line->start_outermost_loop || !starts_loop(line))
        return false;
    /* there is a record for every line, in order */
    size_t behind = index + (line->end_outermost_loop - line->lineno) + 1;
    if (behind > file->lines.count)
        behind = file->lines.count;
    double kinds[SC_KIND_COUNT_];
    for (int k = 0; k < SC_KIND_COUNT_; k++)
        kinds[k] = sums[behind].kinds[k] - sums[index].kinds[k];
    double total = total_of(kinds);
    if (total < LOOP_MIN_PERCENT || kinds[SC_KIND_PYTHON] < MOSTLY * total)
        return false;
    struct place place = {file, line->start_outermost_loop, line->end_outermost_loop, true};
    found(findings, "python_loop", total, place,
          sc_format("the loop at %s:%u-%u takes %s of the time, %s of that interpreting Python: "
                    "move its work into compiled code (a built-in, numpy) or do less of it",
                    sc_report_name(report->profile, file->name), line->start_outermost_loop,
                    line->end_outermost_loop, sc_number_percent(total).text,
                    sc_number_percent(100.0 * kinds[SC_KIND_PYTHON] / total).text));
    return true;
}

/* Where no loop explains a file's Python time, the functions that take it. */
static void find_functions(const struct sc_report *report, const struct sc_file *file,
                           struct findings *findings)
{
    for (size_t i = 0; i < file->functions.count; i++) {
        const struct sc_function *function = &file->functions.items[i];
        double kinds[SC_KIND_COUNT_];
        sc_cost_kinds(&function->cost, kinds);
        double total = total_of(kinds);
        if (total < FUNCTION_MIN_PERCENT || kinds[SC_KIND_PYTHON] < MOSTLY * total)
            continue;
        struct place place = {file, function->lineno, sc_function_end(file, function), true};
        found(findings, "python_function", total, place,
              sc_format("%s (%s:%u) takes %s of the time itself, %s of that interpreting Python: "
                        "call it less often, keep its results, or do its work in compiled code",
                        function->name, sc_report_name(report->profile, file->name),
                        function->lineno, sc_number_percent(total).text,
                        sc_number_percent(100.0 * kinds[SC_KIND_PYTHON] / total).text));
    }
}

static void find_python(const struct sc_report *report, struct findings *findings)
{
    for (size_t f = 0; f < report->profile->files.count; f++) {
        const struct sc_file *file = &report->profile->files.items[f];
        struct kind_sum *sums = running_sums(file);
        bool any = false;
        for (size_t i = 0; i < file->lines.count; i++) {
            bool is_found = find_loop(report, file, i, sums, findings);
            any = any || is_found;
        }
        if (!any)
            find_functions(report, file, findings);
        free(sums);
    }
}

/* Whether the line is one that runs an event loop, which waits when all tasks do. */
static bool runs_loop(const struct sc_report *report, const struct sc_hot *hot)
{
    static const char *const runners[] = {".run(", ".run_until_complete(", ".run_forever("};
    for (size_t i = 0; i < sizeof(runners) / sizeof(runners[0]); i++) {
        if (memmem(hot->text, hot->text_length, runners[i], strlen(runners[i])) != NULL)
            return report->overview.await_lines.count > 0;
    }
    return false;
}

/* What a line mostly waits for, in words, with what usually helps. */
static char *waiting_text(const struct sc_report *report, const struct sc_hot *hot)
{
    const double *time_s = hot->cost->time_s;
    double system = hot->kinds[SC_KIND_SYSTEM];
    double kernel = time_s[SC_TIME_KERNEL] + time_s[SC_TIME_PREEMPTED_KERNEL];
    double sum = kernel + time_s[SC_TIME_IO] + time_s[SC_TIME_SLEEP] + time_s[SC_TIME_OTHER_WAIT];
    struct sc_number share = sc_number_percent(system);
    if (sum <= 0.0)
        return sc_format("%s takes %s of the time in the system or waiting: look at what it calls",
                         hot->place, share.text);
    if (time_s[SC_TIME_SLEEP] > MOSTLY * sum)
        return sc_format("the program sleeps %s of the time at %s: wait for the event itself, or "
                         "sleep less",
                         share.text, hot->place);
    if (runs_loop(report, hot) && time_s[SC_TIME_IO] + time_s[SC_TIME_SLEEP] > MOSTLY * sum)
        return sc_format("all tasks wait %s of the time, most of them at %s: let more of them wait "
                         "at once, or make what they wait for faster",
                         share.text, report->overview.await_lines.items[0].place);
    if (time_s[SC_TIME_IO] > MOSTLY * sum)
        return sc_format("the program waits %s of the time for %s at %s: ask less often, or do "
                         "other work meanwhile (threads, asyncio)",
                         share.text, sc_io_text(hot->cost->wait_s), hot->place);
    if (kernel > MOSTLY * sum)
        return sc_format("%s spends %s of the time inside system calls: make fewer and larger ones",
                         hot->place, share.text);
    return sc_format("%s takes %s of the time in the system or waiting: %s in system calls, %s in "
                     "input and output, %s asleep",
                     hot->place, share.text, sc_number_percent(system * kernel / sum).text,
                     sc_number_percent(system * time_s[SC_TIME_IO] / sum).text,
                     sc_number_percent(system * time_s[SC_TIME_SLEEP] / sum).text);
}

static void find_lines(const struct sc_report *report, struct findings *findings)
{
    const struct sc_hots *lines = &report->overview.lines;
    for (size_t i = 0; i < lines->count; i++) {
        const struct sc_hot *hot = &lines->items[i];
        double native = hot->kinds[SC_KIND_NATIVE];
        if (hot->kinds[SC_KIND_SYSTEM] >= LINE_MIN_PERCENT)
            found(findings, "waiting", hot->kinds[SC_KIND_SYSTEM],
                  at_line(hot->file, hot->lineno, true), waiting_text(report, hot));
        if (native >= LINE_MIN_PERCENT && native >= MOSTLY * hot->percent)
            found(findings, "native_line", native, at_line(hot->file, hot->lineno, true),
                  sc_format("%s takes %s of the time in compiled code: call it less often, with "
                            "less data, or choose a faster routine",
                            hot->place, sc_number_percent(native).text));
    }
}

static void find_memory(const struct sc_report *report, struct findings *findings)
{
    const struct sc_profile *profile = report->profile;
    for (size_t f = 0; f < profile->files.count; f++) {
        const struct sc_file *file = &profile->files.items[f];
        const char *name = sc_report_name(profile, file->name);
        for (size_t i = 0; i < file->leaks.count; i++) {
            const struct sc_leak *leak = &file->leaks.items[i];
            if (leak->likelihood >= LEAK_MIN_LIKELIHOOD)
                found(findings, "leak", 50.0, at_line(file, leak->lineno, true),
                      sc_format("%s:%u may leak %s per second (likelihood %s): look for what keeps "
                                "its objects alive",
                                name, leak->lineno, sc_number_megabytes(leak->velocity_mb_s).text,
                                sc_number_percent(100.0 * leak->likelihood).text));
        }
        for (size_t i = 0; i < file->lines.count; i++) {
            const struct sc_line *line = &file->lines.items[i];
            if (line->cost.copy_mb_s >= COPY_MIN_MB_S)
                found(findings, "copies", sc_cost_time_percent(&line->cost),
                      at_line(file, line->lineno, true),
                      sc_format("%s:%u copies %s per second: use views or work in place", name,
                                line->lineno, sc_number_megabytes(line->cost.copy_mb_s).text));
        }
    }
}

static void find_program(const struct sc_report *report, struct findings *findings)
{
    const struct sc_profile *profile = report->profile;
    const struct sc_overview *overview = &report->overview;
    if (overview->total_s <= 0.0)
        return;
    double gc = 100.0 * sc_clamp(profile->gc_s, 0.0, 1e9) / overview->total_s;
    double gil_s = sc_clamp(profile->wait_s[SC_WAIT_GIL], 0.0, 1e9);
    if (gc >= GC_MIN_PERCENT)
        found(findings, "garbage_collection", gc, (struct place){0},
              sc_format("garbage collection takes %s of the time: make fewer objects that can "
                        "form cycles, or collect less often (gc.freeze, gc.set_threshold)",
                        sc_number_percent(gc).text));
    if (overview->elapsed_s > 0.0 && 100.0 * gil_s / overview->elapsed_s >= GIL_MIN_PERCENT)
        found(findings, "gil", fmin(100.0, 100.0 * gil_s / overview->elapsed_s), (struct place){0},
              sc_format("threads waited %s for the interpreter lock (GIL): threads do not make "
                        "Python code faster, processes or compiled code that releases it do",
                        sc_number_duration(gil_s).text));
}

static int compare_findings(const void *left, const void *right)
{
    const struct sc_finding *a = left;
    const struct sc_finding *b = right;
    if (a->percent > b->percent)
        return -1;
    if (a->percent < b->percent)
        return 1;
    return strcmp(a->text, b->text);
}

void sc_report_findings(struct sc_report *report)
{
    struct findings findings = {0};
    find_python(report, &findings);
    find_lines(report, &findings);
    find_memory(report, &findings);
    find_program(report, &findings);
    if (findings.count > 1)
        qsort(findings.items, findings.count, sizeof(*findings.items), compare_findings);
    for (size_t i = 0; i < findings.count; i++) {
        if (i < SC_REPORT_FINDINGS)
            sc_vec_push(&report->overview.findings, findings.items[i]);
        else
            free(findings.items[i].text);
    }
    sc_vec_done(&findings);
}
