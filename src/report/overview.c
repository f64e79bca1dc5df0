/*
 * report/overview.c - the first screen: where time and memory go, and of what kind they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "profile/labels.h"
#include "report/blocking_calls.h"
#include "report/hots.h"
#include "report/number.h"
#include "report/report.h"

/* Longer runs are taken to be errors. */
#define SECONDS_MAX 1e10

/* How each time of the model is shown: the kind it belongs to, and its name as a part of that kind
 * (NULL: it is what the kind is about and needs no name). Time in which a thread was ready but had
 * no CPU counts for the kind the thread was in, and once more as a mark. */
struct time_category {
    enum sc_kind kind;
    const char *part;
    bool preempted;
};

static const struct time_category times[SC_TIME_COUNT_] = {
    [SC_TIME_PYTHON] = {SC_KIND_PYTHON, NULL, false},
    [SC_TIME_NATIVE] = {SC_KIND_NATIVE, NULL, false},
    [SC_TIME_PARALLEL] = {SC_KIND_NATIVE, "native threads", false},
    [SC_TIME_KERNEL] = {SC_KIND_SYSTEM, "system calls", false},
    [SC_TIME_PREEMPTED_PYTHON] = {SC_KIND_PYTHON, NULL, true},
    [SC_TIME_PREEMPTED_NATIVE] = {SC_KIND_NATIVE, NULL, true},
    [SC_TIME_PREEMPTED_KERNEL] = {SC_KIND_SYSTEM, "system calls", true},
    [SC_TIME_IO] = {SC_KIND_SYSTEM, "input and output", false},
    [SC_TIME_SLEEP] = {SC_KIND_SYSTEM, "sleep", false},
    [SC_TIME_OTHER_WAIT] = {SC_KIND_SYSTEM, "other waits", false},
};

static void add_to_part(struct sc_shares *parts, const char *name, double percent, double seconds)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (strcmp(parts->items[i].name, name) == 0) {
            parts->items[i].percent += percent;
            parts->items[i].seconds += seconds;
            return;
        }
    }
    sc_vec_push(parts, (struct sc_share){name, percent, seconds});
}

/* Sorts the parts, and drops those that would be shown as 0. */
static void keep_visible(struct sc_shares *parts)
{
    size_t kept = 0;
    sc_shares_sort(parts);
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->items[i].percent >= 0.5)
            parts->items[kept++] = parts->items[i];
    }
    parts->count = kept;
}

static void add_mark(struct sc_overview *overview, const char *name, double seconds, double total_s)
{
    seconds = sc_clamp(seconds, 0.0, SECONDS_MAX);
    sc_shares_add(&overview->marks, name, 100.0 * seconds / total_s, seconds);
}

static void kinds_of_times(const struct sc_profile *profile, double total_s,
                           struct sc_overview *overview)
{
    double preempted_s = 0.0;
    for (int i = 0; i < SC_TIME_COUNT_; i++) {
        double seconds = sc_clamp(profile->time_s[i], 0.0, SECONDS_MAX);
        double percent = 100.0 * seconds / total_s;
        overview->kinds[times[i].kind] += percent;
        const char *part = i == SC_TIME_IO ? sc_io_text(profile->wait_s) : times[i].part;
        if (part != NULL)
            add_to_part(&overview->kind_parts[times[i].kind], part, percent, seconds);
        if (times[i].preempted)
            preempted_s += seconds;
    }
    for (int i = 0; i < SC_KIND_COUNT_; i++)
        keep_visible(&overview->kind_parts[i]);
    add_mark(overview, "importing modules", profile->importing_s, total_s);
    add_mark(overview, "ending the interpreter", profile->ending_s, total_s);
    add_mark(overview, "freeing objects", profile->freeing_s, total_s);
    add_mark(overview, "garbage collection", profile->gc_s, total_s);
    overview->no_cpu_percent = sc_clamp(100.0 * preempted_s / total_s, 0.0, 100.0);
}

