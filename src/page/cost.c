/*
 * page/cost.c - api/cost: all that is known of one line or one function, for the box beside it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "page/page.h"
#include "page/write.h"
#include "report/number.h"

/* The most lines that hold the interpreter lock, in an answer. */
#define HOLDERS_MAX 3U

/* Writes a number unless it is 0: not measured, or nothing to measure. */
static void write_if(struct sc_json_out *out, const char *key, double number)
{
    if (number != 0.0)
        sc_write_number(out, key, number);
}

static void write_times(struct sc_json_out *out, const struct sc_cost *cost)
{
    sc_json_begin_under(out, "time", '{');
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        write_if(out, sc_time_names[i], cost->time_s[i]);
    sc_json_end(out, '}');
    sc_json_begin_under(out, "waits", '{');
    for (int i = 0; i < SC_WAIT_COUNT_; i++)
        write_if(out, sc_wait_names[i], cost->wait_s[i]);
    sc_json_end(out, '}');
    sc_json_count_under(out, "samples", cost->samples);
    sc_write_number(out, "percent", sc_cost_time_percent(cost));
    write_if(out, "error_percent", cost->cpu_share_error);
    write_if(out, "cumulative_percent", sc_clamp(cost->cumulative_percent, 0.0, 100.0));
    write_if(out, "core_utilization", cost->core_utilization);
    write_if(out, "freeing_s", cost->freeing_s);
    write_if(out, "gc_s", cost->gc_s);
    write_if(out, "importing_s", cost->importing_s);
    write_if(out, "worker_threads_s", cost->worker_threads_s);
}

static void write_memory(struct sc_json_out *out, const struct sc_cost *cost)
{
    sc_write_number(out, "malloc_mb", cost->malloc_mb);
    write_if(out, "malloc_error_mb", cost->malloc_error_mb);
    write_if(out, "churn_mb", cost->churn_mb);
    sc_json_count_under(out, "mallocs", cost->mallocs);
    sc_write_number(out, "python_fraction", cost->python_fraction);
    sc_write_number(out, "usage_fraction", cost->usage_fraction);
    sc_write_number(out, "peak_mb", cost->peak_mb);
    write_if(out, "peak_error_mb", cost->peak_error_mb);
    write_if(out, "peak_allocated_mb", cost->peak_allocated_mb);
    sc_write_number(out, "avg_mb", cost->avg_mb);
    sc_write_number(out, "growth_mb", cost->growth_mb);
    sc_write_number(out, "live_at_peak_mb", cost->live_at_peak_mb);
    sc_write_number(out, "live_at_exit_mb", cost->live_at_exit_mb);
    write_if(out, "live_at_exit_error_mb", cost->exit_error_mb);
    write_if(out, "live_at_exit_allocated_mb", cost->exit_allocated_mb);
    sc_write_number(out, "copy_mb_s", cost->copy_mb_s);
    write_if(out, "copy_error_mb_s", cost->copy_error_mb_s);
    sc_write_curve(out, "curve", cost->memory_samples.items, cost->memory_samples.count);
}

static void write_awaits(struct sc_json_out *out, const struct sc_cost *cost)
{
    sc_write_number(out, "await_percent", cost->async_await_percent);
    sc_write_number(out, "await_mean", cost->async_concurrency_mean);
    sc_write_number(out, "await_peak", cost->async_concurrency_peak);
    sc_json_texts_under(out, "task_names", cost->async_task_names.items,
                        cost->async_task_names.count);
}

static void write_gpu(struct sc_json_out *out, const struct sc_page *page,
                      const struct sc_cost *cost)
{
    sc_write_number(out, "gpu_percent", cost->gpu_percent);
    sc_write_number(out, "gpu_avg_mb", cost->gpu_avg_memory_mb);
    sc_write_number(out, "gpu_peak_mb", cost->gpu_peak_memory_mb);
    if (page->profile.gpu_trace == NULL)
        return;
    sc_write_number(out, "gpu_s", cost->gpu_s);
    sc_json_count_under(out, "gpu_launches", cost->gpu_launches);
    sc_write_number(out, "gpu_idle_s", cost->gpu_idle_s);
    sc_write_number(out, "gpu_to_device_mb", cost->gpu_to_device_mb);
    sc_write_number(out, "gpu_from_device_mb", cost->gpu_from_device_mb);
    sc_write_number(out, "gpu_malloc_mb", cost->gpu_malloc_mb);
    sc_write_number(out, "gpu_live_mb", cost->gpu_live_peak_mb);
}

