/* report/column.c - see column.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/column.h"

#include <math.h>

#include "report/number.h"

/* A thousandth of a second is the least that is shown. */
#define GPU_LEAST_S 0.0005

/* What a column shows of the costs, and which part of a profile it is shown for. */
#define VALUES(X)                                                                                  \
    X(python, cost->cpu_python_percent)                                                            \
    X(native, cost->cpu_native_percent)                                                            \
    X(system, cost->system_percent)                                                                \
    X(gpu, cost->gpu_percent)                                                                      \
    X(gpu_time, cost->gpu_s)                                                                       \
    X(gpu_idle, cost->gpu_idle_s)                                                                  \
    X(gpu_memory, cost->gpu_peak_memory_mb)                                                        \
    X(gpu_allocated, cost->gpu_live_peak_mb)                                                       \
    X(neuron_runtime, cost->nrt_percent)                                                           \
    X(neuron_core_time, cost->nc_time_ms / 1e3)                                                    \
    /* Of the moments at which the line was seen. */                                               \
    X(neuron_idle_time, cost->nc_samples > 0 ? 100.0 - cost->nc_overlap_percent : 0.0)             \
    X(await, cost->async_await_percent)                                                            \
    /* The share of a line that allocated nothing is not a number people want. */                  \
    X(memory_python, 100.0 * cost->python_fraction)                                                \
    X(memory_peak, cost->peak_mb)                                                                  \
    X(memory_average, cost->avg_mb)                                                                \
    X(memory_usage, 100.0 * cost->usage_fraction)                                                  \
    X(copy_rate, cost->copy_mb_s)
#define SHOWN(X)                                                                                   \
    X(total, totals)                                                                               \
    X(waiting, waiting)                                                                            \
    X(gpu, gpu)                                                                                    \
    X(gpu_time, gpu_time)                                                                          \
    X(gpu_idle, gpu_idle)                                                                          \
    X(gpu_memory, gpu_memory)                                                                      \
    X(gpu_allocated, gpu_allocated)                                                                \
    X(neuron, neuron)                                                                              \
    X(await, await)                                                                                \
    X(memory, memory)                                                                              \
    X(curve, memory_curves)                                                                        \
    X(copy, copies)

#define X_VALUE(name, number)                                                                      \
    static double value_##name(const struct sc_cost *cost)                                         \
    {                                                                                              \
        return number;                                                                             \
    }
VALUES(X_VALUE)

#define X_SHOWN(name, part)                                                                        \
    static bool shown_##name(const struct sc_parts *parts)                                         \
    {                                                                                              \
        return parts->part;                                                                        \
    }
SHOWN(X_SHOWN)

static double value_self(const struct sc_cost *cost)
{
    return sc_clamp(cost->cpu_python_percent, 0.0, 100.0) +
           sc_clamp(cost->cpu_native_percent, 0.0, 100.0) +
           sc_clamp(cost->system_percent, 0.0, 100.0);
}

/* Never less than the line's own time, which other profilers count in other ways. */
static double value_total(const struct sc_cost *cost)
{
    return cost->cumulative_percent > 0.0
               ? fmax(sc_clamp(cost->cumulative_percent, 0.0, 100.0), value_self(cost))
               : 0.0;
}

/* The part of the system's time in which nothing was on a CPU. */
static double value_waiting(const struct sc_cost *cost)
{
    double waiting_s = 0.0;
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        waiting_s +=
            sc_time_is_waiting((enum sc_time)i) ? sc_clamp(cost->time_s[i], 0.0, 1e10) : 0.0;
    double system_s = waiting_s + sc_clamp(cost->time_s[SC_TIME_KERNEL], 0.0, 1e10) +
                      sc_clamp(cost->time_s[SC_TIME_PREEMPTED_KERNEL], 0.0, 1e10);
    return system_s > 0.0 ? sc_clamp(cost->system_percent, 0.0, 100.0) * waiting_s / system_s : 0.0;
}

const struct sc_group_text sc_groups[SC_GROUP_COUNT_] = {
    [SC_GROUP_TIME] = {"Time", "Time"},  [SC_GROUP_GPU] = {"GPU", "GPU"},
    [SC_GROUP_AWAIT] = {"Await", "Awt"}, [SC_GROUP_MEMORY] = {"Memory", "Memory"},
    [SC_GROUP_COPY] = {"Copy", "Copy"},
};

