/*
 * report/findings_gpu.c - findings about devices: those that have nothing to do, lines that wait
 * for busy ones, copies, small kernels, full memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "report/findings.h"
#include "report/number.h"

/* Shorter use of a device is start-up: contexts and first kernels take that long. */
#define WATCHED_MIN_S 0.5

/* A device that works two thirds of the time can do at most half as much again with more work. */
#define IDLE_MIN_PERCENT 33.0

/* Of the idle time: a line or a function worth naming. */
#define IDLE_LINE_MIN_PERCENT 10.0

/* A function is named beside its line when it has at least this many times the line's idle time. */
#define FUNCTION_SAYS_MORE 1.25

#define SAMPLED_USE_MB    16.0 /* with less of its memory the program did not use a device */
#define SAMPLED_LINE_LOAD 50.0 /* % : a line with less leaves the device idle */

/* A line this long, and a device this busy meanwhile: the line waits for it. */
#define BOUND_MIN_PERCENT 10.0
#define BOUND_MIN_LOAD    90.0

/* Seconds, summed over processes, as a share of the run, at most 100 %. */
static double part_of_run(const struct sc_report *report, double seconds)
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
    if (gpu->traced_s < WATCHED_MIN_S || gpu->idle_percent < IDLE_MIN_PERCENT ||
        gpu->kernel_s + gpu->copy_s <= 0.0)
        return;
    struct sc_str text = {0};
    sc_str_add_format(&text, "the %s had nothing to do for %s of the %s from first use on%s (%s)",
                      gpu->noun, sc_number_percent(gpu->idle_percent).text,
                      sc_number_duration(gpu->traced_s).text, gpu->summed,
                      sc_number_duration(gpu->idle_s).text);
    struct sc_finding_place place = blame_idle(report, &text);
    sc_found(findings, "gpu_idle", part_of_run(report, gpu->idle_s), place, text.data);
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
    if (gpu->is_traced || report->overview.elapsed_s < WATCHED_MIN_S ||
        gpu->load_percent > 100.0 - IDLE_MIN_PERCENT || !is_own_load(report))
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

/* -------- what they do -------- */

/* Of the device's working time, and of the run: with less, no copies at all would change little. */
#define COPY_MIN_PERCENT     25.0
#define COPY_RUN_MIN_PERCENT 3.0

/* A launch takes some 4 to 10 microseconds of the host ("Getting Started with CUDA Graphs",
 * NVIDIA's technical blog): a kernel shorter than that ends before the next one is there. It is
 * confirmed by the device having nothing to do while the program is at the lines that launch. */
#define TINY_KERNEL_S      10e-6
#define LAUNCH_MIN_PERCENT 10.0 /* of the traced time: idle while the program launches */

/* A device whose memory is nearly full fails with the next larger input. */
#define FULL_MIN_PERCENT 90.0
#define FULL_MIN_MB      256.0
#define FULL_WEIGHT      20.0 /* % : memory is no part of the run's time */
#define FULL_LINE_MIN_MB 64.0

/* A line and how much of something it has. */
struct most {
    const struct sc_file *file;
    const struct sc_line *line;
    double value;
};

static double copied_mb(const struct sc_cost *cost)
{
    return sc_clamp(cost->gpu_to_device_mb, 0.0, 1e12) +
           sc_clamp(cost->gpu_from_device_mb, 0.0, 1e12);
}

static double launches(const struct sc_cost *cost)
{
    return (double)cost->gpu_launches;
}

static struct most line_with_most(const struct sc_profile *profile,
                                  double (*value)(const struct sc_cost *cost))
{
    struct most most = {0};
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t l = 0; l < file->lines.count; l++) {
            double here = value(&file->lines.items[l].cost);
            if (here > most.value)
                most = (struct most){file, &file->lines.items[l], here};
        }
    }
    return most;
}

/* "12.40 GB to the device and 1.0 MB from it" */
static void add_direction(const struct sc_cost *cost, struct sc_str *text)
{
    bool is_to = cost->gpu_to_device_mb >= 0.05;
    if (is_to)
        sc_str_add_format(text, "%s to the device",
                          sc_number_megabytes(cost->gpu_to_device_mb).text);
    if (cost->gpu_from_device_mb >= 0.05 || !is_to)
        sc_str_add_format(text, "%s%s from %s", is_to ? " and " : "",
                          sc_number_megabytes(cost->gpu_from_device_mb).text,
                          is_to ? "it" : "the device");
}

