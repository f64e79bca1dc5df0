/*
 * export/export_firefox.c - a processed profile for the Firefox Profiler
 * (https://github.com/firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md).
 *
 * It is one of version 61, which later versions of the program read, too. Each thread has its runs
 * as samples; what is in no run, and memory, is on a thread of its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/json_out.h"
#include "export/parts.h"
#include "export/writers.h"

#define VERSION_OF_FORMAT 61
#define NS_PER_MS         1e6
#define TYPE_LIBRARY      1 /* of a resource */

/* Of each kind of frame; the last is the one that there must be. */
static const struct {
    const char *name, *color;
} categories[] = {[SC_FRAME_PYTHON] = {"Python", "blue"},
                  [SC_FRAME_LIBRARY] = {"Library", "lightblue"},
                  [SC_FRAME_NATIVE] = {"Native", "orange"},
                  [SC_FRAME_PLUMBING] = {"Native, passes calls on", "brown"},
                  [SC_FRAME_KERNEL] = {"Kernel", "green"},
                  {"Other", "grey"}};

struct writer {
    struct sc_export_samples samples;
    struct sc_timeline_view view;
    struct sc_json_out out;
    struct sc_intern strings, paths;
    char *pid; /* of what belongs to no thread: the first one's */
};

static uint32_t string(struct writer *writer, const char *text)
{
    return sc_intern_add(&writer->strings, text, strlen(text));
}

/* What a cell may be beside a number. */
enum { CELL_NULL = -2, CELL_FALSE = -3 };

/* A column of a table: a cell for each row, or one for all. */
struct column {
    const char *key;
    int64_t (*cell)(struct writer *writer, size_t row);
    int64_t constant;
};

static void add_table(struct writer *writer, const char *key, size_t rows,
                      const struct column *columns)
{
    struct sc_json_out *out = &writer->out;
    sc_json_begin_under(out, key, '{');
    for (; columns->key != NULL; columns++) {
        sc_json_begin_under(out, columns->key, '[');
        for (size_t row = 0; row < rows; row++) {
            int64_t cell = columns->cell != NULL ? columns->cell(writer, row) : columns->constant;
            if (cell == CELL_NULL)
                sc_json_null(out);
            else if (cell == CELL_FALSE)
                sc_json_bool(out, false);
            else
                sc_json_integer(out, cell);
        }
        sc_json_end(out, ']');
    }
    sc_json_count_under(out, "length", rows);
    sc_json_end(out, '}');
}

static int64_t stack_frame(struct writer *writer, size_t row)
{
    return writer->samples.nodes.items[row + 1].frame;
}

static int64_t stack_prefix(struct writer *writer, size_t row)
{
    uint32_t parent = writer->samples.nodes.items[row + 1].parent;
    return parent == 0 ? CELL_NULL : (int64_t)parent - 1;
}

static int64_t frame_function(struct writer *writer, size_t row)
{
    return writer->samples.frames.items[row].function;
}

static int64_t frame_category(struct writer *writer, size_t row)
{
    return writer->samples.functions.items[writer->samples.frames.items[row].function].kind;
}

static int64_t frame_line(struct writer *writer, size_t row)
{
    uint32_t line = writer->samples.frames.items[row].line;
    return line > 0 ? (int64_t)line : CELL_NULL;
}

static int64_t function_name(struct writer *writer, size_t row)
{
    return string(writer, writer->samples.functions.items[row].name);
}

static int64_t function_path(struct writer *writer, size_t row)
{
    const char *path = writer->samples.functions.items[row].path;
    return sc_intern_add(&writer->paths, path, strlen(path));
}

static int64_t function_source(struct writer *writer, size_t row)
{
    const struct sc_export_function *function = &writer->samples.functions.items[row];
    return !sc_export_is_python(function) || function->path[0] == '\0' ? CELL_NULL
                                                                       : function_path(writer, row);
}

static int64_t function_resource(struct writer *writer, size_t row)
{
    const struct sc_export_function *function = &writer->samples.functions.items[row];
    return !sc_export_is_python(function) && function->path[0] != '\0' ? function_path(writer, row)
                                                                       : -1;
}

