/*
 * report/findings_idle.c - findings about devices that have nothing to do, and about lines that
 * wait for busy ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "report/findings_gpu.h"
#include "report/number.h"

/* Of the idle time: a line or a function worth naming. */
#define IDLE_LINE_MIN_PERCENT 10.0

/* A function is named beside its line when it has at least this many times the line's idle time. */
#define FUNCTION_SAYS_MORE 1.25

#define SAMPLED_USE_MB    16.0 /* with less of its memory the program did not use a device */
#define SAMPLED_LINE_LOAD 50.0 /* % : a line with less leaves the device idle */

/* A line this long, and a device this busy meanwhile: the line waits for it. */
#define BOUND_MIN_PERCENT 10.0
#define BOUND_MIN_LOAD    90.0

double sc_gpu_part_of_run(const struct sc_report *report, double seconds)
{
    double elapsed_s = report->overview.elapsed_s;
    /* processes at once have more traced time than the run has */
    double all_s = fmax(elapsed_s, report->overview.gpu.traced_s);
    return elapsed_s > 0.0 ? fmin(100.0, 100.0 * seconds / all_s) : 0.0;
}

static struct sc_finding_place place_of(const struct sc_hot *hot)
{
    return sc_finding_at(hot->file, hot->lineno, true);
}

/* What to do while a line keeps the device waiting depends on what the line does itself. */
static const char *idle_advice(const struct sc_hot *hot)
{
    double total =
        hot->kinds[SC_KIND_PYTHON] + hot->kinds[SC_KIND_NATIVE] + hot->kinds[SC_KIND_SYSTEM];
    if (total > 0.0 && hot->kinds[SC_KIND_SYSTEM] > 0.5 * total)
        return "let input be read and made ready ahead of time, beside the device's work";
    return "give the device its next work before this one is done, or move this to the device";
}

/* The function with most idle time, its own lines' alone. */
struct idle_function {
    const struct sc_file *file;
    const struct sc_function *function; /* NULL: none has any */
    double percent;                     /* of all idle time */
};

static struct idle_function idlest_function(const struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    struct idle_function idlest = {0};
    SC_EACH(const struct sc_file, file, &profile->files) {
        SC_EACH(const struct sc_function, function, &file->functions) {
            double percent = 100.0 * function->cost.gpu_idle_s / report->overview.gpu.idle_s;
            if (percent > idlest.percent)
                idlest = (struct idle_function){file, function, fmin(percent, 100.0)};
        }
    }
    return idlest;
}

static bool holds(const struct idle_function *idle, const struct sc_hot *hot)
{
    return idle->function != NULL && idle->file == hot->file &&
           hot->lineno >= idle->function->lineno &&
           hot->lineno <= sc_function_end(idle->file, idle->function);
}

/* Names the line that the program was at while the devices were idle, and its function where that
 * has much more idle time; where no line stands out, the function; else nothing. */
static struct sc_finding_place blame_idle(const struct sc_report *report, struct sc_str *text)
{
    const struct sc_hots *lines = &report->overview.gpu.idle_lines;
    struct idle_function idle = idlest_function(report);
    if (lines->count > 0 && lines->items[0].percent >= IDLE_LINE_MIN_PERCENT) {
        const struct sc_hot *hot = &lines->items[0];
        sc_str_add_format(text, "; for %s of that the program was at %s",
                          sc_number_percent(hot->percent).text, hot->place);
        if (holds(&idle, hot) && idle.percent >= FUNCTION_SAYS_MORE * hot->percent)
            sc_str_add_format(text, ", for %s in all of %s", sc_number_percent(idle.percent).text,
                              idle.function->name);
        sc_str_add_format(text, ": %s", idle_advice(hot));
        return place_of(hot);
    }
    if (idle.function != NULL && idle.percent >= IDLE_LINE_MIN_PERCENT) {
        SC_AUTO_FREE char *name = sc_shown_name(report->profile, idle.file->name);
        sc_str_add_format(text,
                          "; for %s of that the program was in %s (%s:%u): give the device more "
                          "work at once, or its next work before this one is done",
                          sc_number_percent(idle.percent).text, idle.function->name, name,
                          idle.function->lineno);
        return (struct sc_finding_place){idle.file, idle.function->lineno,
                                         sc_function_end(idle.file, idle.function), true};
    }
    sc_str_add(text, ", spread over many lines: give it more work at once");
    return (struct sc_finding_place){0};
}

