/*
 * report/findings_time.c - findings about time: Python loops, waits, long calls, imports, locks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"
#include "report/number.h"

#define LINE_MIN_PERCENT     10.0 /* of the run: for a finding about a line */
#define LOOP_MIN_PERCENT     20.0 /* of the run: for a finding about a loop */
#define FUNCTION_MIN_PERCENT 30.0 /* of the run: for a finding about a function */
#define MOSTLY               0.8  /* of a place's own time: it is of one kind */
#define GC_MIN_PERCENT       5.0
#define GIL_MIN_PERCENT      20.0 /* of the elapsed time, summed over threads */

/* Of that, at one line: worth naming it. */
#define GIL_HOLDER_SHARE 0.3

/* A foreign profile may have more. */
#define GIL_WAITS_MAX      100U
#define IMPORT_MIN_PERCENT 10.0

/* Times of a run of lines. */
struct kind_sum {
    double kinds[SC_KIND_COUNT_];
};

static bool is_loop(const struct sc_line *line)
{
    return line->start_outermost_loop > 0 && line->end_outermost_loop > line->start_outermost_loop;
}

static double total_of(const double kinds[SC_KIND_COUNT_])
{
    return kinds[SC_KIND_PYTHON] + kinds[SC_KIND_NATIVE] + kinds[SC_KIND_SYSTEM];
}

/* Whether the text of a line is the header of a loop and not of another block. */
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
                      const struct kind_sum *sums, struct sc_findings *findings)
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
    struct sc_finding_place place = {file, line->start_outermost_loop, line->end_outermost_loop,
                                     true};
    sc_found(findings, "python_loop", total, place,
             sc_format("the loop at %s:%u-%u takes %s of the time, %s of that interpreting Python: "
                       "move its work into compiled code (a built-in, numpy) or do less of it",
                       sc_report_name(report->profile, file->name), line->start_outermost_loop,
                       line->end_outermost_loop, sc_number_percent(total).text,
                       sc_number_percent(100.0 * kinds[SC_KIND_PYTHON] / total).text));
    return true;
}

/* Where no loop explains a file's Python time, the functions that take it. */
static void find_functions(const struct sc_report *report, const struct sc_file *file,
                           struct sc_findings *findings)
{
    for (size_t i = 0; i < file->functions.count; i++) {
        const struct sc_function *function = &file->functions.items[i];
        double kinds[SC_KIND_COUNT_];
        sc_cost_kinds(&function->cost, kinds);
        double total = total_of(kinds);
        if (total < FUNCTION_MIN_PERCENT || kinds[SC_KIND_PYTHON] < MOSTLY * total)
            continue;
        struct sc_finding_place place = {file, function->lineno, sc_function_end(file, function),
                                         true};
        sc_found(
            findings, "python_function", total, place,
            sc_format("%s (%s:%u) takes %s of the time itself, %s of that interpreting Python: "
                      "call it less often, keep its results, or do its work in compiled code",
                      function->name, sc_report_name(report->profile, file->name), function->lineno,
                      sc_number_percent(total).text,
                      sc_number_percent(100.0 * kinds[SC_KIND_PYTHON] / total).text));
    }
}

void sc_find_python(const struct sc_report *report, struct sc_findings *findings)
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

/* "3% in system calls, 9% in other waits": what a line's share, system, is made of. */
static void add_causes(struct sc_str *text, double system, const double *time_s, double sum)
{
    const struct {
        double time_s;
        const char *words;
    } causes[] = {
        {time_s[SC_TIME_KERNEL] + time_s[SC_TIME_PREEMPTED_KERNEL], "in system calls"},
        {time_s[SC_TIME_IO], "in input and output"},
        {time_s[SC_TIME_SLEEP], "asleep"},
        {time_s[SC_TIME_OTHER_WAIT], "in other waits"},
    };
    const char *separator = ": ";
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        double percent = system * causes[i].time_s / sum;
        if (percent < 0.5)
            continue;
        sc_str_add_format(text, "%s%s %s", separator, sc_number_percent(percent).text,
                          causes[i].words);
        separator = ", ";
    }
}

/* What a line mostly waits for, in words, with what usually helps; and where that is. */
static char *waiting_text(const struct sc_report *report, const struct sc_hot *hot,
                          struct sc_finding_place *ret_place)
{
    *ret_place = sc_finding_at(hot->file, hot->lineno, true);
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
    if (runs_loop(report, hot) && time_s[SC_TIME_IO] + time_s[SC_TIME_SLEEP] > MOSTLY * sum) {
        /* other code for the line that runs the loop would change nothing */
        const struct sc_hot *await = &report->overview.await_lines.items[0];
        *ret_place = sc_finding_at(await->file, await->lineno, true);
        return sc_format("all tasks wait %s of the time, most of them at %s: let more of them wait "
                         "at once, or make what they wait for faster",
                         share.text, await->place);
    }
    if (time_s[SC_TIME_IO] > MOSTLY * sum)
        return sc_format("the program waits %s of the time for %s at %s: ask less often, or do "
                         "other work meanwhile (threads, asyncio)",
                         share.text, sc_io_text(hot->cost->wait_s), hot->place);
    if (kernel > MOSTLY * sum)
        return sc_format("%s spends %s of the time inside system calls: make fewer and larger ones",
                         hot->place, share.text);
    struct sc_str text = {0};
    sc_str_add_format(&text, "%s takes %s of the time in the system or waiting", hot->place,
                      share.text);
    add_causes(&text, system, time_s, sum);
    return text.data;
}

