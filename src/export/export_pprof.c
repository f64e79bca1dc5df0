/*
 * export/export_pprof.c - a gzipped profile for pprof
 * (https://github.com/google/pprof/blob/main/proto/profile.proto).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "export/gzip.h"
#include "export/parts.h"
#include "export/proto.h"
#include "export/writers.h"

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};

struct writer {
    struct sc_export_samples *samples;
    const struct sc_timeline_view *view;
    struct sc_intern strings; /* "" is the first */
    struct sc_str profile;
    struct sc_str inner, list;
};

static uint64_t string(struct writer *writer, const char *text)
{
    return sc_intern_add(&writer->strings, text, strlen(text));
}

static void add_type(struct writer *writer, unsigned field, const char *name, const char *unit)
{
    sc_proto_number(&writer->inner, 1, string(writer, name));
    sc_proto_number(&writer->inner, 2, string(writer, unit));
    sc_proto_inside(&writer->profile, field, &writer->inner);
}

static void add_label(struct writer *writer, uint32_t thread)
{
    const char *name =
        sc_export_text(&writer->samples->texts, writer->view->threads.items[thread].name);
    sc_proto_number(&writer->list, 1, string(writer, "thread"));
    sc_proto_number(&writer->list, 2, string(writer, name));
    sc_proto_inside(&writer->inner, 3, &writer->list);
}

/* A number of a location or function is its index and 1. */
static void add_samples(struct writer *writer)
{
    const struct sc_export_samples *samples = writer->samples;
    SC_AUTO_FREE struct sc_export_parts parts = {0};
    SC_AUTO_FREE struct sc_export_stack stack = {0};
    sc_export_parts_init(&parts, samples, writer->view);
    for (size_t i = 0; i < parts.count; i++) {
        const struct sc_export_part *part = &parts.items[i];
        SC_AUTO(sc_str_done) struct sc_str values = {0};
        bool has_any = false;
        for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
            if (samples->self[value] == NULL)
                continue;
            int64_t number = sc_export_part_value(samples, &parts, i, (enum sc_export_value)value);
            sc_proto_packed(&values, (uint64_t)number);
            has_any |= number > 0;
        }
        if (has_any) {
            sc_export_stack_of(samples, part->node, &stack);
            for (size_t k = stack.count; k > 0; k--) /* the innermost first */
                sc_proto_packed(&writer->list, stack.items[k - 1] + UINT64_C(1));
            sc_proto_inside(&writer->inner, 1, &writer->list);
            sc_proto_inside(&writer->inner, 2, &values);
            if (part->thread != SC_NONE)
                add_label(writer, part->thread);
            sc_proto_inside(&writer->profile, PROFILE_SAMPLE, &writer->inner);
        }
    }
}

/* The program is the first mapping; each module of native code has its own. */
static void add_code(struct writer *writer)
{
    const struct sc_export_samples *samples = writer->samples;
    SC_AUTO(sc_intern_done) struct sc_intern mappings = {0};
    SC_AUTO_FREE bool *is_used = sc_alloc(samples->functions.count + 1, sizeof(*is_used));
    const char *program = sc_export_text(&writer->samples->texts, samples->profile->program);
    (void)sc_intern_add(&mappings, program, strlen(program));
    for (size_t i = 0; i < samples->frames.count; i++) {
        const struct sc_export_frame *frame = &samples->frames.items[i];
        const struct sc_export_function *function = &samples->functions.items[frame->function];
        if (!frame->is_used)
            continue;
        bool is_python = sc_export_is_python(function);
        is_used[frame->function] = true;
        uint64_t mapping =
            is_python ? 0 : sc_intern_add(&mappings, function->path, strlen(function->path));
        sc_proto_number(&writer->inner, 1, i + 1);
        sc_proto_number(&writer->inner, 2, mapping + 1);
        sc_proto_number(&writer->list, 1, frame->function + UINT64_C(1));
        sc_proto_number(&writer->list, 2, frame->line);
        sc_proto_inside(&writer->inner, 4, &writer->list);
        sc_proto_inside(&writer->profile, PROFILE_LOCATION, &writer->inner);
    }
    for (uint32_t i = 0; i < mappings.count; i++) {
        sc_proto_number(&writer->inner, 1, i + UINT64_C(1));
        sc_proto_number(&writer->inner, 5, string(writer, sc_intern_text(&mappings, i)));
        for (unsigned has = 7; has <= 9; has++) /* names, files and lines: nothing to look up */
            sc_proto_number(&writer->inner, has, 1);
        sc_proto_inside(&writer->profile, PROFILE_MAPPING, &writer->inner);
    }
    for (size_t i = 0; i < samples->functions.count; i++) {
        const struct sc_export_function *function = &samples->functions.items[i];
        if (!is_used[i])
            continue;
        sc_proto_number(&writer->inner, 1, i + 1);
        /* without a system's name, which pprof would take for one of C++ */
        sc_proto_number(&writer->inner, 2, string(writer, function->name));
        sc_proto_number(&writer->inner, 4, string(writer, function->path));
        sc_proto_inside(&writer->profile, PROFILE_FUNCTION, &writer->inner);
    }
}

