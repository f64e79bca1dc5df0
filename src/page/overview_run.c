/*
 * page/overview_run.c - part of api/overview: memory, threads, processes, and their reliability.
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
    sc_json_begin_under(out, "hidden_files", '[');
    SC_EACH(const struct sc_hidden_file, file, &profile->hidden_files) {
        sc_json_begin(out, '{');
        SC_AUTO_FREE char *shown = sc_shown_name(profile, file->name);
        sc_write_text(out, "name", file->name);
        sc_write_text(out, "short_name", shown);
        sc_write_text(out, "reason", file->reason);
        sc_write_number(out, "percent", sc_clamp(file->percent, 0.0, 100.0));
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
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
    sc_json_begin(out, '{');
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
    sc_json_end(out, '}');
}

static void write_process(struct sc_json_out *out, const struct sc_report_process *process)
{
    sc_json_begin(out, '{');
    sc_json_count_under(out, "pid", process->pid);
    sc_json_count_under(out, "parent_pid", process->parent_pid);
    sc_write_text(out, "command", process->command);
    sc_write_number(out, "cpu_s", process->cpu_s);
    sc_write_number(out, "cpu_percent", process->cpu_percent);
    sc_write_number(out, "max_rss_mb", process->max_rss_mb);
    sc_write_text(out, "ending", process->ending);
    sc_json_end(out, '}');
}

void sc_overview_activity(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_overview *overview = &page->report.overview;
    sc_json_begin_under(out, "threads", '[');
    for (size_t i = 0; i < overview->threads.count; i++)
        write_thread(out, &overview->threads.items[i]);
    sc_json_end(out, ']');
    sc_json_count_under(out, "threads_left_out", overview->threads_left_out);
    if (overview->native_threads_cpu_s > 0.0)
        sc_write_number(out, "native_threads_cpu_s", overview->native_threads_cpu_s);
    sc_json_begin_under(out, "processes", '[');
    for (size_t i = 0; i < overview->processes.count; i++)
        write_process(out, &overview->processes.items[i]);
    sc_json_end(out, ']');
    sc_json_count_under(out, "processes_left_out", overview->processes_left_out);
}