/* A profile without times by cause: the sums of its lines. */
static void kinds_of_lines(const struct sc_profile *profile, struct sc_overview *overview)
{
    double sum = 0.0;
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t l = 0; l < file->lines.count; l++) {
            double kinds[SC_KIND_COUNT_];
            sc_cost_kinds(&file->lines.items[l].cost, kinds);
            for (int i = 0; i < SC_KIND_COUNT_; i++)
                overview->kinds[i] += kinds[i];
        }
    }
    for (int i = 0; i < SC_KIND_COUNT_; i++) {
        overview->kinds[i] = sc_clamp(overview->kinds[i], 0.0, 100.0);
        sum += overview->kinds[i];
    }
    if (sum > 0.0 && sum < 99.5)
        overview->unlisted_percent = 100.0 - sum;
}

static void add_kinds(const struct sc_profile *profile, struct sc_overview *overview)
{
    double total_s = 0.0;
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        total_s += sc_clamp(profile->time_s[i], 0.0, SECONDS_MAX);
    if (total_s > 0.0) {
        overview->total_s = total_s;
        kinds_of_times(profile, total_s, overview);
    } else {
        overview->total_s = overview->elapsed_s;
        kinds_of_lines(profile, overview);
    }
}

/* Whether a process of the run has started another one of it. */
static bool has_children(const struct sc_profile *profile)
{
    SC_EACH(const struct sc_process_cost, process, &profile->processes)
        if (sc_profile_has_process(profile, profile->processes.count, process->parent_pid))
            return true;
    return false;
}

/* The part of a hot place's time that watches over processes of the run (a reloader, a master of
 * workers): what these do is at lines of its own. */
static double watched_percent(const struct sc_report *report, const struct sc_hot *hot)
{
    const double *time_s = hot->cost->time_s;
    double total_s = report->overview.total_s;
    if (!report->overview.has_children || total_s <= 0.0)
        return 0.0;
    double watched_s = fmin(time_s[SC_TIME_IO], hot->cost->wait_s[SC_WAIT_CHILD]);
    if (sc_line_runs_loop(hot->text, hot->text_length))
        watched_s = time_s[SC_TIME_IO] + time_s[SC_TIME_SLEEP] + time_s[SC_TIME_OTHER_WAIT];
    return sc_clamp(100.0 * watched_s / total_s, 0.0, hot->percent);
}

static void offer_line(struct sc_report *report, const struct sc_file *file,
                       const struct sc_line *line)
{
    struct sc_overview *overview = &report->overview;
    struct sc_hot hot = {.file = file, .cost = &line->cost, .lineno = line->lineno};
    sc_hot_text(line->text, &hot);
    hot.percent = sc_cost_time_percent(&line->cost);
    hot.heat = sc_heat_of(hot.percent);
    sc_cost_kinds(&line->cost, hot.kinds);
    if (hot.percent >= 1.0) {
        hot.watched = watched_percent(report, &hot);
        sc_hots_offer(&overview->lines, &hot);
    }
    hot.watched = 0.0;
    hot.percent = sc_clamp(line->cost.peak_mb, 0.0, 1e12);
    hot.heat = sc_heat_of(sc_cost_peak_percent(&report->parts, &line->cost));
    if (overview->has_memory && hot.percent >= 1.0)
        sc_hots_offer(&overview->memory_lines, &hot);
    hot.percent = sc_clamp(line->cost.async_await_percent, 0.0, 100.0);
    hot.heat = sc_heat_of(hot.percent);
    if (report->profile->async_profile && hot.percent >= 1.0)
        sc_hots_offer(&overview->await_lines, &hot);
}

static void offer_function(struct sc_report *report, const struct sc_file *file,
                           const struct sc_function *function)
{
    struct sc_hot hot = {.file = file, .cost = &function->cost, .lineno = function->lineno};
    sc_hot_text(function->name, &hot);
    hot.percent = sc_cost_time_percent(&function->cost);
    hot.heat = sc_heat_of(hot.percent);
    sc_cost_kinds(&function->cost, hot.kinds);
    if (hot.percent < 1.0)
        return;
    hot.watched = watched_percent(report, &hot);
    sc_hots_offer(&report->overview.functions, &hot);
}