static int64_t path_string(struct writer *writer, size_t row)
{
    return string(writer, sc_intern_text(&writer->paths, (uint32_t)row));
}

/* Every path is a source and a resource; functions refer to the one that they have. Python is none
 * of the profiler's languages: only code of JavaScript is treated in another way. */
static void add_shared(struct writer *writer)
{
    static const struct column stacks[] = {
        {"frame", stack_frame, 0}, {"prefix", stack_prefix, 0}, {NULL, NULL, 0}};
    static const struct column frames[] = {{"address", NULL, -1},
                                           {"inlineDepth", NULL, 0},
                                           {"category", frame_category, 0},
                                           {"subcategory", NULL, 0},
                                           {"func", frame_function, 0},
                                           {"nativeSymbol", NULL, CELL_NULL},
                                           {"innerWindowID", NULL, CELL_NULL},
                                           {"line", frame_line, 0},
                                           {"column", NULL, CELL_NULL},
                                           {NULL, NULL, 0}};
    static const struct column functions[] = {
        {"name", function_name, 0},          {"isJS", NULL, CELL_FALSE},
        {"relevantForJS", NULL, CELL_FALSE}, {"resource", function_resource, 0},
        {"source", function_source, 0},      {"lineNumber", NULL, CELL_NULL},
        {"columnNumber", NULL, CELL_NULL},   {NULL, NULL, 0}};
    static const struct column resources[] = {{"lib", NULL, CELL_NULL},
                                              {"name", path_string, 0},
                                              {"host", NULL, CELL_NULL},
                                              {"type", NULL, TYPE_LIBRARY},
                                              {NULL, NULL, 0}};
    static const struct column sources[] = {
        {"id", NULL, CELL_NULL},  {"filename", path_string, 0},      {"startLine", NULL, 1},
        {"startColumn", NULL, 1}, {"sourceMapURL", NULL, CELL_NULL}, {NULL, NULL, 0}};
    static const struct column symbols[] = {{"libIndex", NULL, 0},
                                            {"address", NULL, 0},
                                            {"name", NULL, 0},
                                            {"functionSize", NULL, 0},
                                            {NULL, NULL, 0}};
    sc_json_begin_under(&writer->out, "shared", '{');
    add_table(writer, "stackTable", writer->samples.nodes.count - 1, stacks);
    add_table(writer, "frameTable", writer->samples.frames.count, frames);
    add_table(writer, "funcTable", writer->samples.functions.count, functions);
    add_table(writer, "resourceTable", writer->paths.count, resources);
    add_table(writer, "sources", writer->paths.count, sources);
    add_table(writer, "nativeSymbols", 0, symbols);
    sc_json_begin_under(&writer->out, "stringArray", '[');
    for (uint32_t i = 0; i < writer->strings.count; i++)
        sc_json_string(&writer->out, sc_intern_text(&writer->strings, i));
    sc_json_end(&writer->out, ']');
    sc_json_end(&writer->out, '}');
}

/* One sample of a thread, or allocation. */
struct sample {
    double time_ms, weight;
    uint32_t stack; /* its node */
};

struct samples SC_VEC_OF(struct sample);

static void add_samples(struct sc_json_out *out, const char *key, const struct samples *samples,
                        const char *weight_type)
{
    sc_json_begin_under(out, key, '{');
    sc_json_begin_under(out, "stack", '[');
    for (size_t i = 0; i < samples->count; i++)
        sc_json_count(out, samples->items[i].stack - 1);
    sc_json_end(out, ']');
    sc_json_begin_under(out, "time", '[');
    for (size_t i = 0; i < samples->count; i++)
        sc_json_number(out, samples->items[i].time_ms);
    sc_json_end(out, ']');
    sc_json_begin_under(out, "weight", '[');
    for (size_t i = 0; i < samples->count; i++)
        sc_json_number(out, samples->items[i].weight);
    sc_json_end(out, ']');
    sc_json_text_under(out, "weightType", weight_type);
    sc_json_count_under(out, "length", samples->count);
    sc_json_end(out, '}');
}

