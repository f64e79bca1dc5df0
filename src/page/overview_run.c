/*
 * page/overview_run.c - parts of api/overview: the reliability of the numbers, memory, threads,
 * processes, devices, units of work, and lists of places that cost most.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>

#include "page/overview.h"
#include "page/write.h"
#include "report/number.h"

static void write_cost(struct sc_json_out *out, const struct sc_page *page)
{
    double handler_s = sc_clamp(page->profile.handler_cpu_s, 0.0, 1e9);
    double observer_s = sc_clamp(page->profile.observer_cpu_s, 0.0, 1e9);
    if (handler_s + observer_s <= 0.0)
        return;
    sc_json_begin_under(out, "cost", '{');
    sc_write_number(out, "handler_cpu_s", handler_s);
    sc_write_number(out, "observer_cpu_s", observer_s);
    if (page->report.overview.cpu_s > 0.0)
        sc_write_number(out, "percent",
                        100.0 * (handler_s + observer_s) / page->report.overview.cpu_s);
    sc_json_end(out, '}');
}

void sc_overview_quality(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_profile *profile = &page->profile;
    const struct sc_overview *overview = &page->report.overview;
    sc_json_texts_under(out, "quality", overview->quality.items, overview->quality.count);
    sc_json_texts_under(out, "notes", profile->notes.items, profile->notes.count);
    sc_json_begin_under(out, "losses", '[');
    for (int i = 0; i < SC_LOSS_COUNT_; i++) {
        if (profile->losses[i] == 0)
            continue;
        sc_json_begin(out, '{');
        sc_write_text(out, "id", sc_loss_names[i]);
        sc_write_text(out, "text", sc_loss_texts[i]);
        sc_json_count_under(out, "count", profile->losses[i]);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    write_cost(out, page);
    SC_JSON_OBJECTS(out, "hidden_files", const struct sc_hidden_file, file,
                    &profile->hidden_files) {
        SC_AUTO_FREE char *shown = sc_shown_name(profile, file->name);
        sc_write_text(out, "name", file->name);
        sc_write_text(out, "short_name", shown);
        sc_write_text(out, "reason", file->reason);
        sc_write_number(out, "percent", sc_clamp(file->percent, 0.0, 100.0));
    }
}

static void write_leaks(struct sc_json_out *out, const struct sc_page *page)
{
    sc_json_begin_under(out, "leaks", '[');
    for (size_t f = 0; f < page->report.files.count; f++) {
        const struct sc_file *file = page->report.files.items[f].file;
        for (size_t i = 0; i < file->leaks.count; i++) {
            sc_json_begin(out, '{');
            sc_json_count_under(out, "file", f);
            sc_json_count_under(out, "lineno", file->leaks.items[i].lineno);
            sc_write_number(out, "likelihood", sc_clamp(file->leaks.items[i].likelihood, 0.0, 1.0));
            sc_write_number(out, "velocity_mb_s", file->leaks.items[i].velocity_mb_s);
            sc_json_end(out, '}');
        }
    }
    sc_json_end(out, ']');
}

/* The place of the highest footprint, if it is in a file that is shown. */
static void write_peak(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_profile *profile = &page->profile;
    size_t number = profile->max_footprint_fname != NULL
                        ? sc_page_find_file(page, profile->max_footprint_fname)
                        : SIZE_MAX;
    sc_write_number(out, "peak_mb", sc_clamp(profile->max_footprint_mb, 0.0, 1e12));
    if (number != SIZE_MAX && profile->max_footprint_lineno > 0) {
        sc_json_count_under(out, "peak_file", number);
        sc_json_count_under(out, "peak_lineno", profile->max_footprint_lineno);
    }
    sc_write_number(out, "python_fraction",
                    sc_clamp(profile->max_footprint_python_fraction, 0.0, 1.0));
}

void sc_overview_memory(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_profile *profile = &page->profile;
    if (!profile->memory)
        return;
    sc_json_begin_under(out, "memory", '{');
    write_peak(out, page);
    sc_write_number(out, "growth_rate", profile->growth_rate);
    sc_write_number(out, "native_mb", page->report.overview.native_threads_mb);
    if (!profile->foreign) { /* the original does not measure them */
        sc_write_number(out, "allocated_mb", profile->allocated_mb);
        sc_write_number(out, "copied_mb", profile->copied_mb);
        sc_write_number(out, "live_at_exit_mb", profile->live_at_exit_mb);
        sc_write_number(out, "live_at_exit_error_mb", profile->live_at_exit_error_mb);
        sc_write_number(out, "peak_error_mb", profile->max_footprint_error_mb);
        sc_write_number(out, "peak_allocated_mb", profile->max_footprint_allocated_mb);
        sc_write_number(out, "max_rss_mb", profile->max_rss_mb);
        sc_write_number(out, "unaccounted_mb", profile->unaccounted_mb);
    }
    sc_write_curve(out, "footprint", profile->samples.items, profile->samples.count);
    sc_write_curve(out, "rss", profile->rss.items, profile->rss.count);
    write_leaks(out, page);
    sc_json_end(out, '}');
}

