/*
 * report/gpu_load.c - the devices' load over time, at the grain of a view.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "report/number.h"
#include "report/report.h"

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