static void write_neuron(struct sc_json_out *out, const struct sc_cost *cost)
{
    sc_write_number(out, "nrt_percent", cost->nrt_percent);
    sc_write_number(out, "nrt_s", cost->nrt_time_ms / 1e3);
    sc_write_number(out, "nc_s", cost->nc_time_ms / 1e3);
    if (cost->nc_samples > 0)
        sc_write_number(out, "nc_overlap_percent", cost->nc_overlap_percent);
}

/* The lines that hold the interpreter lock while a line waits for it, longest first. */
static void write_holders(struct sc_json_out *out, const struct sc_page *page,
                          const struct sc_file *file, uint32_t lineno)
{
    const struct sc_profile *profile = &page->profile;
    size_t count = 0;
    sc_json_begin_under(out, "gil_holders", '[');
    for (size_t i = 0; i < profile->gil_waits.count && count < HOLDERS_MAX; i++) {
        const struct sc_gil_wait *wait = &profile->gil_waits.items[i];
        if (wait->lineno != lineno || strcmp(wait->file, file->name) != 0)
            continue;
        SC_AUTO_FREE char *name = sc_shown_name(profile, wait->holder_file);
        SC_AUTO_FREE char *place = sc_format("%s:%u", name, wait->holder_lineno);
        sc_json_begin(out, '{');
        sc_write_text(out, "place", place);
        sc_write_number(out, "seconds", sc_clamp(wait->wait_s, 0.0, 1e10));
        sc_json_end(out, '}');
        count++;
    }
    sc_json_end(out, ']');
}

/* file: that of a line; NULL for a function. */
static void write_cost(struct sc_json_out *out, const struct sc_page *page,
                       const struct sc_file *file, const char *name, uint32_t lineno,
                       const struct sc_cost *cost)
{
    sc_json_begin(out, '{');
    sc_write_text(out, "name", name);
    sc_json_count_under(out, "lineno", lineno);
    write_times(out, cost);
    if (file != NULL)
        write_holders(out, page, file, lineno);
    if (page->profile.memory)
        write_memory(out, cost);
    if (page->profile.async_profile)
        write_awaits(out, cost);
    if (page->profile.gpu || page->profile.gpu_trace != NULL)
        write_gpu(out, page, cost);
    if (cost->nrt_time_ms > 0.0)
        write_neuron(out, cost);
    sc_json_end(out, '}');
}

/* Functions may share a name; lineno, unless 0, distinguishes them. */
static const struct sc_function *find_function(const struct sc_file *file, const char *name,
                                               uint64_t lineno)
{
    SC_EACH(const struct sc_function, function, &file->functions)
        if (strcmp(function->name, name) == 0 && (lineno == 0 || lineno == function->lineno))
            return function;
    return NULL;
}

bool sc_page_cost(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                  struct sc_err *err)
{
    size_t number;
    uint64_t lineno;
    if (!sc_page_file(page, query, &number, err) ||
        !sc_query_count(query, "line", UINT32_MAX, 0, &lineno, err))
        return false;
    const struct sc_file *file = page->report.files.items[number].file;
    SC_AUTO_FREE char *name = sc_query_text(query, "function");
    if (name != NULL) {
        const struct sc_function *function = find_function(file, name, lineno);
        if (function == NULL)
            return sc_fail(err, SC_ERR_FAILED, "the file has no such function");
        write_cost(out, page, NULL, function->name, function->lineno, &function->cost);
        return true;
    }
    const struct sc_line *line = sc_file_line(file, (uint32_t)lineno);
    if (line == NULL)
        return sc_fail(err, SC_ERR_FAILED, "the file has no line %llu", (unsigned long long)lineno);
    write_cost(out, page, file, NULL, line->lineno, &line->cost);
    return true;
}