static void find_idle(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    if (gpu->traced_s < SC_GPU_WATCHED_MIN_S || gpu->idle_percent < SC_GPU_IDLE_MIN_PERCENT ||
        gpu->kernel_s + gpu->copy_s <= 0.0)
        return;
    struct sc_str text = {0};
    sc_str_add_format(&text, "the %s had nothing to do for %s of the %s from first use on%s (%s)",
                      gpu->noun, sc_number_percent(gpu->idle_percent).text,
                      sc_number_duration(gpu->traced_s).text, gpu->summed,
                      sc_number_duration(gpu->idle_s).text);
    struct sc_finding_place place = blame_idle(report, &text);
    sc_found(findings, "gpu_idle", sc_gpu_part_of_run(report, gpu->idle_s), place, text.data);
}

/* Whether the program used a device, and the loads at lines are its own. */
static bool is_own_load(const struct sc_report *report)
{
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    if (gpu->is_traced)
        return gpu->kernel_s > 0.0;
    for (size_t i = 0; i < gpu->devices.count && !gpu->has_shared_load; i++) {
        const struct sc_report_device *device = &gpu->devices.items[i];
        if (device->load_percent >= 1.0 ||
            (device->peak_mb >= SAMPLED_USE_MB && !device->is_shared_memory))
            return true;
    }
    return false;
}

bool sc_find_gpu_bound(const struct sc_report *report, const struct sc_hot *hot,
                       struct sc_findings *findings)
{
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    double own = hot->kinds[SC_KIND_NATIVE] + hot->kinds[SC_KIND_SYSTEM];
    if (!gpu->has || own < BOUND_MIN_PERCENT || hot->cost->gpu_percent < BOUND_MIN_LOAD ||
        !is_own_load(report))
        return false;
    sc_found(findings, "gpu_bound", own, place_of(hot),
             sc_format("%s takes %s of the time with the %s busy (%s): what counts there is the "
                       "device's work, not this line; do less of that, or other work meanwhile",
                       hot->place, sc_number_percent(own).text, gpu->noun,
                       sc_number_percent(hot->cost->gpu_percent).text));
    return true;
}

/* The line with most time in which the device, by its load there, was idle. */
static const struct sc_hot *idlest_line(const struct sc_report *report, double *ret_percent)
{
    const struct sc_hots *lines = &report->overview.lines;
    const struct sc_hot *idlest = NULL;
    *ret_percent = 0.0;
    SC_EACH(const struct sc_hot, hot, lines) {
        double load = sc_clamp(hot->cost->gpu_percent, 0.0, 100.0);
        double percent = hot->percent * (1.0 - load / 100.0);
        if (load < SAMPLED_LINE_LOAD && percent > *ret_percent) {
            *ret_percent = percent;
            idlest = hot;
        }
    }
    return idlest;
}

/* Without a trace: by the load that the driver reports, which is coarse. */
static void find_low_load(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    double idle_percent;
    if (gpu->is_traced || report->overview.elapsed_s < SC_GPU_WATCHED_MIN_S ||
        gpu->load_percent > 100.0 - SC_GPU_IDLE_MIN_PERCENT || !is_own_load(report))
        return;
    const struct sc_hot *hot = idlest_line(report, &idle_percent);
    if (hot == NULL || idle_percent < IDLE_LINE_MIN_PERCENT)
        return;
    sc_found(findings, "gpu_idle", idle_percent, place_of(hot),
             sc_format("the load of the %s was %s over the run, by the driver's figures, and %s "
                       "while the program was at %s (%s of the time): %s",
                       gpu->noun, sc_number_percent(gpu->load_percent).text,
                       sc_number_percent(hot->cost->gpu_percent).text, hot->place,
                       sc_number_percent(hot->percent).text, idle_advice(hot)));
}

void sc_find_gpu_idle(const struct sc_report *report, struct sc_findings *findings)
{
    find_idle(report, findings);
    find_low_load(report, findings);
}