static const struct sc_timeline_view no_threads;

static void add_comments(struct writer *writer, const struct sc_labels *labels)
{
    sc_proto_number(&writer->profile, PROFILE_COMMENT, string(writer, "scalene " SC_VERSION));
    for (size_t i = 0; i < labels->count; i++) {
        const struct sc_label *label = &labels->items[i];
        SC_AUTO_FREE char *text = sc_format("%s=%s", label->name, label->value);
        sc_proto_number(&writer->profile, PROFILE_COMMENT,
                        string(writer, sc_export_text(&writer->samples->texts, text)));
    }
}

void sc_export_pprof_of(struct sc_export_samples *samples, const struct sc_timeline_view *view,
                        struct sc_str *ret_bytes)
{
    struct writer writer = {.samples = samples, .view = view != NULL ? view : &no_threads};
    const struct sc_profile *profile = samples->profile;
    (void)string(&writer, "");
    for (int i = 0; i < SC_EXPORT_COUNT_; i++) {
        enum sc_export_value value = (enum sc_export_value)i;
        if (samples->self[i] != NULL)
            add_type(&writer, PROFILE_SAMPLE_TYPE, sc_export_value_name(samples, value),
                     sc_export_unit_name(sc_export_value_unit(samples, value)));
    }
    add_samples(&writer);
    add_code(&writer);
    add_type(&writer, PROFILE_PERIOD_TYPE, samples->period_name,
             sc_export_unit_name(samples->period_unit));
    if (samples->period_unit == SC_EXPORT_NS)
        sc_proto_number(&writer.profile, PROFILE_PERIOD,
                        (uint64_t)sc_export_whole(profile->interval_s * 1e9));
    sc_proto_number(&writer.profile, PROFILE_TIME_NANOS, sc_export_moment_ns(samples->begin_s));
    sc_proto_number(&writer.profile, PROFILE_DURATION_NANOS,
                    (uint64_t)sc_export_whole(samples->span_s * 1e9));
    add_comments(&writer, &profile->labels);
    if (samples->self[SC_EXPORT_TIME] != NULL)
        sc_proto_number(&writer.profile, PROFILE_DEFAULT_SAMPLE_TYPE,
                        string(&writer, sc_export_value_name(samples, SC_EXPORT_TIME)));
    for (uint32_t i = 0; i < writer.strings.count; i++)
        sc_proto_item(&writer.profile, PROFILE_STRING_TABLE, sc_intern_text(&writer.strings, i),
                      sc_intern_length(&writer.strings, i));
    sc_export_gzip(&writer.profile, ret_bytes);
    sc_str_done(&writer.profile);
    sc_str_done(&writer.inner);
    sc_str_done(&writer.list);
    sc_intern_done(&writer.strings);
}

void sc_export_pprof(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    SC_AUTO(sc_export_samples_done) struct sc_export_samples samples = {0};
    SC_AUTO(sc_timeline_view_done) struct sc_timeline_view view = {0};
    sc_export_samples_init(&samples, profile);
    sc_timeline_view_init(&view, profile, &samples.stacks);
    sc_export_pprof_of(&samples, &view, ret_bytes);
}
