/*
 * neuron/merge.c - a profile's JSON with the times of a Neuron trace added to its lines.
 *
 * Executions of the debug file and of the trace belong together by their order, and a core's run
 * belongs to an execution by the exec_id that the runtime gave it (docs/accelerators.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "neuron/merge.h"

#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "neuron/json_tree.h"
#include "neuron/place.h"

#define NS_PER_MS 1e6
#define NS_PER_S  1e9

/* An interval during which at least one core was busy; in order, without overlap. Seconds since
 * 1970. */
struct busy {
    double from_s;
    double to_s;
};

struct merge {
    json_t *root;
    struct sc_neuron_calls calls;
    struct sc_neuron_trace trace;
    struct sc_neuron_places executions;
    struct sc_neuron_places runs;
    SC_VEC(struct busy) busy;
    double to_unix_s; /* to be added to the time of a sample */
    struct sc_neuron_merged *merged;
};

/* Runs are sorted by their start. */
static void find_busy_times(struct merge *merge)
{
    double reach_s = 0; /* where the last one ends */
    SC_EACH(const struct sc_neuron_event, run, &merge->trace.runs) {
        double from_s = (double)run->start_ns / NS_PER_S;
        double to_s = ((double)run->start_ns + (double)run->duration_ns) / NS_PER_S;
        if (merge->busy.count == 0 || from_s > reach_s) {
            sc_vec_push(&merge->busy, (struct busy){from_s, to_s});
            reach_s = to_s;
        } else if (to_s > reach_s) {
            merge->busy.items[merge->busy.count - 1].to_s = to_s;
            reach_s = to_s;
        }
    }
}

static bool is_busy(const struct merge *merge, double time_s)
{
    size_t low;
    sc_find_first(&low, merge->busy.count, i, merge->busy.items[i].to_s < time_s);
    return low < merge->busy.count && merge->busy.items[low].from_s <= time_s;
}

static double percent(double part, double whole)
{
    return whole > 0 ? part / whole * 100 : 0;
}

static void set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value);
}

static void add_overlap(struct merge *merge, json_t *line)
{
    const json_t *samples = json_object_get(line, "cpu_samples_list");
    size_t total = json_array_size(samples);
    size_t overlapping = 0;
    for (size_t i = 0; i < total; i++)
        if (is_busy(merge, json_number_value(json_array_get(samples, i)) + merge->to_unix_s))
            overlapping++;
    set(line, "cpu_samples_nc_overlap_count", json_integer((json_int_t)overlapping));
    set(line, "cpu_samples_total_count", json_integer((json_int_t)total));
    set(line, "cpu_samples_nc_overlap_percent",
        json_real(percent((double)overlapping, (double)total)));
    merge->merged->samples += total;
    merge->merged->overlapping += overlapping;
}

static json_t *value_of(const json_t *event, const char *key)
{
    json_t *value = json_object_get(event, key);
    return value != NULL ? json_incref(value) : json_null();
}

/* The event with the keys that readers of merged profiles expect. */
static json_t *describe(const struct sc_neuron_event *event, bool has_id)
{
    json_t *object = json_object();
    set(object, "name", value_of(event->event, "name"));
    set(object, "duration_ns", json_integer(event->duration_ns));
    set(object, "duration_ms", json_real((double)event->duration_ns / NS_PER_MS));
    set(object, "timestamp", json_integer(event->start_ns));
    set(object, "process_id", value_of(event->event, "process_id"));
    set(object, "thread_id", value_of(event->event, "thread_id"));
    if (has_id) {
        const json_t *arguments = json_object_get(event->event, "args");
        bool is_inside = json_object_get(arguments, "exec_id") != NULL;
        set(object, "exec_id", value_of(is_inside ? arguments : event->event, "exec_id"));
    }
    return object;
}

/* Sums up the events and describes each. */
static json_t *list_events(const struct sc_neuron_place *events, size_t count, bool has_ids,
                           double *ret_ms)
{
    json_t *list = json_array();
    *ret_ms = 0;
    for (size_t i = 0; i < count; i++) {
        *ret_ms += (double)events[i].event->duration_ns / NS_PER_MS;
        (void)json_array_append_new(list, describe(events[i].event, has_ids));
    }
    return list;
}

