/*
 * report/measures.c - what the numbers of a line, a file or a curve mean on the scales of the
 * report.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/number.h"
#include "report/report.h"

#define LEAKS_SHOWN 200U

void sc_cost_kinds(const struct sc_cost *cost, double ret_kinds[SC_KIND_COUNT_])
{
    ret_kinds[SC_KIND_PYTHON] = sc_clamp(cost->cpu_python_percent, 0.0, 100.0);
    ret_kinds[SC_KIND_NATIVE] = sc_clamp(cost->cpu_native_percent, 0.0, 100.0);
    ret_kinds[SC_KIND_SYSTEM] = sc_clamp(cost->system_percent, 0.0, 100.0);
}

double sc_cost_time_percent(const struct sc_cost *cost)
{
    double kinds[SC_KIND_COUNT_];
    sc_cost_kinds(cost, kinds);
    return kinds[SC_KIND_PYTHON] + kinds[SC_KIND_NATIVE] + kinds[SC_KIND_SYSTEM];
}

/* The seconds that are its share of the run. */
static double seconds_of(const struct sc_cost *cost)
{
    double seconds = 0.0;
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        seconds += sc_clamp(cost->time_s[i], 0.0, 1e10);
    return seconds;
}

double sc_cost_interpreting_percent(const struct sc_cost *cost)
{
    double kinds[SC_KIND_COUNT_];
    double seconds = seconds_of(cost);
    double chores_s = sc_clamp(cost->gc_s, 0.0, seconds) + sc_clamp(cost->freeing_s, 0.0, seconds);
    double chores = seconds > 0.0 ? chores_s / seconds * sc_cost_time_percent(cost) : 0.0;
    sc_cost_kinds(cost, kinds);
    return fmax(0.0, kinds[SC_KIND_PYTHON] - chores);
}

enum sc_heat sc_heat_of(double percent)
{
#define X_FROM(name, from) from,
    static const double from[SC_HEAT_COUNT_] = {SC_HEATS(X_FROM)};
#undef X_FROM
    enum sc_heat heat = SC_HEAT_NONE;
    for (int i = 0; i < SC_HEAT_COUNT_; i++) {
        if (percent >= from[i])
            heat = (enum sc_heat)i;
    }
    return heat;
}

enum sc_heat sc_cost_time_heat(const struct sc_parts *parts, const struct sc_cost *cost)
{
    double percent = sc_cost_time_percent(cost);
    if (parts->device_s > 0.0)
        return sc_heat_of(
            fmax(percent, sc_clamp(100.0 * cost->gpu_s / parts->device_s, 0.0, 100.0)));
    return sc_heat_of(percent + sc_clamp(cost->gpu_percent, 0.0, 100.0));
}

double sc_cost_peak_percent(const struct sc_parts *parts, const struct sc_cost *cost)
{
    if (!(parts->peak_mb > 0.0))
        return 0.0;
    return sc_clamp(100.0 * cost->peak_mb / parts->peak_mb, 0.0, 100.0);
}

enum sc_heat sc_cost_memory_heat(const struct sc_parts *parts, const struct sc_cost *cost)
{
    return sc_heat_of(
        fmax(100.0 * sc_clamp(cost->usage_fraction, 0.0, 1.0), sc_cost_peak_percent(parts, cost)));
}

bool sc_cost_calls_matter(const struct sc_cost *cost)
{
    return sc_clamp(cost->cumulative_percent, 0.0, 100.0) >= sc_cost_time_percent(cost) + 0.5;
}

struct sc_share sc_cost_part(const struct sc_cost *cost)
{
    struct sc_share parts[] = {{"in worker threads", 0.0, cost->worker_threads_s},
                               {"freeing objects", 0.0, cost->freeing_s},
                               {"garbage collection", 0.0, cost->gc_s}};
    struct sc_share largest = {0};
    double seconds = seconds_of(cost);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && seconds > 0.0; i++) {
        parts[i].seconds = sc_clamp(parts[i].seconds, 0.0, seconds);
        parts[i].percent = parts[i].seconds / seconds * sc_cost_time_percent(cost);
        if (parts[i].percent >= 0.5 && parts[i].percent > largest.percent)
            largest = parts[i];
    }
    return largest;
}

const struct sc_line *sc_file_line(const struct sc_file *file, uint32_t lineno)
{
    /* there is a record for every line, in order; a foreign file may leave some out */
    if (lineno > 0 && lineno <= file->lines.count && file->lines.items[lineno - 1].lineno == lineno)
        return &file->lines.items[lineno - 1];
    for (size_t i = 0; i < file->lines.count; i++) {
        if (file->lines.items[i].lineno == lineno)
            return &file->lines.items[i];
    }
    return NULL;
}