static void add_hots(struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    struct sc_overview *overview = &report->overview;
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t l = 0; l < file->lines.count; l++)
            offer_line(report, file, &file->lines.items[l]);
        for (size_t n = 0; n < file->functions.count; n++)
            offer_function(report, file, &file->functions.items[n]);
    }
    sc_hots_name(profile, &overview->lines);
    sc_hots_name(profile, &overview->memory_lines);
    sc_hots_name(profile, &overview->await_lines);
    sc_hots_name(profile, &overview->functions);
}

/* "prog.py --size 10": the arguments as they were, else the program alone. */
static char *command_of(const struct sc_profile *profile)
{
    const char *program = profile->program != NULL ? profile->program : "";
    struct sc_str text = {0};
    sc_str_add(&text, sc_report_name(profile, program));
    /* the first argument is the program itself */
    for (size_t i = 1; profile->args_known && i < profile->args.count; i++) {
        sc_str_add_char(&text, ' ');
        sc_str_add(&text, profile->args.items[i]);
    }
    return text.data != NULL ? text.data : sc_strdup("");
}

/* Labels that every run can have. They are worth a line only beside a rank. */
static const char own_labels[] =
    SC_LABEL_RANK " " SC_LABEL_LOCAL_RANK " " SC_LABEL_WORLD_SIZE " " SC_LABEL_NODE " " SC_LABEL_JOB
                  " " SC_LABEL_POD " " SC_LABEL_WORKER " " SC_LABEL_HOST " " SC_LABEL_CONTAINER
                  " " SC_LABEL_COMMIT;

/* Who of many a run was; NULL: there is nothing to say. */
static char *labels_text(const struct sc_labels *labels)
{
    const char *rank = sc_label_of(labels, SC_LABEL_RANK);
    const char *size = sc_label_of(labels, SC_LABEL_WORLD_SIZE);
    const char *host = sc_label_of(labels, SC_LABEL_HOST);
    const char *job = sc_label_of(labels, SC_LABEL_JOB);
    struct sc_str text = {0};
    if (rank != NULL) {
        sc_str_add_format(&text, "rank %s", rank);
        if (size != NULL)
            sc_str_add_format(&text, " of %s", size);
        if (host != NULL)
            sc_str_add_format(&text, " on %s", host);
        if (job != NULL)
            sc_str_add_format(&text, ", job %s", job);
    }
    SC_EACH(const struct sc_label, label, labels)
        if (!sc_is_among(label->name, own_labels))
            sc_str_add_format(&text, "%s%s=%s", text.length > 0 ? ", " : "", label->name,
                              label->value);
    return text.length > 0 ? sc_str_take(&text) : NULL;
}

void sc_report_overview(struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    struct sc_overview *overview = &report->overview;
    overview->command = command_of(profile);
    overview->ending = sc_profile_ending(profile);
    overview->labels = labels_text(&profile->labels);
    overview->elapsed_s = sc_clamp(profile->elapsed_s, 0.0, 1e9);
    overview->span_s = fmax(overview->elapsed_s, sc_clamp(profile->span_s, 0.0, 1e9));
    overview->cpu_s = sc_clamp(profile->target_cpu_s, 0.0, 1e9);
    if (overview->elapsed_s > 0.0)
        overview->cores = overview->cpu_s / overview->elapsed_s;
    overview->virtual_time = profile->mode != NULL && strcmp(profile->mode, "virtual") == 0;
    overview->has_memory = profile->memory && sc_clamp(profile->max_footprint_mb, 0.0, 1e12) > 0.0;
    /* what the interpreter allocates without a frame is in it, too: some 50 KB in any run */
    if (profile->native_allocations_mb >= fmin(fmax(0.01 * profile->allocated_mb, 0.1), 1.0))
        overview->native_threads_mb = sc_clamp(profile->native_allocations_mb, 0.0, 1e12);
    overview->has_children = has_children(profile);
    add_kinds(profile, overview);
    add_hots(report);
    sc_report_devices(report);
}