static void find_copies(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_profile *profile = report->profile;
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    double device_s = gpu->kernel_s + gpu->copy_s;
    double percent = part_of_run(report, gpu->copy_s);
    struct most most = line_with_most(profile, copied_mb);
    if (device_s <= 0.0 || 100.0 * gpu->copy_s / device_s < COPY_MIN_PERCENT ||
        percent < COPY_RUN_MIN_PERCENT || most.line == NULL)
        return;
    struct sc_str text = {0};
    SC_AUTO_FREE char *name = sc_shown_name(profile, most.file->name);
    sc_str_add_format(
        &text, "copies take %s of the device time (%s, kernels %s); most is copied at %s:%u, ",
        sc_number_percent(100.0 * gpu->copy_s / device_s).text,
        sc_number_duration(gpu->copy_s).text, sc_number_duration(gpu->kernel_s).text, name,
        most.line->lineno);
    add_direction(&most.line->cost, &text);
    sc_str_add(&text, ": keep data on the device, copy fewer and larger pieces from pinned memory, "
                      "or copy while kernels run");
    sc_found(findings, "gpu_copies", percent, sc_finding_at(most.file, most.line->lineno, true),
             text.data);
}

/* Sums over the lines that launch kernels. */
struct launching {
    double idle_s;
    double device_s;
};

static struct launching sum_launching(const struct sc_profile *profile)
{
    struct launching sum = {0};
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t l = 0; l < file->lines.count; l++) {
            const struct sc_cost *cost = &file->lines.items[l].cost;
            if (cost->gpu_launches == 0)
                continue;
            sum.idle_s += sc_clamp(cost->gpu_idle_s, 0.0, 1e10);
            sum.device_s += sc_clamp(cost->gpu_s, 0.0, 1e10);
        }
    }
    return sum;
}

static void find_tiny_kernels(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_profile *profile = report->profile;
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    double count = (double)gpu->launches;
    struct launching sum = sum_launching(profile);
    struct most most = line_with_most(profile, launches);
    double idle = sum.idle_s > 0.0 ? 100.0 * sum.idle_s / (sum.idle_s + sum.device_s) : 0.0;
    if (gpu->traced_s < WATCHED_MIN_S || most.line == NULL || count < 1.0 ||
        gpu->kernel_s / count > TINY_KERNEL_S || idle < IDLE_MIN_PERCENT ||
        100.0 * sum.idle_s / gpu->traced_s < LAUNCH_MIN_PERCENT)
        return;
    SC_AUTO_FREE char *name = sc_shown_name(profile, most.file->name);
    sc_found(
        findings, "gpu_tiny_kernels", part_of_run(report, sum.idle_s),
        sc_finding_at(most.file, most.line->lineno, true),
        sc_format("%s kernels took %.1f microseconds on average, no more than it takes to launch "
                  "one: while the program launched them the %s had nothing to do for %s; most "
                  "(%s) are launched at %s:%u: do more in each (larger batches, fused "
                  "operations), or launch them together (CUDA graphs)",
                  sc_number_count(gpu->launches).text, 1e6 * gpu->kernel_s / count, gpu->noun,
                  sc_number_duration(sum.idle_s).text,
                  sc_number_count(most.line->cost.gpu_launches).text, name, most.line->lineno));
}

static void find_full_memory(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    const struct sc_report_device *fullest = NULL;
    double percent = 0.0;
    SC_EACH(const struct sc_report_device, device, &gpu->devices) {
        double full = device->total_mb > 0.0 ? 100.0 * device->peak_mb / device->total_mb : 0.0;
        if (device->peak_mb >= FULL_MIN_MB && full >= FULL_MIN_PERCENT && full > percent) {
            percent = full;
            fullest = device;
        }
    }
    if (fullest == NULL)
        return;
    struct sc_str text = {0};
    struct sc_finding_place place = {0};
    sc_str_add_format(&text, "the memory of %s was %s full%s (%s of %s)", fullest->name,
                      sc_number_percent(fmin(percent, 100.0)).text,
                      fullest->is_shared_memory ? ", by all who used it" : "",
                      sc_number_megabytes(fullest->peak_mb).text,
                      sc_number_megabytes(fullest->total_mb).text);
    if (gpu->memory_lines.count > 0 && gpu->memory_lines.items[0].percent >= FULL_LINE_MIN_MB) {
        const struct sc_hot *hot = &gpu->memory_lines.items[0];
        place = sc_finding_at(hot->file, hot->lineno, true);
        sc_str_add_format(&text, "; most was taken at %s, %s at once", hot->place,
                          sc_number_megabytes(hot->percent).text);
    }
    sc_str_add(&text, ": larger inputs will not fit; smaller batches or smaller types would");
    sc_found(findings, "gpu_memory", FULL_WEIGHT, place, text.data);
}

void sc_find_gpu(const struct sc_report *report, struct sc_findings *findings)
{
    if (!report->overview.gpu.has)
        return;
    find_idle(report, findings);
    find_low_load(report, findings);
    find_copies(report, findings);
    find_tiny_kernels(report, findings);
    find_full_memory(report, findings);
}