static void add_times(struct merge *merge, json_t *line, size_t file)
{
    json_int_t lineno = json_integer_value(json_object_get(line, "lineno"));
    size_t count = 0;
    size_t run_count = 0;
    double runtime_ms;
    double core_ms;
    if (lineno <= 0 || lineno > UINT32_MAX)
        return;
    const struct sc_neuron_place *events =
        sc_neuron_places_of(&merge->executions, file, (uint32_t)lineno, &count);
    if (count == 0)
        return;
    const struct sc_neuron_place *runs =
        sc_neuron_places_of(&merge->runs, file, (uint32_t)lineno, &run_count);
    const char *kernel = events[0].call->kernel;
    set(line, "nrt_events", list_events(events, count, false, &runtime_ms));
    set(line, "nrt_time_ms", json_real(runtime_ms));
    set(line, "nrt_percent", json_real(percent(runtime_ms, merge->merged->runtime_ms)));
    set(line, "nrt_execute_count", json_integer((json_int_t)count));
    set(line, "nrt_source_code", json_string(kernel != NULL ? kernel : "unknown"));
    set(line, "nc_events", list_events(runs, run_count, true, &core_ms));
    set(line, "nc_time_ms", json_real(core_ms));
    set(line, "nc_percent", json_real(percent(core_ms, merge->merged->core_ms)));
    set(line, "nc_execute_count", json_integer((json_int_t)run_count));
    set(line, "nc_nrt_ratio", json_real(runtime_ms > 0 ? core_ms / runtime_ms : 0));
    set(line, "neuron_time_ms", json_real(runtime_ms));
    merge->merged->lines++;
    size_t elsewhere = merge->merged->elsewhere;
    merge->merged->elsewhere = elsewhere > count ? elsewhere - count : 0;
}

static bool has_events(const struct merge *merge, size_t file, uint32_t lineno)
{
    size_t count = 0;
    (void)sc_neuron_places_of(&merge->executions, file, lineno, &count);
    return count > 0;
}

/* Adds the records of lines that have events and cost nothing else (profile/sparse.h). Records are
 * in the order of lines, as the source is. */
static void add_missing_lines(const struct merge *merge, const json_t *file, size_t position)
{
    json_t *lines = json_object_get(file, "lines");
    const char *text = json_string_value(json_object_get(file, "source"));
    const char *end;
    size_t at = 0;
    for (uint32_t lineno = 1; text != NULL && (end = strchr(text, '\n')) != NULL; lineno++) {
        const json_t *next = json_array_get(lines, at);
        if (json_integer_value(json_object_get(next, "lineno")) == lineno) {
            at++;
        } else if (has_events(merge, position, lineno)) {
            json_t *line = json_object();
            set(line, "lineno", json_integer(lineno));
            set(line, "line", json_stringn(text, (size_t)(end + 1 - text)));
            (void)json_array_insert_new(lines, at++, line);
        }
        text = end + 1;
    }
}

static void add_to_files(struct merge *merge)
{
    size_t position = 0;
    const char *name;
    json_t *file;
    json_object_foreach(json_object_get(merge->root, "files"), name, file)
    {
        json_t *lines = json_object_get(file, "lines");
        add_missing_lines(merge, file, position);
        for (size_t i = 0; i < json_array_size(lines); i++) {
            json_t *line = json_array_get(lines, i);
            if (!json_is_object(line))
                continue;
            add_overlap(merge, line);
            add_times(merge, line, position);
        }
        position++;
    }
}

static void add_totals(struct merge *merge)
{
    const struct sc_neuron_merged *merged = merge->merged;
    json_t *root = merge->root;
    set(root, "neuron_total_time_ms", json_real(merged->runtime_ms));
    set(root, "neuron_total_nc_time_ms", json_real(merged->core_ms));
    set(root, "neuron_event_count", json_integer((json_int_t)merged->executions));
    set(root, "neuron_nc_event_count", json_integer((json_int_t)merged->runs));
    set(root, "cpu_samples_total_with_nc_overlap", json_integer((json_int_t)merged->overlapping));
    set(root, "cpu_samples_total", json_integer((json_int_t)merged->samples));
    set(root, "cpu_samples_nc_overlap_percent_overall",
        json_real(percent((double)merged->overlapping, (double)merged->samples)));
}

static double sum_ms(const struct sc_neuron_events *events)
{
    double sum_ms = 0;
    for (size_t i = 0; i < events->count; i++)
        sum_ms += (double)events->items[i].duration_ns / NS_PER_MS;
    return sum_ms;
}