/* clang-format off */
const struct sc_column sc_columns[SC_COLUMN_COUNT_] = {
    [SC_COLUMN_SELF] = {
        "self", SC_GROUP_TIME, "self", "",
        SC_UNIT_PERCENT, 0, 0, 1.0, 0, value_self, NULL},
    [SC_COLUMN_TOTAL] = {
        "total", SC_GROUP_TIME, "total", "",
        SC_UNIT_PERCENT, 0, 0, 1.0, 0, value_total, shown_total},
    [SC_COLUMN_PYTHON] = {
        "python", SC_GROUP_TIME, "Python", "Py",
        SC_UNIT_PERCENT, 6, 4, 1.0, 0, value_python, NULL},
    [SC_COLUMN_NATIVE] = {
        "native", SC_GROUP_TIME, "native", "nat",
        SC_UNIT_PERCENT, 6, 4, 1.0, 1, value_native, NULL},
    [SC_COLUMN_SYSTEM] = {
        "system", SC_GROUP_TIME, "system", "sys",
        SC_UNIT_PERCENT, 6, 4, 1.0, 2, value_system, NULL},
    [SC_COLUMN_WAITING] = {
        "waiting", SC_GROUP_TIME, "waiting", "",
        SC_UNIT_PERCENT, 0, 0, 1.0, 0, value_waiting, shown_waiting},
    [SC_COLUMN_GPU] = {
        "gpu", SC_GROUP_GPU, "%", "%",
        SC_UNIT_PERCENT, 4, 4, 1.0, 6, value_gpu, shown_gpu},
    [SC_COLUMN_GPU_TIME] = {
        "gpu_time", SC_GROUP_GPU, "time", "time",
        SC_UNIT_SECONDS, 5, 5, GPU_LEAST_S, 4, value_gpu_time, shown_gpu_time},
    [SC_COLUMN_GPU_IDLE] = {
        "gpu_idle", SC_GROUP_GPU, "idle", "idle",
        SC_UNIT_SECONDS, 5, 5, GPU_LEAST_S, 7, value_gpu_idle, shown_gpu_idle},
    [SC_COLUMN_GPU_MEMORY] = {
        "gpu_memory", SC_GROUP_GPU, "memory", "mem",
        SC_UNIT_MEGABYTES, 6, 6, 1.0, 12, value_gpu_memory, shown_gpu_memory},
    [SC_COLUMN_GPU_ALLOCATED] = {
        "gpu_allocated", SC_GROUP_GPU, "alloc", "alloc",
        SC_UNIT_MEGABYTES, 6, 6, 1.0, 11, value_gpu_allocated, shown_gpu_allocated},
    [SC_COLUMN_NEURON_RUNTIME] = {
        "neuron_runtime", SC_GROUP_GPU, "NRT", "NRT",
        SC_UNIT_PERCENT, 4, 4, 1.0, 5, value_neuron_runtime, shown_neuron},
    [SC_COLUMN_NEURON_CORES] = {
        "neuron_cores", SC_GROUP_GPU, "NC", "NC",
        SC_UNIT_SECONDS, 5, 5, GPU_LEAST_S, 4, value_neuron_core_time, shown_neuron},
    [SC_COLUMN_NEURON_UNUSED] = {
        "neuron_unused", SC_GROUP_GPU, "unused", "idle",
        SC_UNIT_PERCENT, 6, 4, 1.0, 7, value_neuron_idle_time, shown_neuron},
    [SC_COLUMN_AWAIT] = {
        "await", SC_GROUP_AWAIT, "%", "%",
        SC_UNIT_PERCENT, 5, 4, 1.0, 5, value_await, shown_await},
    [SC_COLUMN_MEMORY_PYTHON] = {
        "memory_python", SC_GROUP_MEMORY, "Python", "Py",
        SC_UNIT_PERCENT, 6, 4, 1.0, 9, value_memory_python, shown_memory},
    [SC_COLUMN_MEMORY_PEAK] = {
        "memory_peak", SC_GROUP_MEMORY, "peak", "peak",
        SC_UNIT_MEGABYTES, 6, 6, 0.0, 3, value_memory_peak, shown_memory},
    [SC_COLUMN_MEMORY_AVERAGE] = {
        "memory_average", SC_GROUP_MEMORY, "average", "",
        SC_UNIT_MEGABYTES, 0, 0, 0.0, 0, value_memory_average, shown_memory},
    [SC_COLUMN_MEMORY_CURVE] = {
        "memory_timeline", SC_GROUP_MEMORY, "timeline", "",
        SC_UNIT_CURVE, 9, 0, 0.0, 13, NULL, shown_curve},
    [SC_COLUMN_MEMORY_USAGE] = {
        "memory_usage", SC_GROUP_MEMORY, "%", "%",
        SC_UNIT_PERCENT, 4, 4, 1.0, 8, value_memory_usage, shown_memory},
    [SC_COLUMN_COPY] = {
        "copy", SC_GROUP_COPY, "(MB/s)", "MB/s",
        SC_UNIT_MB_PER_SECOND, 6, 5, 0.5, 10, value_copy_rate, shown_copy},
};
/* clang-format on */

