/*
 * report/findings_time.c - findings about time: waits, long calls, imports, locks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/blocking_calls.h"
#include "report/findings.h"
#include "report/number.h"

#define LINE_MIN_PERCENT 10.0 /* of the run: for a finding about a line */
#define MOSTLY           0.8  /* of a place's own time: it is of one kind */
#define NOTABLE_MIN_S    0.1  /* less is what any start of a process takes, and varies as much */
#define GC_MIN_PERCENT   20.0 /* less is the price of many objects */
#define GIL_MIN_PERCENT  20.0 /* of the elapsed time, summed over threads */

/* Of that, at one line: worth naming it. */
#define GIL_HOLDER_SHARE 0.3

/* A foreign profile may have more. */
#define GIL_WAITS_MAX      100U
#define IMPORT_MIN_PERCENT 50.0 /* each run of a program has some: less is not worth a word */

/* The error of a part of the run that is a part of the lines' time, of which it has these seconds:
 * a collection or an import is sampled as the line is. */
static double part_error(const struct sc_report *report,
                         double (*seconds_of)(const struct sc_cost *))
{
    double squares = 0.0;
    double total_s = report->overview.total_s;
    SC_EACH(const struct sc_file, file, &report->profile->files) {
        for (size_t i = 0; i < file->lines.count; i++) {
            const struct sc_cost *cost = &file->lines.items[i].cost;
            double line_s = sc_cost_time_percent(cost) / 100.0 * total_s;
            double error = sc_clamp(cost->cpu_share_error, 0.0, 100.0);
            if (line_s > 0.0)
                squares += error * error * sc_clamp(seconds_of(cost) / line_s, 0.0, 1.0);
        }
    }
    return sqrt(squares);
}

static double collecting_s(const struct sc_cost *cost)
{
    return cost->gc_s;
}

static double importing_s(const struct sc_cost *cost)
{
    return cost->importing_s;
}

/* Whether the line runs an event loop that tasks wait in. A library may have another name for it.
 */
static bool runs_tasks(const struct sc_report *report, const struct sc_hot *hot)
{
    return report->overview.await_lines.count > 0 &&
           memmem(hot->text, hot->text_length, ".run(", 5) != NULL &&
           memmem(hot->text, hot->text_length, "subprocess", 10) == NULL;
}

/* What is to be said of a line that runs a loop and waits: only what its tasks wait for. NULL where
 * they are not known, where they wait for something to do, and where an advice says why some wait:
 * others may wait for those. */