static void write_thread(struct sc_json_out *out, const struct sc_report_thread *thread)
{
    sc_write_text(out, "name", thread->name);
    sc_json_count_under(out, "pid", thread->thread->pid);
    sc_json_count_under(out, "tid", thread->thread->tid);
    SC_AUTO_FREE char *id =
        sc_format("%" PRIu64 ":%" PRIu64, thread->thread->pid, thread->thread->tid);
    sc_write_text(out, "id", id); /* what the timeline calls it */
    sc_write_number(out, "cpu_s", thread->cpu_s);
    sc_write_number(out, "cpu_percent", thread->cpu_percent);
    sc_json_bool_under(out, "is_native", thread->is_native);
    sc_write_shares(out, "waits", &thread->waits);
}

static void write_process(struct sc_json_out *out, const struct sc_report_process *process)
{
    sc_json_count_under(out, "pid", process->pid);
    sc_json_count_under(out, "parent_pid", process->parent_pid);
    sc_write_text(out, "command", process->command);
    sc_write_number(out, "cpu_s", process->cpu_s);
    sc_write_number(out, "cpu_percent", process->cpu_percent);
    sc_write_number(out, "max_rss_mb", process->max_rss_mb);
    sc_write_text(out, "ending", process->ending);
}

void sc_overview_activity(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_overview *overview = &page->report.overview;
    SC_JSON_OBJECTS(out, "threads", const struct sc_report_thread, thread, &overview->threads)
        write_thread(out, thread);
    sc_json_count_under(out, "threads_left_out", overview->threads_left_out);
    if (overview->native_threads_cpu_s > 0.0)
        sc_write_number(out, "native_threads_cpu_s", overview->native_threads_cpu_s);
    SC_JSON_OBJECTS(out, "processes", const struct sc_report_process, process, &overview->processes)
        write_process(out, process);
    sc_json_count_under(out, "processes_left_out", overview->processes_left_out);
}

/* -------- places that cost most -------- */

static void write_hot_part(struct sc_json_out *out, enum sc_hot_part part,
                           const struct sc_cost *cost)
{
    switch (part) {
    case SC_HOT_TIME:
        if (sc_cost_calls_matter(cost))
            sc_write_number(out, "cumulative_percent",
                            sc_clamp(cost->cumulative_percent, 0.0, 100.0));
        return;
    case SC_HOT_MEMORY:
        sc_write_number(out, "peak_mb", sc_clamp(cost->peak_mb, 0.0, 1e12));
        sc_write_number(out, "python_fraction", sc_clamp(cost->python_fraction, 0.0, 1.0));
        return;
    case SC_HOT_AWAIT:
        sc_write_number(out, "await_percent", sc_clamp(cost->async_await_percent, 0.0, 100.0));
        sc_write_number(out, "await_mean", cost->async_concurrency_mean);
        sc_write_number(out, "await_peak", cost->async_concurrency_peak);
        return;
    case SC_HOT_GPU:
        sc_write_number(out, "gpu_s", sc_clamp(cost->gpu_s, 0.0, 1e10));
        sc_write_number(out, "gpu_idle_s", sc_clamp(cost->gpu_idle_s, 0.0, 1e10));
        sc_write_number(out, "gpu_live_mb", sc_clamp(cost->gpu_live_peak_mb, 0.0, 1e12));
        return;
    }
}

void sc_overview_hots(struct sc_json_out *out, const struct sc_page *page, const char *key,
                      enum sc_hot_part part, const struct sc_hots *hots)
{
    SC_JSON_OBJECTS(out, key, const struct sc_hot, hot, hots) {
        sc_json_count_under(out, "file", sc_page_number_of(page, hot->file));
        sc_json_count_under(out, "lineno", hot->lineno);
        sc_write_text(out, "place", hot->place);
        sc_json_key(out, "text");
        sc_write_source(out, hot->text, hot->text_length);
        sc_write_number(out, "percent", sc_cost_time_percent(hot->cost));
        sc_write_kinds(out, "kinds", hot->kinds);
        sc_write_text(out, "heat", sc_heat_name(hot->heat));
        write_hot_part(out, part, hot->cost);
    }
}

/* -------- what the devices did, and how that is known -------- */

