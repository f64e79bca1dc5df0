/*
 * build/gpu.c - what GPUs did, as the profile has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/gpu.h"

#include "build/builder.h"

#define MB (1024.0 * 1024.0)

static double mb(double bytes)
{
    return bytes / MB;
}

/* A total sums several accounts where a file has several names, or a function several code objects.
 * Whether their peaks were at the same time is not known: the larger one counts, as if they were
 * not. */
static void add_account(const struct sc_gpu_account *account, struct sc_total *total)
{
    if (total == NULL)
        return;
    struct sc_gpu_account *sum = &total->gpu;
    sum->watched_ns += account->watched_ns;
    sum->load_ns += account->load_ns;
    sum->used_byte_ns += account->used_byte_ns;
    sum->busy_ns += account->busy_ns;
    sum->idle_ns += account->idle_ns;
    sum->launched_ns += account->launched_ns;
    sum->kernels += account->kernels;
    sum->to_device_bytes += account->to_device_bytes;
    sum->from_device_bytes += account->from_device_bytes;
    sum->allocated_bytes += account->allocated_bytes;
    if (sum->used_peak_bytes < account->used_peak_bytes)
        sum->used_peak_bytes = account->used_peak_bytes;
    if (sum->live_peak_bytes < account->live_peak_bytes)
        sum->live_peak_bytes = account->live_peak_bytes;
}

/* Exact where the devices were traced while the program was here, else as the driver reports it. */
static double load_percent(const struct sc_gpu_account *account)
{
    double traced_ns = account->busy_ns + account->idle_ns;
    if (traced_ns > 0)
        return 100 * account->busy_ns / traced_ns;
    return account->watched_ns > 0 ? 100 * account->load_ns / account->watched_ns : 0;
}

void sc_builder_copy_gpu(const struct sc_total *total, struct sc_cost *ret_cost)
{
    const struct sc_gpu_account *gpu = &total->gpu;
    ret_cost->gpu_percent = load_percent(gpu);
    ret_cost->gpu_peak_memory_mb = mb((double)gpu->used_peak_bytes);
    if (gpu->watched_ns > 0)
        ret_cost->gpu_avg_memory_mb = mb(gpu->used_byte_ns / gpu->watched_ns);
    if (ret_cost->gpu_avg_memory_mb > ret_cost->gpu_peak_memory_mb) /* by rounding */
        ret_cost->gpu_avg_memory_mb = ret_cost->gpu_peak_memory_mb;
    ret_cost->gpu_s = (double)gpu->launched_ns / 1e9;
    ret_cost->gpu_launches = gpu->kernels;
    ret_cost->gpu_idle_s = gpu->idle_ns / 1e9;
    ret_cost->gpu_to_device_mb = mb((double)gpu->to_device_bytes);
    ret_cost->gpu_from_device_mb = mb((double)gpu->from_device_bytes);
    ret_cost->gpu_malloc_mb = mb((double)gpu->allocated_bytes);
    ret_cost->gpu_live_peak_mb = mb((double)gpu->live_peak_bytes);
}

static void add_point(struct sc_footprints *points, uint64_t time_ns, double value)
{
    if (points->count > 0 && points->items[points->count - 1].time_ns >= time_ns)
        points->items[points->count - 1].mb = value;
    else
        sc_vec_push(points, (struct sc_footprint){.time_ns = time_ns, .mb = value});
}

/* A value holds until the next one: each step has a point on either side, so that a line drawn
 * through the points is right. */
static void add_curve(const struct sc_builder *builder, const struct sc_curve *curve, double unit,
                      struct sc_footprints *ret_points)
{
    uint64_t begun_ns = builder->input->begun_ns;
    double before = 0;
    SC_EACH(const struct sc_curve_point, point, &curve->points) {
        uint64_t time_ns = point->time_ns > begun_ns ? point->time_ns - begun_ns : 0;
        if (time_ns > 0)
            add_point(ret_points, time_ns - 1, before);
        before = (double)point->value / unit;
        add_point(ret_points, time_ns, before);
    }
    if (curve->points.count > 0 && builder->input->ended_ns > begun_ns)
        add_point(ret_points, builder->input->ended_ns - begun_ns, before);
}

void sc_builder_gpu(struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_gpu *gpu = builder->input->gpu;
    if (gpu == NULL)
        return;
    SC_EACH(const struct sc_gpu_account, account, &gpu->lines)
        add_account(account, sc_builder_line_of(builder, account->node));
    SC_EACH(const struct sc_gpu_account, account, &gpu->functions)
        add_account(account, sc_builder_function_of(builder, account->node));
    profile->gpu_kernel_s = (double)gpu->kernel_ns / 1e9;
    profile->gpu_copy_s = (double)gpu->copy_ns / 1e9;
    profile->gpu_traced_s = (gpu->busy_ns + gpu->idle_ns) / 1e9;
    profile->gpu_busy_s = gpu->busy_ns / 1e9;
    profile->gpu_peak_mb = mb((double)gpu->used_peak_bytes);
    add_curve(builder, &gpu->load, 1e3, &profile->gpu_load);
    add_curve(builder, &gpu->used, MB, &profile->gpu_memory);
}