/* The process of a thread whose id is "PID:TID", or the number alone; "0": not known. Owned. */
static char *pid_of(const char *id)
{
    const char *colon = strchr(id, ':');
    return colon != NULL ? sc_strndup(id, (size_t)(colon - id)) : sc_strdup("0");
}

/* The thread is left open, for more. */
static void begin_thread(struct writer *writer, const char *name, const char *pid, const char *tid,
                         bool is_main, const struct samples *samples)
{
    struct sc_json_out *out = &writer->out;
    sc_json_begin(out, '{');
    sc_json_text_under(out, "processType", "default");
    sc_json_count_under(out, "processStartupTime", 0);
    sc_json_text_under(out, "processShutdownTime", NULL);
    sc_json_count_under(out, "registerTime", 0);
    sc_json_text_under(out, "unregisterTime", NULL);
    sc_json_begin_under(out, "pausedRanges", '[');
    sc_json_end(out, ']');
    sc_json_text_under(out, "name", name);
    sc_json_bool_under(out, "isMainThread", is_main);
    sc_json_text_under(out, "pid", pid);
    sc_json_text_under(out, "tid", tid);
    add_samples(out, "samples", samples, writer->samples.is_timed ? "tracing-ms" : "samples");
    static const struct column markers[] = {
        {"data", NULL, 0},  {"name", NULL, 0},     {"startTime", NULL, 0}, {"endTime", NULL, 0},
        {"phase", NULL, 0}, {"category", NULL, 0}, {NULL, NULL, 0}};
    add_table(writer, "markers", 0, markers);
}

static void add_threads(struct writer *writer)
{
    SC_EACH(const struct sc_timeline_thread, thread, &writer->view.threads) {
        SC_AUTO_FREE struct samples samples = {0};
        SC_EACH(const struct sc_run, run, &thread->runs) {
            uint32_t node = writer->samples.stacks.lists[SC_STACKS_TIME].items[run->stack].node;
            double weight = writer->samples.is_timed ? run->weight * 1e3 : run->weight;
            if (node != 0)
                sc_vec_push(&samples, (struct sample){run->start_s * 1e3, weight, node});
        }
        SC_AUTO_FREE char *pid = pid_of(thread->id);
        begin_thread(writer, sc_export_text(&writer->samples.texts, thread->name), pid,
                     sc_after_last(thread->id, ':'), thread->is_main, &samples);
        sc_json_end(&writer->out, '}');
    }
}

/* Time that is in no run, and what was allocated. */
static void add_rest(struct writer *writer)
{
    const struct sc_export_samples *from = &writer->samples;
    SC_AUTO_FREE struct sc_export_parts parts = {0};
    SC_AUTO_FREE struct samples rest = {0};
    SC_AUTO_FREE struct samples allocated = {0};
    sc_export_parts_init(&parts, from, &writer->view);
    for (size_t i = 0; i < parts.count; i++) {
        uint32_t node = parts.items[i].node;
        if (parts.items[i].thread != SC_NONE)
            continue;
        int64_t time = sc_export_part_value(from, &parts, i, SC_EXPORT_TIME);
        if (time > 0)
            sc_vec_push(&rest,
                        (struct sample){0, (double)time / (from->is_timed ? NS_PER_MS : 1), node});
        int64_t bytes = sc_export_self(from, SC_EXPORT_ALLOCATED, node);
        if (bytes > 0)
            sc_vec_push(&allocated, (struct sample){0, (double)bytes, node});
    }
    begin_thread(writer, "In no timeline: rest of the time, memory", writer->pid, "0", false,
                 &rest);
    if (allocated.count > 0)
        add_samples(&writer->out, "nativeAllocations", &allocated, "bytes");
    sc_json_end(&writer->out, '}');
}