size_t sc_file_leak_count(const struct sc_file *file)
{
    return file->leaks.count < LEAKS_SHOWN ? file->leaks.count : LEAKS_SHOWN;
}

uint32_t sc_function_end(const struct sc_file *file, const struct sc_function *function)
{
    const struct sc_line *line = sc_file_line(file, function->lineno);
    bool is_its_own = line != NULL && line->region.start_function_line == function->lineno &&
                      line->region.end_function_line >= function->lineno;
    return is_its_own ? line->region.end_function_line : function->lineno;
}

const struct sc_function *sc_function_around(const struct sc_file *file, uint32_t line,
                                             const char *name)
{
    const struct sc_function *around = NULL;
    const struct sc_function *namesake = NULL;
    SC_EACH(const struct sc_function, function, &file->functions) {
        bool is_nearer = around == NULL || function->lineno > around->lineno;
        if (is_nearer && function->lineno <= line && line <= sc_function_end(file, function))
            around = function;
        if (namesake == NULL && strcmp(function->name, name) == 0)
            namesake = function;
    }
    return around != NULL ? around : namesake;
}

void sc_shares_add(struct sc_shares *shares, const char *name, double percent, double seconds)
{
    if (percent >= 0.5 && seconds > 0.0)
        sc_vec_push(shares, (struct sc_share){name, percent, seconds});
}

void sc_shares_sort(struct sc_shares *shares)
{
    /* a handful of items: insertion keeps equal ones in order */
    for (size_t i = 1; i < shares->count; i++) {
        struct sc_share moved = shares->items[i];
        size_t place = i;
        for (; place > 0 && shares->items[place - 1].seconds < moved.seconds; place--)
            shares->items[place] = shares->items[place - 1];
        shares->items[place] = moved;
    }
}

bool sc_curve_levels(const struct sc_footprint *points, size_t point_count, double top_mb,
                     unsigned top, unsigned char *ret_levels, size_t count)
{
    if (point_count < 2 || count == 0 || !(top_mb > 0.0))
        return false;
    double first = (double)points[0].time_ns;
    double span = (double)points[point_count - 1].time_ns - first;
    if (!(span > 0.0))
        return false;
    size_t next = 0;
    double held = points[0].mb;
    for (size_t i = 0; i < count; i++) {
        /* a value holds until the next one, so the one before the span counts, too */
        double end = first + span * (double)(i + 1) / (double)count;
        double highest = held;
        for (; next < point_count && ((double)points[next].time_ns < end || i + 1 == count);
             next++) {
            held = points[next].mb;
            highest = fmax(highest, held);
        }
        ret_levels[i] = (unsigned char)lround(sc_clamp(highest / top_mb, 0.0, 1.0) * top);
    }
    return true;
}

/* Adds a value that holds over the span [from_s, to_s) to the bins that the span overlaps, as
 * integrals over time. */
static void fill(double from_s, double to_s, double value, double first_s, double bin_s,
                 size_t bins, float *sums)
{
    double begin = fmax(from_s, first_s);
    double end = fmin(to_s, first_s + bin_s * (double)bins);
    if (!(end > begin) || value <= 0.0)
        return;
    size_t at = (size_t)((begin - first_s) / bin_s);
    for (; at < bins && first_s + bin_s * (double)at < end; at++) {
        double left = fmax(begin, first_s + bin_s * (double)at);
        double right = fmin(end, first_s + bin_s * (double)(at + 1));
        if (right > left)
            sums[at] += (float)(value * (right - left));
    }
}

void sc_load_bins(const struct sc_footprints *load, double from_s, double to_s, double last_s,
                  size_t bins, float *ret_percents)
{
    double bin_s = (to_s - from_s) / (double)bins;
    for (size_t i = 0; i < bins; i++)
        ret_percents[i] = 0.0F;
    if (!(bin_s > 0.0))
        return;
    for (size_t i = 0; i < load->count; i++) {
        double start_s = (double)load->items[i].time_ns / 1e9;
        double end_s = i + 1 < load->count ? (double)load->items[i + 1].time_ns / 1e9 : last_s;
        fill(start_s, end_s, sc_clamp(load->items[i].mb, 0.0, 100.0), from_s, bin_s, bins,
             ret_percents);
    }
    for (size_t i = 0; i < bins; i++)
        ret_percents[i] = (float)fmin(100.0, (double)ret_percents[i] / bin_s);
}