static struct sc_number megabytes_text(double mb)
{
    double value = sc_clamp(mb, 0.0, 999.0 * 1024.0 * 1024.0);
    if (value < 1.0)
        return sc_number_format("<1M");
    if (value < 1023.5)
        return sc_number_format("%.0fM", value);
    if (value < 1023.5 * 1024.0)
        return sc_number_format(value < 99.995 * 1024.0 ? "%.2fG" : "%.0fG", value / 1024.0);
    return sc_number_format("%.0fT", value / (1024.0 * 1024.0));
}

static struct sc_number rate_text(double mb_s)
{
    double value = sc_clamp(mb_s, 0.0, 9999e3);
    return value < 99999.5 ? sc_number_format("%.0f", value)
                           : sc_number_format("%.0fk", value / 1e3);
}

/* At most five characters up to eleven days. */
static struct sc_number seconds_text(double seconds)
{
    double value = sc_clamp(seconds, 0.0, 9999.0 * 3600.0);
    if (value < 0.9995)
        return sc_number_format("%.0fms", value * 1e3);
    if (value < 9999.5)
        return sc_number_format(value < 99.95 ? "%.1fs" : "%.0fs", value);
    return value < 9999.5 * 60.0 ? sc_number_format("%.0fm", value / 60.0)
                                 : sc_number_format("%.0fh", value / 3600.0);
}

struct sc_number sc_cell_text(enum sc_unit unit, double value)
{
    switch (unit) {
    case SC_UNIT_PERCENT:
        return sc_number_format("%.0f%%", sc_clamp(value, 0.0, 999.0));
    case SC_UNIT_MEGABYTES:
        return megabytes_text(value);
    case SC_UNIT_MB_PER_SECOND:
        return rate_text(value);
    case SC_UNIT_SECONDS:
        return seconds_text(value);
    case SC_UNIT_CURVE:
        break;
    }
    return (struct sc_number){""};
}

struct sc_number sc_column_text(const struct sc_column *column, const struct sc_cost *cost)
{
    double value = column->value != NULL ? column->value(cost) : -1.0;
    /* a line that allocated, however little was alive at once, shows a peak */
    bool is_shown = column->unit != SC_UNIT_MEGABYTES || value > 0.0 || cost->usage_fraction > 0.0;
    return column->value != NULL && value >= column->blank_below && is_shown
               ? sc_cell_text(column->unit, value)
               : (struct sc_number){""};
}

static void find_gpu_parts(const struct sc_profile *profile, const struct sc_cost *cost,
                           struct sc_parts *parts)
{
    bool is_traced = profile->gpu_trace != NULL;
    parts->gpu |= profile->gpu && cost->gpu_percent >= 1.0;
    parts->gpu_memory |= profile->gpu && cost->gpu_peak_memory_mb >= 1.0;
    parts->gpu_time |= is_traced && cost->gpu_s >= GPU_LEAST_S;
    parts->gpu_idle |= is_traced && cost->gpu_idle_s >= GPU_LEAST_S;
    parts->gpu_allocated |= is_traced && cost->gpu_live_peak_mb >= 1.0;
    parts->neuron |= profile->neuron_event_count > 0 && cost->nrt_time_ms > 0.0;
}

static void find_parts(const struct sc_profile *profile, const struct sc_cost *cost,
                       struct sc_parts *parts)
{
    find_gpu_parts(profile, cost, parts);
    parts->totals |= value_total(cost) >= 1.0;
    parts->waiting |= value_waiting(cost) >= 1.0;
    parts->await |= profile->async_profile && cost->async_await_percent >= 1.0;
    parts->memory |= profile->memory && (cost->peak_mb > 0.0 || cost->usage_fraction > 0.0);
    parts->memory_curves |= profile->memory && cost->memory_samples.count > 1;
    parts->copies |= profile->memory && cost->copy_mb_s >= 0.5;
}

struct sc_parts sc_parts_of(const struct sc_profile *profile)
{
    struct sc_parts parts = {0};
    if (profile->gpu_trace != NULL)
        parts.device_s = sc_clamp(profile->gpu_kernel_s + profile->gpu_copy_s, 0.0, 1e10);
    parts.gpu_least_s = 0.01 * parts.device_s;
    if (parts.gpu_least_s < GPU_LEAST_S)
        parts.gpu_least_s = GPU_LEAST_S;
    if (profile->memory)
        parts.peak_mb = sc_clamp(profile->max_footprint_mb, 0.0, 1e12);
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t l = 0; l < file->lines.count; l++)
            find_parts(profile, &file->lines.items[l].cost, &parts);
    }
    return parts;
}