void sc_find_lines(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_hots *lines = &report->overview.lines;
    for (size_t i = 0; i < lines->count; i++) {
        const struct sc_hot *hot = &lines->items[i];
        double native = hot->kinds[SC_KIND_NATIVE];
        if (sc_find_gpu_bound(report, hot, findings))
            continue;
        if (hot->kinds[SC_KIND_SYSTEM] >= LINE_MIN_PERCENT) {
            struct sc_finding_place place;
            char *text = waiting_text(report, hot, &place);
            sc_found(findings, "waiting", hot->kinds[SC_KIND_SYSTEM], place, text);
        }
        if (native >= LINE_MIN_PERCENT && native >= MOSTLY * hot->percent)
            sc_found(findings, "native_line", native, sc_finding_at(hot->file, hot->lineno, true),
                     sc_format("%s takes %s of the time in compiled code: call it less often, with "
                               "less data, or choose a faster routine",
                               hot->place, sc_number_percent(native).text));
    }
}

static bool is_import(const struct sc_line *line)
{
    const char *text = line->text != NULL ? line->text : "";
    text += strspn(text, " \t\f");
    return sc_starts_with(text, "import ") ||
           (sc_starts_with(text, "from ") && strstr(text, " import ") != NULL);
}

/* What modules do while they are imported is charged to the line that imports them, if they are
 * not among the files shown. */
void sc_find_imports(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_profile *profile = report->profile;
    const struct sc_file *worst_file = NULL;
    const struct sc_line *worst = NULL;
    double sum = 0.0;
    for (size_t f = 0; f < profile->files.count; f++) {
        const struct sc_file *file = &profile->files.items[f];
        for (size_t i = 0; i < file->lines.count; i++) {
            const struct sc_line *line = &file->lines.items[i];
            double percent = sc_cost_time_percent(&line->cost);
            if (percent <= 0.0 || !is_import(line))
                continue;
            sum += percent;
            if (worst == NULL || percent > sc_cost_time_percent(&worst->cost)) {
                worst = line;
                worst_file = file;
            }
        }
    }
    if (worst == NULL || sum < IMPORT_MIN_PERCENT)
        return;
    sc_found(
        findings, "imports", sum, sc_finding_at(worst_file, worst->lineno, false),
        sc_format("importing modules takes %s of the time (%s), most of it at %s:%u: import what "
                  "is seldom needed where it is needed",
                  sc_number_percent(sum).text,
                  sc_number_duration(sum / 100.0 * report->overview.total_s).text,
                  sc_report_name(profile, worst_file->name), worst->lineno));
}

/* Adds a finding on the wait for the lock, naming the line that held it longest, if that is at
 * least GIL_HOLDER_SHARE of the wait. */
static void find_gil(const struct sc_profile *profile, double gil_s, double percent,
                     struct sc_findings *findings)
{
    const struct sc_gil_wait *most = NULL;
    double most_s = 0.0;
    size_t count =
        profile->gil_waits.count < GIL_WAITS_MAX ? profile->gil_waits.count : GIL_WAITS_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct sc_gil_wait *wait = &profile->gil_waits.items[i];
        double held_s = 0.0;
        for (size_t k = i; k < count; k++) {
            const struct sc_gil_wait *other = &profile->gil_waits.items[k];
            if (other->holder_lineno == wait->holder_lineno &&
                strcmp(other->holder_file, wait->holder_file) == 0)
                held_s += sc_clamp(other->wait_s, 0.0, 1e9);
        }
        if (held_s > most_s) {
            most = wait;
            most_s = held_s;
        }
    }
    SC_AUTO_FREE char *holder =
        most != NULL && most_s >= GIL_HOLDER_SHARE * gil_s
            ? sc_format(", %s of it while %s:%u had it", sc_number_duration(most_s).text,
                        sc_report_name(profile, most->holder_file), most->holder_lineno)
            : sc_strdup("");
    sc_found(findings, "gil", percent, (struct sc_finding_place){0},
             sc_format("threads waited %s for the interpreter lock (GIL)%s: threads do not make "
                       "Python code faster, processes or compiled code that releases it do",
                       sc_number_duration(gil_s).text, holder));
}

void sc_find_program(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_profile *profile = report->profile;
    const struct sc_overview *overview = &report->overview;
    if (overview->total_s <= 0.0)
        return;
    double gc = 100.0 * sc_clamp(profile->gc_s, 0.0, 1e9) / overview->total_s;
    double gil_s = sc_clamp(profile->wait_s[SC_WAIT_GIL], 0.0, 1e9);
    if (gc >= GC_MIN_PERCENT)
        sc_found(findings, "garbage_collection", gc, (struct sc_finding_place){0},
                 sc_format("garbage collection takes %s of the time: make fewer objects that can "
                           "form cycles, or collect less often (gc.freeze, gc.set_threshold)",
                           sc_number_percent(gc).text));
    if (overview->elapsed_s > 0.0 && 100.0 * gil_s / overview->elapsed_s >= GIL_MIN_PERCENT)
        find_gil(profile, gil_s, fmin(100.0, 100.0 * gil_s / overview->elapsed_s), findings);
}