static void merge_all(struct merge *merge)
{
    struct sc_neuron_merged *merged = merge->merged;
    merged->executions = merged->elsewhere = merge->trace.executions.count;
    merged->runs = merge->trace.runs.count;
    merged->runtime_ms = sum_ms(&merge->trace.executions);
    merged->core_ms = sum_ms(&merge->trace.runs);
    merge->to_unix_s = json_number_value(json_object_get(merge->root, "start_time_absolute")) -
                       json_number_value(json_object_get(merge->root, "start_time_perf"));
    sc_neuron_place(json_object_get(merge->root, "files"), &merge->calls, &merge->trace,
                    &merge->executions, &merge->runs);
    find_busy_times(merge);
    add_to_files(merge);
    add_totals(merge);
}

/* Reads JSON in which Python may have written lone surrogates. */
static json_t *load(const char *text, size_t length, size_t flags, const char *name,
                    struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str marked = {0};
    json_error_t cause;
    bool is_marked = sc_json_mark(text, length, &marked);
    json_t *root = json_loadb(is_marked ? sc_str_text(&marked) : text,
                              is_marked ? marked.length : length, flags | JSON_ALLOW_NUL, &cause);
    if (root == NULL)
        (void)sc_fail(err, SC_ERR_FAILED, "'%s' is no JSON: line %d: %s", name, cause.line,
                      cause.text);
    return root;
}

/* A page of the original has the profile in a script. Ours has answers in its place, from which no
 * profile can be made. */
static json_t *load_profile(const struct sc_str *profile, const char *name, struct sc_err *err)
{
    static const char embedded[] = "const profile = ";
    const char *text = sc_str_text(profile);
    const char *from = text;
    size_t flags = 0;
    if (strcasestr(text, "<!doctype html") != NULL) {
        const char *place = strstr(text, embedded);
        if (place == NULL) {
            (void)sc_fail(err, SC_ERR_FAILED,
                          "'%s' is a page without a profile in it; give the JSON file that it was "
                          "made from",
                          name);
            return NULL;
        }
        from = place + strlen(embedded);
        flags = JSON_DISABLE_EOF_CHECK; /* the script goes on */
    }
    json_t *root = load(from, profile->length - (size_t)(from - text), flags, name, err);
    if (root != NULL && !json_is_object(json_object_get(root, "files"))) {
        (void)sc_fail(err, SC_ERR_FAILED, "'%s' is no profile: it has no \"files\"", name);
        json_decref(root);
        return NULL;
    }
    return root;
}

static bool merge_trace(struct merge *merge, const struct sc_str *trace, const char *trace_name,
                        struct sc_err *err)
{
    struct sc_err cause = {0};
    json_auto_t *root = load(sc_str_text(trace), trace->length, 0, trace_name, err);
    bool good = root != NULL;
    if (good && !sc_neuron_trace_read(root, &merge->calls, &merge->trace, &cause))
        good = sc_fail(err, cause.kind, "'%s': %s", trace_name, cause.text);
    if (good)
        merge_all(merge);
    sc_neuron_trace_done(&merge->trace);
    return good;
}

bool sc_neuron_merge(const struct sc_str *profile, const char *profile_name,
                     const struct sc_str *trace, const char *trace_name, const struct sc_str *debug,
                     const char *debug_name, struct sc_str *ret_json,
                     struct sc_neuron_merged *ret_merged, struct sc_err *err)
{
    struct sc_neuron_merged merged = {0};
    struct merge merge = {.merged = &merged};
    sc_neuron_calls_read(sc_str_text(debug), &merge.calls);
    bool good = merge.calls.count > 0 ||
                sc_fail(err, SC_ERR_FAILED, "'%s' describes no execution: it has no line SOURCE",
                        debug_name);
    merge.root = good ? load_profile(profile, profile_name, err) : NULL;
    good = merge.root != NULL && merge_trace(&merge, trace, trace_name, err);
    if (good) {
        struct sc_json_out out = {.text = ret_json};
        sc_json_write_tree(&out, merge.root);
        sc_str_add_char(ret_json, '\n');
        *ret_merged = merged;
    }
    json_decref(merge.root);
    sc_neuron_calls_done(&merge.calls);
    sc_vec_done(&merge.executions);
    sc_vec_done(&merge.runs);
    sc_vec_done(&merge.busy);
    return good;
}