static void write_devices(struct sc_json_out *out, const struct sc_report_gpu *gpu)
{
    SC_JSON_OBJECTS(out, "devices", const struct sc_report_device, device, &gpu->devices) {
        sc_write_text(out, "name", device->name);
        sc_write_number(out, "load_percent", device->load_percent);
        sc_write_number(out, "peak_mb", device->peak_mb);
        if (device->total_mb > 0.0)
            sc_write_number(out, "total_mb", device->total_mb);
        sc_json_bool_under(out, "shared_load", device->is_shared_load);
        sc_json_bool_under(out, "shared_memory", device->is_shared_memory);
    }
    sc_json_count_under(out, "devices_left_out", gpu->devices_left_out);
}

static void write_times(struct sc_json_out *out, const struct sc_report_gpu *gpu, const char *trace)
{
    sc_write_text(out, "trace", trace);
    sc_write_number(out, "kernel_s", gpu->kernel_s);
    sc_write_number(out, "copy_s", gpu->copy_s);
    sc_write_number(out, "traced_s", gpu->traced_s);
    sc_write_number(out, "busy_s", gpu->busy_s);
    sc_write_number(out, "idle_s", gpu->idle_s);
    sc_write_number(out, "idle_percent", gpu->idle_percent);
    sc_json_count_under(out, "launches", gpu->launches);
    sc_write_number(out, "to_device_mb", gpu->to_device_mb);
    sc_write_number(out, "from_device_mb", gpu->from_device_mb);
}

void sc_overview_gpu(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_profile *profile = &page->profile;
    const struct sc_report_gpu *gpu = &page->report.overview.gpu;
    if (!gpu->has)
        return;
    sc_json_begin_under(out, "gpu", '{');
    sc_write_text(out, "noun", gpu->noun);
    sc_write_text(out, "fact", gpu->fact);
    sc_write_number(out, "load_percent", gpu->load_percent);
    sc_write_number(out, "peak_mb", gpu->peak_mb);
    write_devices(out, gpu);
    if (gpu->is_traced)
        write_times(out, gpu, profile->gpu_trace);
    sc_json_texts_under(out, "facts", gpu->facts.items, gpu->facts.count);
    sc_write_curve(out, "load", profile->gpu_load.items, profile->gpu_load.count);
    sc_write_curve(out, "memory", profile->gpu_memory.items, profile->gpu_memory.count);
    sc_overview_hots(out, page, "lines", SC_HOT_GPU, &gpu->lines);
    sc_overview_hots(out, page, "idle_lines", SC_HOT_GPU, &gpu->idle_lines);
    sc_overview_hots(out, page, "memory_lines", SC_HOT_GPU, &gpu->memory_lines);
    sc_json_end(out, '}');
}

/* -------- units of work -------- */

#define UNITS_MAX 500U /* those that took longest */

static void write_lines(struct sc_json_out *out, const struct sc_page *page,
                        const struct sc_unit_cost *unit)
{
    sc_json_begin_under(out, "lines", '[');
    SC_EACH(const struct sc_unit_line, line, &unit->lines) {
        size_t number = sc_page_find_file(page, line->file);
        if (number == SIZE_MAX)
            continue;
        sc_json_begin(out, '{');
        sc_json_count_under(out, "file", number);
        sc_json_count_under(out, "lineno", line->lineno);
        sc_write_number(out, "time_s", line->time_s);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

static void write_unit(struct sc_json_out *out, const struct sc_page *page,
                       const struct sc_unit_cost *unit)
{
    sc_json_begin(out, '{');
    sc_write_text(out, "name", unit->name);
    sc_json_count_under(out, "count", unit->count);
    sc_json_count_under(out, "running", unit->running);
    sc_write_number(out, "total_s", unit->total_s);
    sc_write_number(out, "p50_s", unit->p50_s);
    sc_write_number(out, "p99_s", unit->p99_s);
    sc_write_number(out, "cpu_s", unit->cpu_s);
    sc_write_number(out, "peak_mb", unit->peak_mb);
    sc_write_number(out, "growth_mb", unit->growth_mb);
    write_lines(out, page, unit);
    sc_json_end(out, '}');
}

void sc_overview_units(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_profile *profile = &page->profile;
    size_t count = profile->units.count < UNITS_MAX ? profile->units.count : UNITS_MAX;
    if (count == 0)
        return;
    sc_json_begin_under(out, "units", '[');
    for (size_t i = 0; i < count; i++)
        write_unit(out, page, &profile->units.items[i]);
    sc_json_end(out, ']');
    sc_json_count_under(out, "units_left_out", profile->units.count - count);
}
