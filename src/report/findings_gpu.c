/* report/findings_gpu.c - see findings_gpu.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/findings_gpu.h"

#include <math.h>

#include "report/number.h"

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
    double percent = sc_gpu_part_of_run(report, gpu->copy_s);
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
    if (gpu->traced_s < SC_GPU_WATCHED_MIN_S || most.line == NULL || count < 1.0 ||
        gpu->kernel_s / count > TINY_KERNEL_S || idle < SC_GPU_IDLE_MIN_PERCENT ||
        100.0 * sum.idle_s / gpu->traced_s < LAUNCH_MIN_PERCENT)
        return;
    SC_AUTO_FREE char *name = sc_shown_name(profile, most.file->name);
    sc_found(
        findings, "gpu_tiny_kernels", sc_gpu_part_of_run(report, sum.idle_s),
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
    sc_find_gpu_idle(report, findings);
    find_copies(report, findings);
    find_tiny_kernels(report, findings);
    find_full_memory(report, findings);
}
