/*
 * report/gpu.c - what the devices did, and how much of that was the program's.
 *
 * Two kinds of numbers meet here, and every sentence says which it is: load and memory, read from
 * the driver now and then, perhaps for the whole device; and times, recorded by the device for each
 * piece of its work.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "report/hots.h"
#include "report/number.h"
#include "report/report.h"

#define SECONDS_MAX 1e10
#define MB_MAX      1e12

/* A device with less load and less memory than this was not used. */
#define USED_MIN_PERCENT 0.5
#define USED_MIN_MB      1.0

/* Less would be shown as 0. */
#define COPIED_MIN_MB 0.05

static bool is_neuron(const struct sc_profile *profile)
{
    return profile->neuron_event_count > 0 ||
           (profile->gpu_device != NULL && strcmp(profile->gpu_device, "Neuron") == 0);
}

static bool is_used(const struct sc_gpu_device *device)
{
    return device->load_percent >= USED_MIN_PERCENT || device->peak_mb >= USED_MIN_MB;
}

/* Devices in use; all where none is. */
static size_t count_used(const struct sc_profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->gpu_devices.count; i++)
        count += is_used(&profile->gpu_devices.items[i]);
    return count > 0 ? count : profile->gpu_devices.count;
}

static double mean_load(const struct sc_profile *profile)
{
    double sum = 0.0;
    for (size_t i = 0; i < profile->gpu_devices.count; i++)
        sum += sc_clamp(profile->gpu_devices.items[i].load_percent, 0.0, 100.0);
    size_t used = count_used(profile);
    return used > 0 ? sum / (double)used : 0.0;
}

static const char *noun_of(const struct sc_profile *profile)
{
    bool many = count_used(profile) > 1;
    if (is_neuron(profile))
        return many ? "Neuron devices" : "Neuron device";
    return many ? "GPUs" : "GPU";
}

/* "load 61% (of the whole device, whoever used it), memory at most 12.40 GB of 40.00 GB" */
static char *text_of(const struct sc_report_device *device)
{
    struct sc_str text = {0};
    if (device->load_percent < USED_MIN_PERCENT && device->peak_mb < USED_MIN_MB)
        return sc_strdup("not used");
    sc_str_add_format(&text, "load %s", sc_number_percent(device->load_percent).text);
    if (device->is_shared_load)
        sc_str_add(&text, " (of the whole device, whoever used it)");
    sc_str_add_format(&text, ", memory at most %s", sc_number_megabytes(device->peak_mb).text);
    if (device->total_mb > 0.0)
        sc_str_add_format(&text, " of %s", sc_number_megabytes(device->total_mb).text);
    if (device->is_shared_memory)
        sc_str_add(&text, " (by all who used it)");
    return text.data;
}

/* Which numbers at lines are not the program's alone. Where the devices' time was traced, the load
 * at lines is from the trace; a program that only looked for devices has no such time. */
static void find_shared(const struct sc_profile *profile, struct sc_report_gpu *gpu)
{
    SC_EACH(const struct sc_gpu_device, device, &profile->gpu_devices) {
        gpu->has_shared_load |=
            device->is_shared_load && is_used(device) && profile->gpu_traced_s <= 0.0;
        gpu->has_shared_memory |= device->is_shared_memory && is_used(device);
    }
}

static void add_devices(const struct sc_profile *profile, struct sc_report_gpu *gpu)
{
    for (size_t i = 0; i < profile->gpu_devices.count && i < SC_REPORT_ROWS; i++) {
        const struct sc_gpu_device *device = &profile->gpu_devices.items[i];
        bool has_name = device->name != NULL && device->name[0] != '\0';
        struct sc_report_device row = {
            .name =
                sc_format("%s %llu%s%s%s", gpu->kind, (unsigned long long)device->index,
                          has_name ? " (" : "", has_name ? device->name : "", has_name ? ")" : ""),
            .load_percent = sc_clamp(device->load_percent, 0.0, 100.0),
            .peak_mb = sc_clamp(device->peak_mb, 0.0, MB_MAX),
            .total_mb = sc_clamp(device->total_mb, 0.0, MB_MAX),
            .is_shared_load = device->is_shared_load,
            .is_shared_memory = device->is_shared_memory,
        };
        row.text = text_of(&row);
        sc_vec_push(&gpu->devices, row);
    }
    gpu->devices_left_out = profile->gpu_devices.count - gpu->devices.count;
}

