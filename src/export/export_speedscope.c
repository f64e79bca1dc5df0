/*
 * export/export_speedscope.c - a JSON file for speedscope
 * (https://www.speedscope.app/file-format-schema.json).
 *
 * Each value is a profile of stacks, each thread one of calls over time. The frames of the first
 * have lines, those of the second are functions, as a call does not end where its line changes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/json_out.h"
#include "export/samples.h"
#include "export/slices.h"
#include "export/writers.h"
#include "report/name.h"

static const char *const unit_names[] = {
    [SC_EXPORT_NS] = "nanoseconds", [SC_EXPORT_BYTES] = "bytes", [SC_EXPORT_SAMPLES] = "none"};

static void add_frame(struct sc_json_out *out, const struct sc_export_function *function,
                      uint32_t line)
{
    sc_json_begin(out, '{');
    sc_json_text_under(out, "name", function->name);
    if (function->path[0] != '\0')
        sc_json_text_under(out, "file", function->path);
    if (line > 0)
        sc_json_count_under(out, "line", line);
    sc_json_end(out, '}');
}

static void add_shared(struct sc_json_out *out, const struct sc_export_samples *samples)
{
    sc_json_begin_under(out, "shared", '{');
    sc_json_begin_under(out, "frames", '[');
    for (size_t i = 0; i < samples->functions.count; i++)
        add_frame(out, &samples->functions.items[i], 0);
    SC_EACH(const struct sc_export_frame, frame, &samples->frames)
        add_frame(out, &samples->functions.items[frame->function], frame->line);
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

static void begin_profile(struct sc_json_out *out, const char *type, const char *name,
                          const char *unit, int64_t end)
{
    sc_json_begin(out, '{');
    sc_json_text_under(out, "type", type);
    sc_json_text_under(out, "name", name);
    sc_json_text_under(out, "unit", unit);
    sc_json_count_under(out, "startValue", 0);
    sc_json_key(out, "endValue");
    sc_json_integer(out, end);
}

static void add_value(struct sc_json_out *out, const struct sc_export_samples *samples,
                      enum sc_export_value value)
{
    SC_AUTO_FREE struct sc_export_stack stack = {0};
    uint64_t sum = 0;
    for (uint32_t node = 1; node < samples->nodes.count; node++)
        sum += (uint64_t)sc_export_self(samples, value, node);
    begin_profile(out, "sampled", sc_export_value_name(samples, value),
                  unit_names[sc_export_value_unit(samples, value)], (int64_t)(sum & INT64_MAX));
    sc_json_begin_under(out, "samples", '[');
    for (uint32_t node = 1; node < samples->nodes.count; node++) {
        if (sc_export_self(samples, value, node) == 0)
            continue;
        sc_export_stack_of(samples, node, &stack);
        sc_json_begin(out, '[');
        for (size_t i = 0; i < stack.count; i++)
            sc_json_count(out, samples->functions.count + stack.items[i]);
        sc_json_end(out, ']');
    }
    sc_json_end(out, ']');
    sc_json_begin_under(out, "weights", '[');
    for (uint32_t node = 1; node < samples->nodes.count; node++) {
        if (sc_export_self(samples, value, node) != 0)
            sc_json_integer(out, sc_export_self(samples, value, node));
    }
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

static void add_slice(void *context, int64_t time_ns, uint32_t function, bool begins)
{
    struct sc_json_out *out = context;
    sc_json_begin(out, '{');
    sc_json_text_under(out, "type", begins ? "O" : "C");
    sc_json_count_under(out, "frame", function);
    sc_json_key(out, "at");
    sc_json_integer(out, time_ns);
    sc_json_end(out, '}');
}

static void add_threads(struct sc_json_out *out, struct sc_export_samples *samples)
{
    SC_AUTO(sc_timeline_view_done) struct sc_timeline_view view = {0};
    sc_timeline_view_init(&view, samples->profile, &samples->stacks);
    SC_EACH(const struct sc_timeline_thread, thread, &view.threads) {
        begin_profile(out, "evented", sc_export_text(&samples->texts, thread->name), "nanoseconds",
                      sc_export_whole(view.end_s * 1e9) + 1);
        sc_json_begin_under(out, "events", '[');
        sc_export_slices(samples, thread, add_slice, out);
        sc_json_end(out, ']');
        sc_json_end(out, '}');
    }
}

void sc_export_speedscope(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    struct sc_json_out out = {.text = ret_bytes, .is_compact = true};
    SC_AUTO(sc_export_samples_done) struct sc_export_samples samples = {0};
    sc_export_samples_init(&samples, profile);
    sc_json_begin(&out, '{');
    sc_json_text_under(&out, "$schema", "https://www.speedscope.app/file-format-schema.json");
    sc_json_text_under(&out, "exporter", "scalene " SC_VERSION);
    sc_json_text_under(&out, "name",
                       sc_export_text(&samples.texts, sc_after_last(profile->program, '/')));
    sc_json_count_under(&out, "activeProfileIndex", 0);
    add_shared(&out, &samples);
    sc_json_begin_under(&out, "profiles", '[');
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        if (samples.self[value] != NULL)
            add_value(&out, &samples, (enum sc_export_value)value);
    }
    add_threads(&out, &samples);
    sc_json_end(&out, ']');
    sc_json_end(&out, '}');
    sc_str_add_char(ret_bytes, '\n');
}