/* A curve of memory, which the program takes as changes. */
static void add_counter(struct writer *writer, const char *name, const char *description,
                        const struct sc_footprints *curve)
{
    struct sc_json_out *out = &writer->out;
    if (curve->count == 0)
        return;
    sc_json_begin(out, '{');
    sc_json_text_under(out, "name", name);
    sc_json_text_under(out, "category", "Memory");
    sc_json_text_under(out, "description", description);
    sc_json_text_under(out, "pid", writer->pid);
    sc_json_count_under(out, "mainThreadIndex", 0);
    sc_json_begin_under(out, "samples", '{');
    sc_json_begin_under(out, "time", '[');
    for (size_t i = 0; i < curve->count; i++)
        sc_json_number(out, (double)curve->items[i].time_ns / NS_PER_MS);
    sc_json_end(out, ']');
    sc_json_begin_under(out, "count", '[');
    int64_t before = 0;
    for (size_t i = 0; i < curve->count; i++) {
        int64_t bytes = sc_export_whole(curve->items[i].mb * 1048576);
        sc_json_integer(out, bytes - before);
        before = bytes;
    }
    sc_json_end(out, ']');
    sc_json_count_under(out, "length", curve->count);
    sc_json_end(out, '}');
    sc_json_end(out, '}');
}

static void add_meta(struct writer *writer, const struct sc_profile *profile)
{
    struct sc_json_out *out = &writer->out;
    sc_json_begin_under(out, "meta", '{');
    sc_json_key(out, "interval");
    sc_json_number(out, profile->interval_s > 0 ? profile->interval_s * 1e3 : 1);
    sc_json_key(out, "startTime");
    sc_json_number(out, profile->start_time_absolute_s * 1e3);
    sc_json_count_under(out, "processType", 0);
    sc_json_text_under(
        out, "product",
        sc_export_text(&writer->samples.texts, sc_after_last(profile->program, '/')));
    sc_json_count_under(out, "stackwalk", 1);
    sc_json_count_under(out, "version", 30);
    sc_json_count_under(out, "preprocessedProfileVersion", VERSION_OF_FORMAT);
    sc_json_text_under(out, "importedFrom", "scalene " SC_VERSION);
    sc_json_bool_under(out, "symbolicated", true);
    sc_json_bool_under(out, "symbolicationNotSupported", true);
    sc_json_bool_under(out, "usesOnlyOneStackType", true);
    sc_json_bool_under(out, "sourceCodeIsNotOnSearchfox", true);
    sc_json_begin_under(out, "categories", '[');
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
        sc_json_begin(out, '{');
        sc_json_text_under(out, "name", categories[i].name);
        sc_json_text_under(out, "color", categories[i].color);
        sc_json_begin_under(out, "subcategories", '[');
        sc_json_string(out, "Other");
        sc_json_end(out, ']');
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    sc_json_begin_under(out, "markerSchema", '[');
    sc_json_end(out, ']');
    sc_json_end(out, '}');
    sc_json_begin_under(out, "libs", '[');
    sc_json_end(out, ']');
}

void sc_export_firefox(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    struct writer writer = {.out = {.text = ret_bytes, .is_compact = true}};
    sc_export_samples_init(&writer.samples, profile);
    sc_timeline_view_init(&writer.view, profile, &writer.samples.stacks);
    writer.pid = pid_of(writer.view.threads.count > 0 ? writer.view.threads.items[0].id : "");
    sc_json_begin(&writer.out, '{');
    add_meta(&writer, profile);
    sc_json_begin_under(&writer.out, "threads", '[');
    add_threads(&writer);
    add_rest(&writer);
    sc_json_end(&writer.out, ']');
    sc_json_begin_under(&writer.out, "counters", '[');
    add_counter(&writer, "malloc", "Memory that was allocated and not freed", &profile->samples);
    add_counter(&writer, "rss", "Resident memory", &profile->rss);
    sc_json_end(&writer.out, ']');
    add_shared(&writer);
    sc_json_end(&writer.out, '}');
    sc_str_add_char(ret_bytes, '\n');
    free(writer.pid);
    sc_intern_done(&writer.strings);
    sc_intern_done(&writer.paths);
    sc_timeline_view_done(&writer.view);
    sc_export_samples_done(&writer.samples);
}