static void add_times(const struct sc_profile *profile, struct sc_report_gpu *gpu)
{
    gpu->is_traced = profile->gpu_trace != NULL;
    if (!gpu->is_traced)
        return;
    gpu->kernel_s = sc_clamp(profile->gpu_kernel_s, 0.0, SECONDS_MAX);
    gpu->copy_s = sc_clamp(profile->gpu_copy_s, 0.0, SECONDS_MAX);
    gpu->traced_s = sc_clamp(profile->gpu_traced_s, 0.0, SECONDS_MAX);
    gpu->busy_s = sc_clamp(profile->gpu_busy_s, 0.0, gpu->traced_s);
    gpu->idle_s = gpu->traced_s - gpu->busy_s;
    if (profile->processes.count > 1)
        gpu->summed = ", summed over the processes, each by its own work";
    if (gpu->traced_s > 0.0)
        gpu->idle_percent = 100.0 * gpu->idle_s / gpu->traced_s;
}

static void offer_line(struct sc_report_gpu *gpu, const struct sc_file *file,
                       const struct sc_line *line)
{
    const struct sc_cost *cost = &line->cost;
    double device_s = gpu->kernel_s + gpu->copy_s;
    struct sc_hot hot = {.file = file, .cost = cost, .lineno = line->lineno};
    sc_hot_text(line->text, &hot);
    sc_cost_kinds(cost, hot.kinds);
    if (device_s > 0.0)
        hot.percent = sc_clamp(100.0 * cost->gpu_s / device_s, 0.0, 100.0);
    hot.heat = sc_heat_of(hot.percent);
    if (hot.percent >= 1.0)
        sc_hots_offer(&gpu->lines, &hot);
    hot.percent = 0.0;
    if (gpu->idle_s > 0.0)
        hot.percent = sc_clamp(100.0 * cost->gpu_idle_s / gpu->idle_s, 0.0, 100.0);
    hot.heat = sc_heat_of(hot.percent);
    if (hot.percent >= 1.0)
        sc_hots_offer(&gpu->idle_lines, &hot);
    hot.percent = sc_clamp(cost->gpu_live_peak_mb, 0.0, MB_MAX);
    hot.heat = SC_HEAT_NONE;
    if (hot.percent >= USED_MIN_MB)
        sc_hots_offer(&gpu->memory_lines, &hot);
}

static void add_lines(const struct sc_profile *profile, struct sc_report_gpu *gpu)
{
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t l = 0; l < file->lines.count; l++) {
            const struct sc_cost *cost = &file->lines.items[l].cost;
            gpu->launches += cost->gpu_launches < (1ULL << 48U) ? cost->gpu_launches : 0;
            gpu->to_device_mb += sc_clamp(cost->gpu_to_device_mb, 0.0, MB_MAX);
            gpu->from_device_mb += sc_clamp(cost->gpu_from_device_mb, 0.0, MB_MAX);
            offer_line(gpu, file, &file->lines.items[l]);
        }
    }
    sc_hots_name(profile, &gpu->lines);
    sc_hots_name(profile, &gpu->idle_lines);
    sc_hots_name(profile, &gpu->memory_lines);
}

static void say_traced(const struct sc_profile *profile, struct sc_report_gpu *gpu)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_str_add_format(&text, "device time %s: kernels %s, copies %s",
                      sc_number_duration(gpu->kernel_s + gpu->copy_s).text,
                      sc_number_duration(gpu->kernel_s).text, sc_number_duration(gpu->copy_s).text);
    if (gpu->to_device_mb >= COPIED_MIN_MB)
        sc_str_add_format(&text, ", %s to the device", sc_number_megabytes(gpu->to_device_mb).text);
    if (gpu->from_device_mb >= COPIED_MIN_MB)
        sc_str_add_format(&text, ", %s from the device",
                          sc_number_megabytes(gpu->from_device_mb).text);
    sc_vec_push(&gpu->facts, sc_strdup(sc_str_text(&text)));
    if (gpu->traced_s > 0.0)
        sc_vec_push(&gpu->facts,
                    sc_format("busy %s of %s, from its first use on; nothing to do for %s%s",
                              sc_number_percent(100.0 - gpu->idle_percent).text,
                              sc_number_duration(gpu->traced_s).text,
                              sc_number_duration(gpu->idle_s).text, gpu->summed));
    sc_vec_push(
        &gpu->facts,
        sc_format("times%s are exact, reported by the device (%s)%s",
                  gpu->traced_s > 0.0 ? ", bytes and what lines have of the load" : " and bytes",
                  profile->gpu_trace,
                  gpu->devices.count > 0
                      ? "; the devices' own load and memory were asked of the driver"
                      : ""));
}