static char *loop_text(const struct sc_report *report, const struct sc_advices *advices,
                       const char *share, struct sc_finding_place *ret_place)
{
    const struct sc_hots *awaits = &report->overview.await_lines;
    const struct sc_hot *await = awaits->items;
    if (awaits->count == 0 || sc_line_awaits_event(await->text, await->text_length))
        return NULL;
    SC_EACH(const struct sc_hot, each, awaits)
        if (sc_advices_cover(advices, each->file, each->lineno, each->lineno))
            return NULL;
    *ret_place = sc_finding_at(await->file, await->lineno, true);
    return sc_format("all tasks wait %s of the time, most of them at %s: let more of them wait "
                     "at once, or make what they wait for faster",
                     share, await->place);
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

/* What a line mostly waits for, in words, with what usually helps; and where that is. NULL: nothing
 * is to be said. */
static char *waiting_text(const struct sc_report *report, const struct sc_advices *advices,
                          const struct sc_hot *hot, struct sc_finding_place *ret_place)
{
    *ret_place = sc_finding_at(hot->file, hot->lineno, true);
    const double *time_s = hot->cost->time_s;
    double system = hot->kinds[SC_KIND_SYSTEM];
    double kernel = time_s[SC_TIME_KERNEL] + time_s[SC_TIME_PREEMPTED_KERNEL];
    double sum = kernel + time_s[SC_TIME_IO] + time_s[SC_TIME_SLEEP] + time_s[SC_TIME_OTHER_WAIT];
    SC_AUTO_FREE char *share = sc_share_text(system, hot->cost->cpu_share_error);
    if (sum <= 0.0)
        return sc_format("%s takes %s of the time in the system or waiting: look at what it calls",
                         hot->place, share);
    double waits = sum - kernel;
    if (waits > kernel &&
        (sc_line_runs_loop(hot->text, hot->text_length) || runs_tasks(report, hot)))
        return loop_text(report, advices, share, ret_place);
    if (time_s[SC_TIME_SLEEP] > MOSTLY * sum)
        return sc_format("the program sleeps %s of the time at %s: wait for the event itself, or "
                         "sleep less",
                         share, hot->place);
    if (time_s[SC_TIME_IO] > MOSTLY * sum)
        return sc_format("the program waits %s of the time for %s at %s: ask less often, or do "
                         "other work meanwhile (threads, asyncio)",
                         share, sc_io_text(hot->cost->wait_s), hot->place);
    if (kernel > MOSTLY * sum)
        return sc_format(
            "%s spends %s of the time inside system calls: make fewer and larger ones, "
            "or have them move less data",
            hot->place, share);
    struct sc_str text = {0};
    sc_str_add_format(&text, "%s takes %s of the time in the system or waiting", hot->place, share);
    add_causes(&text, system, time_s, sum);
    return text.data;
}

static bool is_import(const char *text, size_t length)
{
    size_t blank = 0;
    while (blank < length && strchr(" \t\f", text[blank]) != NULL)
        blank++;
    text += blank;
    length -= blank;
    return (length > 7 && memcmp(text, "import ", 7) == 0) ||
           (length > 5 && memcmp(text, "from ", 5) == 0 &&
            memmem(text, length, " import ", 8) != NULL);
}

/* Whether the line imports modules. A profile without any time of imports may be one that does not
 * have them: there the text says it. */
static bool imports_modules(const struct sc_report *report, const struct sc_hot *hot)
{
    if (!(report->profile->importing_s > 0.0))
        return is_import(hot->text, hot->text_length);
    return hot->cost->importing_s >= MOSTLY * hot->percent / 100.0 * report->overview.total_s;
}

/* Whether the line imports modules and what it waits for is their files, as in every program. */
static bool reads_modules(const struct sc_report *report, const struct sc_hot *hot)
{
    const double *time_s = hot->cost->time_s;
    return imports_modules(report, hot) &&
           time_s[SC_TIME_SLEEP] + time_s[SC_TIME_OTHER_WAIT] <=
               time_s[SC_TIME_IO] + time_s[SC_TIME_KERNEL] + time_s[SC_TIME_PREEMPTED_KERNEL];
}

void sc_find_lines(const struct sc_report *report, const struct sc_advices *advices,
                   struct sc_findings *findings)
{
    const struct sc_hots *lines = &report->overview.lines;
    SC_EACH(const struct sc_hot, hot, lines) {
        if (sc_find_gpu_bound(report, hot, findings) ||
            sc_advices_cover(advices, hot->file, hot->lineno, hot->lineno) ||
            reads_modules(report, hot))
            continue;
        double wait_s = hot->kinds[SC_KIND_SYSTEM] / 100.0 * report->overview.total_s;
        if (hot->kinds[SC_KIND_SYSTEM] >= LINE_MIN_PERCENT && wait_s >= NOTABLE_MIN_S) {
            struct sc_finding_place place;
            char *text = waiting_text(report, advices, hot, &place);
            if (text != NULL)
                sc_found(findings, "waiting", hot->kinds[SC_KIND_SYSTEM], place, text);
        }
    }
}

/* What modules do while they are imported is charged to the line that imports them, if they are
 * not among the files shown. */
void sc_find_imports(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_profile *profile = report->profile;
    const struct sc_file *worst_file = NULL;
    const struct sc_line *worst = NULL;
    double worst_s = 0.0;
    double total_s = report->overview.total_s;
    /* not what the lines' texts say: a line may import and do something else, or import without the
     * word */
    double seconds = sc_clamp(profile->importing_s, 0.0, total_s);
    SC_EACH(const struct sc_file, file, &profile->files) {
        SC_EACH(const struct sc_line, line, &file->lines) {
            if (line->cost.importing_s > worst_s) {
                worst = line;
                worst_file = file;
                worst_s = line->cost.importing_s;
            }
        }
    }
    double percent = total_s > 0.0 ? 100.0 * seconds / total_s : 0.0;
    if (worst == NULL || percent < IMPORT_MIN_PERCENT)
        return;
    SC_AUTO_FREE char *name = sc_shown_name(profile, worst_file->name);
    /* workers import what their tasks need below no line of the program's */
    SC_AUTO_FREE char *share = sc_share_text(percent, part_error(report, importing_s));
    SC_AUTO_FREE char *part =
        worst_s >= seconds / 2 ? sc_strdup("most") : sc_strdup(sc_number_duration(worst_s).text);
    sc_found(findings, "imports", percent, sc_finding_at(worst_file, worst->lineno, false),
             sc_format("importing modules takes %s of the time (%s), %s of it at %s:%u: import "
                       "what is seldom needed where it is needed",
                       share, sc_number_duration(seconds).text, part, name, worst->lineno));
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
    SC_AUTO_FREE char *name =
        most != NULL ? sc_shown_name(profile, most->holder_file) : sc_strdup("");
    SC_AUTO_FREE char *holder =
        most != NULL && most_s >= GIL_HOLDER_SHARE * gil_s
            ? sc_format(", %s of it while %s:%u had it", sc_number_duration(most_s).text, name,
                        most->holder_lineno)
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
    SC_AUTO_FREE char *gc_share = sc_share_text(gc, part_error(report, collecting_s));
    if (gc >= GC_MIN_PERCENT && profile->gc_s >= NOTABLE_MIN_S)
        sc_found(findings, "garbage_collection", gc, (struct sc_finding_place){0},
                 sc_format("garbage collection takes %s of the time: make fewer objects that can "
                           "form cycles, or collect less often (gc.freeze, gc.set_threshold)",
                           gc_share));
    if (overview->elapsed_s > 0.0 && 100.0 * gil_s / overview->elapsed_s >= GIL_MIN_PERCENT)
        find_gil(profile, gil_s, fmin(100.0, 100.0 * gil_s / overview->elapsed_s), findings);
}
