/* ranks/cost_sums.c - see cost_sums.h. SPDX-License-Identifier: Apache-2.0 */
#include "ranks/cost_sums.h"

#include <math.h>
#include <stddef.h>

/* What a number is a share of. */
enum part {
    OF_NOTHING,
    OF_TIME,
    OF_AWAIT,
    OF_ELAPSED,
    OF_NEURON,
    OF_OWN_TIME,
    OF_OWN_MB,
    OF_OWN_SAMPLES,
    PARTS
};

enum way { ADD, ADD_SQUARES, TAKE_MOST };

/* How each number is added. Memory is that of all ranks: peaks as if they were at one moment. */
static const struct rule {
    size_t offset;
    enum part part;
    enum way way;
} rules[] = {
#define RULE(member, part, way)                                                                    \
    {                                                                                              \
        offsetof(struct sc_cost, member), part, way                                                \
    }
    RULE(cpu_python_percent, OF_TIME, ADD),
    RULE(cpu_native_percent, OF_TIME, ADD),
    RULE(system_percent, OF_TIME, ADD),
    RULE(cumulative_percent, OF_TIME, ADD),
    RULE(cpu_share_error, OF_TIME, ADD_SQUARES),
    RULE(gpu_percent, OF_OWN_TIME, ADD),
    RULE(core_utilization, OF_OWN_TIME, ADD),
    RULE(gpu_avg_memory_mb, OF_OWN_TIME, ADD),
    RULE(gpu_peak_memory_mb, OF_NOTHING, TAKE_MOST),
    RULE(malloc_mb, OF_NOTHING, ADD),
    RULE(python_fraction, OF_OWN_MB, ADD),
    RULE(peak_mb, OF_NOTHING, ADD),
    RULE(growth_mb, OF_NOTHING, ADD),
    RULE(avg_mb, OF_NOTHING, ADD),
    RULE(copy_mb_s, OF_ELAPSED, ADD),
    RULE(async_await_percent, OF_AWAIT, ADD),
    RULE(async_concurrency_mean, OF_NOTHING, TAKE_MOST),
    RULE(async_concurrency_peak, OF_NOTHING, TAKE_MOST),
    RULE(gc_s, OF_NOTHING, ADD),
    RULE(freeing_s, OF_NOTHING, ADD),
    RULE(importing_s, OF_NOTHING, ADD),
    RULE(worker_threads_s, OF_NOTHING, ADD),
    RULE(churn_mb, OF_NOTHING, ADD),
    RULE(malloc_error_mb, OF_NOTHING, ADD_SQUARES),
    RULE(peak_error_mb, OF_NOTHING, ADD_SQUARES),
    RULE(copy_error_mb_s, OF_ELAPSED, ADD_SQUARES),
    RULE(live_at_peak_mb, OF_NOTHING, ADD),
    RULE(live_at_exit_mb, OF_NOTHING, ADD),
    RULE(exit_error_mb, OF_NOTHING, ADD_SQUARES),
    RULE(gpu_s, OF_NOTHING, ADD),
    RULE(gpu_idle_s, OF_NOTHING, ADD),
    RULE(gpu_to_device_mb, OF_NOTHING, ADD),
    RULE(gpu_from_device_mb, OF_NOTHING, ADD),
    RULE(gpu_malloc_mb, OF_NOTHING, ADD),
    RULE(gpu_live_peak_mb, OF_NOTHING, ADD),
    RULE(nrt_percent, OF_NEURON, ADD),
    RULE(nrt_time_ms, OF_NOTHING, ADD),
    RULE(nc_time_ms, OF_NOTHING, ADD),
    RULE(nc_overlap_percent, OF_OWN_SAMPLES, ADD),
#undef RULE
};

enum { RULES = sizeof(rules) / sizeof(rules[0]) };

static void set_wholes(const struct sc_cost *cost, const struct sc_cost_whole *whole,
                       double ret_wholes[PARTS])
{
    ret_wholes[OF_NOTHING] = 1.0;
    ret_wholes[OF_TIME] = whole->time_s;
    ret_wholes[OF_AWAIT] = whole->await_s;
    ret_wholes[OF_ELAPSED] = whole->elapsed_s;
    ret_wholes[OF_NEURON] = whole->neuron_ms;
    ret_wholes[OF_OWN_TIME] = sc_time_sum(cost->time_s);
    ret_wholes[OF_OWN_MB] = cost->malloc_mb;
    ret_wholes[OF_OWN_SAMPLES] = (double)cost->nc_samples;
}

static double *number_at(struct sc_cost *cost, size_t offset)
{
    return (double *)(void *)((char *)cost + offset);
}

/* With memory never touched, where that makes no difference: without. */
static double or_touched(double with_untouched, double touched)
{
    return with_untouched > 0.0 ? with_untouched : touched;
}

void sc_cost_sum_add(struct sc_cost *sum, const struct sc_cost *cost,
                     const struct sc_cost_whole *whole)
{
    double wholes[PARTS];
    set_wholes(cost, whole, wholes);
    for (size_t i = 0; i < RULES; i++) {
        const struct rule *rule = &rules[i];
        const void *from = (const char *)cost + rule->offset;
        double value = *(const double *)from * wholes[rule->part];
        double *to = number_at(sum, rule->offset);
        *to = rule->way == TAKE_MOST     ? fmax(*to, value)
              : rule->way == ADD_SQUARES ? *to + value * value
                                         : *to + value;
    }
    for (size_t i = 0; i < SC_TIME_COUNT_; i++)
        sum->time_s[i] += cost->time_s[i];
    for (size_t i = 0; i < SC_WAIT_COUNT_; i++)
        sum->wait_s[i] += cost->wait_s[i];
    sum->peak_allocated_mb += or_touched(cost->peak_allocated_mb, cost->peak_mb);
    sum->exit_allocated_mb += or_touched(cost->exit_allocated_mb, cost->live_at_exit_mb);
    sum->mallocs += cost->mallocs;
    sum->samples += cost->samples;
    sum->gpu_launches += cost->gpu_launches;
    sum->nc_samples += cost->nc_samples;
    sum->is_coroutine |= cost->is_coroutine;
}

void sc_cost_sum_finish(struct sc_cost *sum, const struct sc_cost_whole *whole)
{
    double wholes[PARTS];
    set_wholes(sum, whole, wholes);
    for (size_t i = 0; i < RULES; i++) {
        const struct rule *rule = &rules[i];
        double *number = number_at(sum, rule->offset);
        double value = rule->way == ADD_SQUARES ? sqrt(*number) : *number;
        *number = wholes[rule->part] > 0.0 ? value / wholes[rule->part] : 0.0;
    }
    sum->usage_fraction = whole->allocated_mb > 0.0 ? sum->malloc_mb / whole->allocated_mb : 0.0;
    if (sum->peak_allocated_mb <= sum->peak_mb)
        sum->peak_allocated_mb = 0.0;
    if (sum->exit_allocated_mb <= sum->live_at_exit_mb)
        sum->exit_allocated_mb = 0.0;
}