/* What Neuron's own profiler has recorded, once it was merged in. */
static void say_neuron(const struct sc_profile *profile, struct sc_report_gpu *gpu)
{
    double runtime_s = sc_clamp(profile->neuron_total_time_ms / 1e3, 0.0, SECONDS_MAX);
    double cores_s = sc_clamp(profile->neuron_total_nc_time_ms / 1e3, 0.0, SECONDS_MAX);
    double overlap = sc_clamp(profile->neuron_overlap_percent, 0.0, 100.0);
    sc_vec_push(&gpu->facts,
                sc_format("by the trace of the Neuron runtime: its calls took %s, the cores worked "
                          "for %s; a core was busy at %s of the moments at which the program was "
                          "seen",
                          sc_number_duration(runtime_s).text, sc_number_duration(cores_s).text,
                          sc_number_percent(overlap).text));
}

static void say(const struct sc_profile *profile, struct sc_report_gpu *gpu)
{
    if (gpu->peak_mb > 0.0 && gpu->devices.count != 1)
        sc_vec_push(&gpu->facts, sc_format(gpu->has_shared_memory
                                               ? "on all devices together at most %s were in use, "
                                                 "by whoever used them"
                                               : "the program had at most %s of device memory",
                                           sc_number_megabytes(gpu->peak_mb).text));
    if (profile->neuron_event_count > 0)
        say_neuron(profile, gpu);
    if (gpu->is_traced)
        say_traced(profile, gpu);
    else if (gpu->devices.count > 0)
        sc_vec_push(&gpu->facts, sc_strdup("load and memory were asked of the driver; times of "
                                           "single kernels and copies were not traced"));
}

/* The one number about devices among the first facts of a run. */
static char *fact_of(const struct sc_report_gpu *gpu)
{
    if (gpu->traced_s > 0.0)
        return sc_format("%s busy %s", gpu->kind,
                         sc_number_percent(100.0 - gpu->idle_percent).text);
    if (gpu->load_percent < USED_MIN_PERCENT)
        return NULL;
    return sc_format("%s load %s%s", gpu->kind, sc_number_percent(gpu->load_percent).text,
                     gpu->has_shared_load ? " (whole device)" : "");
}

void sc_report_devices(struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    struct sc_report_gpu *gpu = &report->overview.gpu;
    gpu->noun = noun_of(profile);
    gpu->summed = "";
    gpu->kind = is_neuron(profile) ? "Neuron" : "GPU";
    gpu->has = profile->gpu_devices.count > 0 || profile->gpu_trace != NULL ||
               profile->neuron_event_count > 0;
    if (!gpu->has)
        return;
    add_devices(profile, gpu);
    find_shared(profile, gpu);
    gpu->load_percent = mean_load(profile);
    gpu->peak_mb = sc_clamp(profile->gpu_peak_mb, 0.0, MB_MAX);
    add_times(profile, gpu);
    gpu->fact = fact_of(gpu);
    add_lines(profile, gpu);
    say(profile, gpu);
}

void sc_report_devices_done(struct sc_report_gpu *gpu)
{
    free(gpu->fact);
    for (size_t i = 0; i < gpu->devices.count; i++) {
        free(gpu->devices.items[i].name);
        free(gpu->devices.items[i].text);
    }
    sc_vec_done(&gpu->devices);
    sc_vec_free(&gpu->facts);
    sc_hots_done(&gpu->lines);
    sc_hots_done(&gpu->idle_lines);
    sc_hots_done(&gpu->memory_lines);
}
