/* profile/json_fields.c - see json_fields.h. SPDX-License-Identifier: Apache-2.0 */
#include "profile/json_fields.h"

#include <assert.h>

#include "profile/profile.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

#define ROW(key, kind, rule, type, member)                                                         \
    {                                                                                              \
        key, SC_JSON_##kind, SC_JSON_##rule, offsetof(type, member), NULL, NULL, 0                 \
    }
#define ROW_OF(key, kind, rule, type, member, table)                                               \
    {                                                                                              \
        key, SC_JSON_##kind, SC_JSON_##rule, offsetof(type, member), &(table), NULL, 0             \
    }
#define ROW_NAMED(key, kind, rule, type, member, names)                                            \
    {                                                                                              \
        key, SC_JSON_##kind, SC_JSON_##rule, offsetof(type, member), NULL, names, COUNT_OF(names)  \
    }

/* The table of fields, an array NAME_fields. */
#define TABLE_IN(name, type, form)                                                                 \
    static_assert(COUNT_OF(name##_fields) <= SC_JSON_FIELDS_MAX, "sc_json_read_members");          \
    static const struct sc_json_table name##_table = {name##_fields, COUNT_OF(name##_fields),      \
                                                      sizeof(type), SC_JSON_##form}
#define TABLE(name, type) TABLE_IN(name, type, OBJECT)

/* A value of a tuple. */
#define VALUE(kind, type, member) ROW(NULL, kind, REQUIRED, type, member)

static const struct sc_json_field footprint_fields[] = {
    VALUE(TIME_NS, struct sc_footprint, time_ns),
    VALUE(NUMBER, struct sc_footprint, mb),
};
TABLE_IN(footprint, struct sc_footprint, TUPLE);

/* Rows that lines and functions share, in three runs of the alphabet. */
#define COST_ROWS_A(type)                                                                          \
    ROW("async_task_names", TEXTS, OPTIONAL, type, cost.async_task_names),                         \
        ROW("cpu_samples_list", NUMBERS, OPTIONAL, type, cost.cpu_samples)
#define COST_ROWS_G(type)                                                                          \
    ROW("freeing_s", NUMBER, WHEN_SET, type, cost.freeing_s),                                      \
        ROW("gc_s", NUMBER, WHEN_SET, type, cost.gc_s),                                            \
        ROW("importing_s", NUMBER, WHEN_SET, type, cost.importing_s),                              \
        ROW("is_coroutine", BOOL, OPTIONAL, type, cost.is_coroutine)
#define COST_ROWS_M(type)                                                                          \
    ROW_OF("memory_samples", LIST, OPTIONAL, type, cost.memory_samples, footprint_table),          \
        ROW("n_async_await_percent", NUMBER, OPTIONAL, type, cost.async_await_percent),            \
        ROW("n_async_concurrency_mean", NUMBER, OPTIONAL, type, cost.async_concurrency_mean),      \
        ROW("n_async_concurrency_peak", NUMBER, OPTIONAL, type, cost.async_concurrency_peak),      \
        ROW("n_avg_mb", NUMBER, OPTIONAL, type, cost.avg_mb),                                      \
        ROW("n_churn_mb", NUMBER, WHEN_SET, type, cost.churn_mb),                                  \
        ROW("n_copy_error_mb_s", NUMBER, WHEN_SET, type, cost.copy_error_mb_s),                    \
        ROW("n_copy_mb_s", NUMBER, OPTIONAL, type, cost.copy_mb_s),                                \
        ROW("n_core_utilization", NUMBER, OPTIONAL, type, cost.core_utilization),                  \
        ROW("n_cpu_percent_c", NUMBER, OPTIONAL, type, cost.cpu_native_percent),                   \
        ROW("n_cpu_percent_python", NUMBER, OPTIONAL, type, cost.cpu_python_percent),              \
        ROW("n_cumulative_percent", NUMBER, WHEN_SET, type, cost.cumulative_percent),              \
        ROW("n_error_percent", NUMBER, WHEN_SET, type, cost.cpu_share_error),                      \
        ROW("n_gpu_avg_memory_mb", NUMBER, OPTIONAL, type, cost.gpu_avg_memory_mb),                \
        ROW("n_gpu_from_device_mb", NUMBER, WHEN_SET, type, cost.gpu_from_device_mb),              \
        ROW("n_gpu_idle_s", NUMBER, WHEN_SET, type, cost.gpu_idle_s),                              \
        ROW("n_gpu_launches", COUNT, WHEN_SET, type, cost.gpu_launches),                           \
        ROW("n_gpu_live_peak_mb", NUMBER, WHEN_SET, type, cost.gpu_live_peak_mb),                  \
        ROW("n_gpu_malloc_mb", NUMBER, WHEN_SET, type, cost.gpu_malloc_mb),                        \
        ROW("n_gpu_peak_memory_mb", NUMBER, OPTIONAL, type, cost.gpu_peak_memory_mb),              \
        ROW("n_gpu_percent", NUMBER, OPTIONAL, type, cost.gpu_percent),                            \
        ROW("n_gpu_s", NUMBER, WHEN_SET, type, cost.gpu_s),                                        \
        ROW("n_gpu_to_device_mb", NUMBER, WHEN_SET, type, cost.gpu_to_device_mb),                  \
        ROW("n_growth_mb", NUMBER, OPTIONAL, type, cost.growth_mb),                                \
        ROW("n_live_at_exit_allocated_mb", NUMBER, WHEN_SET, type, cost.exit_allocated_mb),        \
        ROW("n_live_at_exit_error_mb", NUMBER, WHEN_SET, type, cost.exit_error_mb),                \
        ROW("n_live_at_exit_mb", NUMBER, WHEN_SET, type, cost.live_at_exit_mb),                    \
        ROW("n_live_at_peak_mb", NUMBER, WHEN_SET, type, cost.live_at_peak_mb),                    \
        ROW("n_malloc_error_mb", NUMBER, WHEN_SET, type, cost.malloc_error_mb),                    \
        ROW("n_malloc_mb", NUMBER, OPTIONAL, type, cost.malloc_mb),                                \
        ROW("n_mallocs", COUNT, OPTIONAL, type, cost.mallocs),                                     \
        ROW("n_peak_allocated_mb", NUMBER, WHEN_SET, type, cost.peak_allocated_mb),                \
        ROW("n_peak_error_mb", NUMBER, WHEN_SET, type, cost.peak_error_mb),                        \
        ROW("n_peak_mb", NUMBER, OPTIONAL, type, cost.peak_mb),                                    \
        ROW("n_python_fraction", NUMBER, OPTIONAL, type, cost.python_fraction),                    \
        ROW("n_samples", COUNT, WHEN_SET, type, cost.samples),                                     \
        ROW("n_sys_percent", NUMBER, OPTIONAL, type, cost.system_percent),                         \
        ROW("n_usage_fraction", NUMBER, OPTIONAL, type, cost.usage_fraction)
#define COST_ROWS_T(type)                                                                          \
    ROW_NAMED("time_s", NAMED_NUMBERS, WHEN_SET, type, cost.time_s, sc_time_names),                \
        ROW_NAMED("wait_s", NAMED_NUMBERS, WHEN_SET, type, cost.wait_s, sc_wait_names),            \
        ROW("worker_threads_s", NUMBER, WHEN_SET, type, cost.worker_threads_s)

static const struct sc_json_field line_fields[] = {
    COST_ROWS_A(struct sc_line),
    ROW("cpu_samples_nc_overlap_percent", NUMBER, WHEN_SET, struct sc_line,
        cost.nc_overlap_percent),
    ROW("cpu_samples_total_count", COUNT, WHEN_SET, struct sc_line, cost.nc_samples),
    ROW("end_function_line", COUNT32, OPTIONAL, struct sc_line, region.end_function_line),
    ROW("end_outermost_loop", COUNT32, OPTIONAL, struct sc_line, region.end_outermost_loop),
    ROW("end_region_line", COUNT32, OPTIONAL, struct sc_line, region.end_region_line),
    COST_ROWS_G(struct sc_line),
    ROW("line", LINE_TEXT, REQUIRED, struct sc_line, text),
    ROW("lineno", COUNT32, REQUIRED, struct sc_line, lineno),
    COST_ROWS_M(struct sc_line),
    ROW("nc_time_ms", NUMBER, WHEN_SET, struct sc_line, cost.nc_time_ms),
    ROW("nrt_percent", NUMBER, WHEN_SET, struct sc_line, cost.nrt_percent),
    ROW("nrt_time_ms", NUMBER, WHEN_SET, struct sc_line, cost.nrt_time_ms),
    ROW("start_function_line", COUNT32, OPTIONAL, struct sc_line, region.start_function_line),
    ROW("start_outermost_loop", COUNT32, OPTIONAL, struct sc_line, region.start_outermost_loop),
    ROW("start_region_line", COUNT32, OPTIONAL, struct sc_line, region.start_region_line),
    COST_ROWS_T(struct sc_line),
};
TABLE(line, struct sc_line);

static const struct sc_json_field function_fields[] = {
    COST_ROWS_A(struct sc_function),
    COST_ROWS_G(struct sc_function),
    ROW("line", TEXT, REQUIRED, struct sc_function, name),
    ROW("lineno", COUNT32, REQUIRED, struct sc_function, lineno),
    COST_ROWS_M(struct sc_function),
    COST_ROWS_T(struct sc_function),
};
TABLE(function, struct sc_function);

static const struct sc_json_field leak_fields[] = {
    ROW("likelihood", NUMBER, OPTIONAL, struct sc_leak, likelihood),
    ROW("velocity_mb_s", NUMBER, OPTIONAL, struct sc_leak, velocity_mb_s),
};
TABLE(leak, struct sc_leak);

static const struct sc_json_field file_fields[] = {
    ROW_OF("functions", LIST, OPTIONAL, struct sc_file, functions, function_table),
    ROW("imports", TEXTS, OPTIONAL, struct sc_file, imports),
    ROW_OF("leaks", BY_LINE, OPTIONAL, struct sc_file, leaks, leak_table),
    ROW_OF("lines", LINES, REQUIRED, struct sc_file, lines, line_table),
    ROW("percent_cpu_time", NUMBER, OPTIONAL, struct sc_file, percent_cpu_time),
    ROW("source", LINE_TEXT, WHEN_SET, struct sc_file, source),
    ROW("source_changed", BOOL, WHEN_SET, struct sc_file, source_changed),
};
TABLE(file, struct sc_file);

static const struct sc_json_field thread_fields[] = {
    ROW("cpu_s", NUMBER, OPTIONAL, struct sc_thread, cpu_s),
    ROW("has_python", BOOL, OPTIONAL, struct sc_thread, has_python),
    ROW("is_main", BOOL, OPTIONAL, struct sc_thread, is_main),
    ROW("name", TEXT, OPTIONAL, struct sc_thread, name),
    ROW("pid", COUNT, OPTIONAL, struct sc_thread, pid),
    ROW("python_ident", COUNT, OPTIONAL, struct sc_thread, python_ident),
    ROW("samples", COUNT, OPTIONAL, struct sc_thread, samples),
    ROW("tid", COUNT, OPTIONAL, struct sc_thread, tid),
    ROW_NAMED("time_s", NAMED_NUMBERS, OPTIONAL, struct sc_thread, time_s, sc_time_names),
    ROW_NAMED("wait_s", NAMED_NUMBERS, OPTIONAL, struct sc_thread, wait_s, sc_wait_names),
};
TABLE(thread, struct sc_thread);

static const struct sc_json_field process_fields[] = {
    ROW("command", TEXT, OPTIONAL, struct sc_process_cost, command),
    ROW("cpu_s", NUMBER, OPTIONAL, struct sc_process_cost, cpu_s),
    ROW("exit_kind", TEXT_OR_NULL, OPTIONAL, struct sc_process_cost, exit_kind),
    ROW("exit_value", INTEGER, OPTIONAL, struct sc_process_cost, exit_value),
    ROW("max_rss_mb", NUMBER, OPTIONAL, struct sc_process_cost, max_rss_mb),
    ROW("parent_pid", COUNT, OPTIONAL, struct sc_process_cost, parent_pid),
    ROW("pid", COUNT, OPTIONAL, struct sc_process_cost, pid),
};
TABLE(process, struct sc_process_cost);

static const struct sc_json_field hidden_fields[] = {
    ROW("name", TEXT, OPTIONAL, struct sc_hidden_file, name),
    ROW("percent", NUMBER, OPTIONAL, struct sc_hidden_file, percent),
    ROW("reason", TEXT, OPTIONAL, struct sc_hidden_file, reason),
};
TABLE(hidden, struct sc_hidden_file);

static const struct sc_json_field gil_wait_fields[] = {
    ROW("file", TEXT, OPTIONAL, struct sc_gil_wait, file),
    ROW("holder_file", TEXT, OPTIONAL, struct sc_gil_wait, holder_file),
    ROW("holder_lineno", COUNT32, OPTIONAL, struct sc_gil_wait, holder_lineno),
    ROW("lineno", COUNT32, OPTIONAL, struct sc_gil_wait, lineno),
    ROW("wait_s", NUMBER, OPTIONAL, struct sc_gil_wait, wait_s),
};
TABLE(gil_wait, struct sc_gil_wait);

static const struct sc_json_field unit_line_fields[] = {
    VALUE(TEXT, struct sc_unit_line, file),
    VALUE(COUNT32, struct sc_unit_line, lineno),
    VALUE(NUMBER, struct sc_unit_line, time_s),
};
TABLE_IN(unit_line, struct sc_unit_line, LINE_TUPLE);

static const struct sc_json_field label_fields[] = {
    VALUE(TEXT, struct sc_label, value),
};
TABLE_IN(label, struct sc_label, VALUE);

#define U struct sc_unit_cost

static const struct sc_json_field unit_fields[] = {
    ROW("allocated_error_mb", NUMBER, WHEN_SET, U, allocated_error_mb),
    ROW("allocated_mb", NUMBER, WHEN_SET, U, allocated_mb),
    ROW("copied_mb", NUMBER, WHEN_SET, U, copied_mb),
    ROW("count", COUNT, REQUIRED, U, count),
    ROW("cpu_s", NUMBER, OPTIONAL, U, cpu_s),
    ROW("growth_error_mb", NUMBER, WHEN_SET, U, growth_error_mb),
    ROW("growth_mb", NUMBER, WHEN_SET, U, growth_mb),
    ROW_OF("lines", LIST, OPTIONAL, U, lines, unit_line_table),
    ROW("max_s", NUMBER, OPTIONAL, U, max_s),
    ROW("min_s", NUMBER, OPTIONAL, U, min_s),
    ROW("name", TEXT, REQUIRED, U, name),
    ROW("p50_s", NUMBER, OPTIONAL, U, p50_s),
    ROW("p99_s", NUMBER, OPTIONAL, U, p99_s),
    ROW("peak_error_mb", NUMBER, WHEN_SET, U, peak_error_mb),
    ROW("peak_mb", NUMBER, WHEN_SET, U, peak_mb),
    ROW("running", COUNT, WHEN_SET, U, running),
    ROW_NAMED("time_s", NAMED_NUMBERS, OPTIONAL, U, time_s, sc_time_names),
    ROW("total_s", NUMBER, OPTIONAL, U, total_s),
    ROW_NAMED("wait_s", NAMED_NUMBERS, OPTIONAL, U, wait_s, sc_wait_names),
};
TABLE(unit, U);

static const struct sc_json_field finding_fields[] = {
    ROW("end_lineno", COUNT32, OPTIONAL, struct sc_noted_finding, end_lineno),
    ROW("file", TEXT_OR_NULL, OPTIONAL, struct sc_noted_finding, file),
    ROW("id", TEXT, OPTIONAL, struct sc_noted_finding, id),
    ROW("lineno", COUNT32, OPTIONAL, struct sc_noted_finding, lineno),
    ROW("percent", NUMBER, OPTIONAL, struct sc_noted_finding, percent),
    ROW("text", TEXT, OPTIONAL, struct sc_noted_finding, text),
};
TABLE(finding, struct sc_noted_finding);

static const struct sc_json_field device_fields[] = {
    ROW("index", COUNT, OPTIONAL, struct sc_gpu_device, index),
    ROW("load_percent", NUMBER, OPTIONAL, struct sc_gpu_device, load_percent),
    ROW("name", TEXT, OPTIONAL, struct sc_gpu_device, name),
    ROW("peak_mb", NUMBER, OPTIONAL, struct sc_gpu_device, peak_mb),
    ROW("shared_load", BOOL, OPTIONAL, struct sc_gpu_device, is_shared_load),
    ROW("shared_memory", BOOL, OPTIONAL, struct sc_gpu_device, is_shared_memory),
    ROW("total_mb", NUMBER, OPTIONAL, struct sc_gpu_device, total_mb),
    ROW("uuid", TEXT, OPTIONAL, struct sc_gpu_device, uuid),
};
TABLE(device, struct sc_gpu_device);

#define FRAME struct sc_profile_frame

static const struct sc_json_field frame_fields[] = {
    ROW("display_name", SHARED_TEXT, OPTIONAL, FRAME, name),
    ROW("filename_or_module", SHARED_TEXT, OPTIONAL, FRAME, file),
    ROW("ip", COUNT_OR_NULL, OPTIONAL, FRAME, address),
    ROW("kind", SHARED_TEXT, OPTIONAL, FRAME, kind),
    ROW("line", LINE_OR_NULL, OPTIONAL, FRAME, line),
    ROW("offset", COUNT_OR_NULL, OPTIONAL, FRAME, offset),
    ROW("role", SHARED_TEXT, WHEN_SET, FRAME, role),
};
TABLE_IN(frame, FRAME, LINE_OBJECT);

#define FRAMES ROW_OF(NULL, LIST, REQUIRED, struct sc_profile_stack, frames, frame_table)

static const struct sc_json_field counted_stack_fields[] = {
    FRAMES,
    VALUE(COUNT, struct sc_profile_stack, count),
};
TABLE_IN(counted_stack, struct sc_profile_stack, LINE_TUPLE);

static const struct sc_json_field memory_stack_fields[] = {
    FRAMES,
    VALUE(NUMBER, struct sc_profile_stack, mb),
};
TABLE_IN(memory_stack, struct sc_profile_stack, LINE_TUPLE);

static const struct sc_json_field stats_fields[] = {
    ROW("c_time", NUMBER, OPTIONAL, struct sc_named_stack, native_share),
    ROW("count", COUNT, OPTIONAL, struct sc_named_stack, count),
    ROW("cpu_samples", NUMBER, OPTIONAL, struct sc_named_stack, share),
    ROW("python_time", NUMBER, OPTIONAL, struct sc_named_stack, python_share),
};
TABLE(stats, struct sc_named_stack);

static const struct sc_json_field named_stack_fields[] = {
    VALUE(SHARED_TEXTS, struct sc_named_stack, names),
    ROW_OF(NULL, INSIDE_OR_COUNT, REQUIRED, struct sc_named_stack, count, stats_table),
};
TABLE_IN(named_stack, struct sc_named_stack, LINE_TUPLE);

static const struct sc_json_field stack_run_fields[] = {
    ROW("count", COUNT, OPTIONAL, struct sc_stack_run, count),
    ROW("stack_index", COUNT32, OPTIONAL, struct sc_stack_run, stack),
    ROW("t_sec", NUMBER, OPTIONAL, struct sc_stack_run, start_s),
    ROW("thread_id", COUNT_OR_NULL, OPTIONAL, struct sc_stack_run, thread),
    ROW("tid", COUNT, WHEN_SET, struct sc_stack_run, tid),
};
TABLE_IN(stack_run, struct sc_stack_run, LINE_OBJECT);

static const struct sc_json_field call_fields[] = {
    VALUE(COUNT32, struct sc_call_node, parent),
    VALUE(COUNT32, struct sc_call_node, frame),
    VALUE(NUMBER, struct sc_call_node, self_s),
    VALUE(NUMBER, struct sc_call_node, self_mb),
};
TABLE_IN(call, struct sc_call_node, LINE_TUPLE);

static const struct sc_json_field call_moment_fields[] = {
    VALUE(COUNT32, struct sc_call_moment, moment),
    VALUE(COUNT32, struct sc_call_moment, call),
    VALUE(NUMBER, struct sc_call_moment, mb),
};
TABLE_IN(call_moment, struct sc_call_moment, LINE_TUPLE);

static const struct sc_json_field call_unit_fields[] = {
    VALUE(COUNT32, struct sc_call_unit, unit),
    VALUE(COUNT32, struct sc_call_unit, call),
    VALUE(NUMBER, struct sc_call_unit, time_s),
};
TABLE_IN(call_unit, struct sc_call_unit, LINE_TUPLE);

static const struct sc_json_field call_run_fields[] = {
    VALUE(NUMBER, struct sc_call_run, start_s),
    VALUE(NUMBER, struct sc_call_run, length_s),
    VALUE(COUNT32, struct sc_call_run, call),
    VALUE(COUNT, struct sc_call_run, tid),
};
TABLE_IN(call_run, struct sc_call_run, LINE_TUPLE);

static const struct sc_json_field task_run_fields[] = {
    VALUE(NUMBER, struct sc_task_run, start_s),
    VALUE(NUMBER, struct sc_task_run, length_s),
    VALUE(COUNT32, struct sc_task_run, place),
};
TABLE_IN(task_run, struct sc_task_run, LINE_TUPLE);

static const struct sc_json_field task_waits_fields[] = {
    ROW("name", TEXT, OPTIONAL, struct sc_task_waits, name),
    ROW("pid", COUNT, OPTIONAL, struct sc_task_waits, pid),
    ROW_OF("runs", LIST, OPTIONAL, struct sc_task_waits, runs, task_run_table),
};
TABLE_IN(task_waits, struct sc_task_waits, LINE_OBJECT);

static const struct sc_json_field task_place_fields[] = {
    VALUE(TEXT, struct sc_task_place, file),
    VALUE(COUNT32, struct sc_task_place, lineno),
    VALUE(TEXT, struct sc_task_place, function),
};
TABLE_IN(task_place, struct sc_task_place, LINE_TUPLE);

static const struct sc_json_field track_fields[] = {
    ROW("begin_s", NUMBER, OPTIONAL, struct sc_profile_track, begin_s),
    ROW("id", TEXT, OPTIONAL, struct sc_profile_track, id),
    ROW("shares", NUMBERS, OPTIONAL, struct sc_profile_track, shares),
    ROW("slot_s", NUMBER, OPTIONAL, struct sc_profile_track, slot_s),
};
TABLE_IN(track, struct sc_profile_track, LINE_OBJECT);

#define P struct sc_profile

static const struct sc_json_field own_fields[] = {
    ROW("allocated_mb", NUMBER, OPTIONAL, P, allocated_mb),
    ROW("await_s", NUMBER, WHEN_SET, P, await_s),
    ROW("call_at_exit_mb", NUMBERS, OPTIONAL, P, call_at_exit_mb),
    ROW("call_at_peak_mb", NUMBERS, OPTIONAL, P, call_at_peak_mb),
    ROW_OF("call_frames", LIST, OPTIONAL, P, call_frames, frame_table),
    ROW_OF("call_moments", LIST, OPTIONAL, P, call_moments, call_moment_table),
    ROW("call_moments_s", NUMBERS, OPTIONAL, P, call_moments_s),
    ROW_OF("call_timeline", LIST, OPTIONAL, P, call_timeline, call_run_table),
    ROW_OF("call_tree", LIST, OPTIONAL, P, call_tree, call_table),
    ROW("call_tree_folded_percent", NUMBER, OPTIONAL, P, call_tree_folded_percent),
    ROW("call_tree_percent", NUMBER, OPTIONAL, P, call_tree_percent),
    ROW_OF("call_unit_waits", LIST, WHEN_SET, P, call_unit_waits, call_unit_table),
    ROW_OF("call_units", LIST, WHEN_SET, P, call_units, call_unit_table),
    ROW("call_waiting_s", NUMBERS, OPTIONAL, P, call_waiting_s),
    ROW("churn_mb", NUMBER, WHEN_SET, P, churn_mb),
    ROW("command_mark", TEXT_OR_NULL, WHEN_SET, P, command_mark),
    ROW("copied_mb", NUMBER, OPTIONAL, P, copied_mb),
    ROW("ending_s", NUMBER, OPTIONAL, P, ending_s),
    ROW("exit_kind", TEXT_OR_NULL, OPTIONAL, P, exit_kind),
    ROW("exit_value", INTEGER, OPTIONAL, P, exit_value),
    ROW_OF("findings", LIST, OPTIONAL, P, findings, finding_table),
    ROW("freeing_s", NUMBER, OPTIONAL, P, freeing_s),
    ROW("gc_s", NUMBER, OPTIONAL, P, gc_s),
    ROW_OF("gil_waits", LIST, WHEN_SET, P, gil_waits, gil_wait_table),
    ROW("gpu_busy_s", NUMBER, WHEN_SET, P, gpu_busy_s),
    ROW("gpu_copy_s", NUMBER, WHEN_SET, P, gpu_copy_s),
    ROW_OF("gpu_devices", LIST, WHEN_SET, P, gpu_devices, device_table),
    ROW("gpu_kernel_s", NUMBER, WHEN_SET, P, gpu_kernel_s),
    ROW_OF("gpu_load", LIST, WHEN_SET, P, gpu_load, footprint_table),
    ROW_OF("gpu_memory", LIST, WHEN_SET, P, gpu_memory, footprint_table),
    ROW("gpu_peak_mb", NUMBER, WHEN_SET, P, gpu_peak_mb),
    ROW("gpu_trace", TEXT_OR_NULL, WHEN_SET, P, gpu_trace),
    ROW("gpu_traced_s", NUMBER, WHEN_SET, P, gpu_traced_s),
    ROW("handler_cpu_s", NUMBER, OPTIONAL, P, handler_cpu_s),
    ROW_OF("hidden_files", LIST, OPTIONAL, P, hidden_files, hidden_table),
    ROW("importing_s", NUMBER, OPTIONAL, P, importing_s),
    ROW("interval_s", NUMBER, OPTIONAL, P, interval_s),
    ROW_OF("labels", BY_NAME, WHEN_SET, P, labels, label_table),
    ROW("live_at_exit_error_mb", NUMBER, WHEN_SET, P, live_at_exit_error_mb),
    ROW("live_at_exit_mb", NUMBER, OPTIONAL, P, live_at_exit_mb),
    ROW_NAMED("losses", NAMED_COUNTS, OPTIONAL, P, losses, sc_loss_names),
    ROW("max_footprint_allocated_mb", NUMBER, WHEN_SET, P, max_footprint_allocated_mb),
    ROW("max_footprint_error_mb", NUMBER, WHEN_SET, P, max_footprint_error_mb),
    ROW("max_rss_mb", NUMBER, OPTIONAL, P, max_rss_mb),
    ROW("measured_from_s", NUMBER, WHEN_SET, P, measured_from_s),
    ROW("memory_lost_mb", NUMBER, OPTIONAL, P, memory_lost_mb),
    ROW("mode", TEXT_OR_NULL, OPTIONAL, P, mode),
    ROW("native_threads_cpu_s", NUMBER, OPTIONAL, P, native_threads_cpu_s),
    ROW("notes", TEXTS, OPTIONAL, P, notes),
    ROW("observer_cpu_s", NUMBER, OPTIONAL, P, observer_cpu_s),
    ROW_OF("processes", LIST, OPTIONAL, P, processes, process_table),
    ROW("python_version", TEXT_OR_NULL, OPTIONAL, P, python_version),
    ROW("refusal_notes", COUNT, WHEN_SET, P, refusal_notes),
    ROW_OF("rss", LIST, OPTIONAL, P, rss, footprint_table),
    ROW("samples_taken", COUNT, OPTIONAL, P, samples_taken),
    ROW("samples_waiting", COUNT, OPTIONAL, P, samples_waiting),
    ROW("span_s", NUMBER, WHEN_SET, P, span_s),
    ROW("stacks_folded_percent", NUMBER, OPTIONAL, P, stacks_folded_percent),
    ROW("stacks_percent", NUMBER, OPTIONAL, P, stacks_percent),
    ROW("target_cpu_s", NUMBER, OPTIONAL, P, target_cpu_s),
    ROW_OF("task_lanes", LIST, OPTIONAL, P, task_lanes, task_waits_table),
    ROW("task_lanes_cut", BOOL, WHEN_SET, P, task_lanes_cut),
    ROW_OF("task_places", LIST, OPTIONAL, P, task_places, task_place_table),
    ROW_OF("threads", LIST, OPTIONAL, P, threads, thread_table),
    ROW("threads_ended", COUNT, OPTIONAL, P, threads_ended),
    ROW_NAMED("time_s", NAMED_NUMBERS, OPTIONAL, P, time_s, sc_time_names),
    ROW("timeline_start_s", NUMBER, OPTIONAL, P, timeline_start_s),
    ROW_OF("timeline_tracks", LIST, OPTIONAL, P, tracks, track_table),
    ROW("unaccounted_mb", NUMBER, OPTIONAL, P, unaccounted_mb),
    ROW_OF("units", LIST, WHEN_SET, P, units, unit_table),
    ROW("version", PROGRAM_VERSION, OPTIONAL, P, written_by),
    ROW_NAMED("wait_s", NAMED_NUMBERS, OPTIONAL, P, wait_s, sc_wait_names),
};
TABLE(own, P);

static const struct sc_json_field profile_fields[] = {
    ROW("alloc_samples", COUNT, OPTIONAL, P, alloc_samples),
    ROW("args", ARGS, OPTIONAL, P, args),
    ROW("async_profile", BOOL, OPTIONAL, P, async_profile),
    ROW_OF("combined_stacks", LIST, OPTIONAL, P, combined_stacks, counted_stack_table),
    ROW_OF("combined_stacks_timeline", LIST, OPTIONAL, P, combined_stacks_timeline,
           stack_run_table),
    ROW("cpu_samples_nc_overlap_percent_overall", NUMBER, WHEN_SET, P, neuron_overlap_percent),
    ROW("elapsed_time_sec", NUMBER, OPTIONAL, P, elapsed_s),
    ROW("entrypoint_dir", TEXT, OPTIONAL, P, entrypoint_dir),
    ROW("filename", TEXT, OPTIONAL, P, root_dir),
    ROW_OF("files", BY_NAME, REQUIRED, P, files, file_table),
    ROW("gpu", BOOL, OPTIONAL, P, gpu),
    ROW("gpu_device", TEXT, OPTIONAL, P, gpu_device),
    ROW("growth_rate", NUMBER, OPTIONAL, P, growth_rate),
    ROW("main_thread_id", COUNT, OPTIONAL, P, main_thread_id),
    ROW("max_footprint_fname", TEXT_OR_NULL, OPTIONAL, P, max_footprint_fname),
    ROW("max_footprint_lineno", LINE_OR_NULL, OPTIONAL, P, max_footprint_lineno),
    ROW("max_footprint_mb", NUMBER, OPTIONAL, P, max_footprint_mb),
    ROW("max_footprint_python_fraction", NUMBER, OPTIONAL, P, max_footprint_python_fraction),
    ROW("memory", BOOL, OPTIONAL, P, memory),
    ROW_OF("memory_stacks", LIST, OPTIONAL, P, memory_stacks, memory_stack_table),
    ROW("native_allocations_mb", NUMBER, OPTIONAL, P, native_allocations_mb),
    ROW("neuron_event_count", COUNT, WHEN_SET, P, neuron_event_count),
    ROW("neuron_total_nc_time_ms", NUMBER, WHEN_SET, P, neuron_total_nc_time_ms),
    ROW("neuron_total_time_ms", NUMBER, WHEN_SET, P, neuron_total_time_ms),
    ROW("program", TEXT, OPTIONAL, P, program),
    ROW_OF("samples", LIST, OPTIONAL, P, samples, footprint_table),
    ROW_OF(SC_JSON_OWN_KEY, INSIDE, OPTIONAL, P, program, own_table),
    ROW_OF("stacks", LIST, OPTIONAL, P, stacks, named_stack_table),
    ROW("start_time_absolute", NUMBER, OPTIONAL, P, start_time_absolute_s),
    ROW("start_time_perf", NUMBER, OPTIONAL, P, start_time_perf_s),
};
const struct sc_json_table sc_json_profile_table = {profile_fields, COUNT_OF(profile_fields),
                                                    sizeof(P), SC_JSON_OBJECT};

char sc_json_spelt_at(const char *text)
{
    static const char *const spelt[] = {"\\u0026", "\\u003c", "\\u003e", "\\u005c"};
    static const char meant[] = "&<>\\";
    for (size_t i = 0; i < COUNT_OF(spelt); i++) {
        if (sc_starts_with(text, spelt[i]))
            return meant[i];
    }
    return '\0';
}
