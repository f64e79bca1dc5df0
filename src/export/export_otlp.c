/*
 * export/export_otlp.c - a message ProfilesData of OpenTelemetry
 * (opentelemetry-proto, profiles/v1development, as of proto 1.11).
 *
 * Each value is a profile; all share the tables of stacks and names. Every table begins with an
 * empty entry, which number 0 refers to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "export/parts.h"
#include "export/proto.h"
#include "export/writers.h"
#include "profile/labels.h"

enum dictionary_field {
    DICTIONARY_MAPPING = 1,
    DICTIONARY_LOCATION = 2,
    DICTIONARY_FUNCTION = 3,
    DICTIONARY_LINK = 4,
    DICTIONARY_STRING = 5,
    DICTIONARY_ATTRIBUTE = 6,
    DICTIONARY_STACK = 7,
};

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_TIME = 3,
    PROFILE_DURATION = 4,
    PROFILE_PERIOD_TYPE = 5,
    PROFILE_PERIOD = 6,
};

struct writer {
    struct sc_export_samples *samples;
    const struct sc_timeline_view *view;
    struct sc_export_parts parts;
    struct sc_intern strings;                      /* "" is the first */
    struct sc_intern tables[DICTIONARY_STACK + 1]; /* entries as they are written */
    uint32_t *location_of_frame;                   /* 0: none yet */
    uint32_t *stack_of_node;                       /* 0: none yet, or the empty one */
    struct sc_str dictionary;
    struct sc_str inner, list;
};

static uint64_t string(struct writer *writer, const char *text)
{
    return sc_intern_add(&writer->strings, text, strlen(text));
}

/* The number of an entry in its table, which has each once, and none that nothing refers to: a push
 * has a few of all that there are. Clears it. */
static uint32_t number_of(struct writer *writer, enum dictionary_field table, struct sc_str *entry)
{
    struct sc_intern *known = &writer->tables[table];
    uint32_t count = known->count;
    uint32_t at = sc_intern_add(known, sc_str_text(entry), entry->length);
    if (at == count)
        sc_proto_item(&writer->dictionary, table, sc_str_text(entry), entry->length);
    sc_str_clear(entry);
    return at;
}

static void begin_tables(struct writer *writer)
{
    static const enum dictionary_field tables[] = {DICTIONARY_MAPPING, DICTIONARY_LOCATION,
                                                   DICTIONARY_FUNCTION, DICTIONARY_ATTRIBUTE,
                                                   DICTIONARY_STACK};
    static const char no_trace[16] = {0};
    (void)string(writer, "");
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        (void)number_of(writer, tables[i], &writer->inner);
    sc_proto_item(&writer->inner, 1, no_trace, 16);
    sc_proto_item(&writer->inner, 2, no_trace, 8);
    sc_proto_inside(&writer->dictionary, DICTIONARY_LINK, &writer->inner);
}

static uint32_t attribute(struct writer *writer, const char *key, const char *value)
{
    SC_AUTO(sc_str_done) struct sc_str made = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_proto_text(&text, 1, value);
    sc_proto_number(&made, 1, string(writer, key));
    sc_proto_inside(&made, 2, &text);
    return number_of(writer, DICTIONARY_ATTRIBUTE, &made);
}

/* The frame's, with its function, and as mapping the module of native code. Frame types are those
 * of OpenTelemetry's semantic conventions. */
static uint32_t location_of(struct writer *writer, uint32_t at)
{
    if (writer->location_of_frame[at] != 0)
        return writer->location_of_frame[at];
    const struct sc_export_frame *frame = &writer->samples->frames.items[at];
    const struct sc_export_function *function = &writer->samples->functions.items[frame->function];
    bool is_python = sc_export_is_python(function);
    SC_AUTO(sc_str_done) struct sc_str location = {0};
    struct sc_str *inner = &writer->inner;
    sc_proto_number(inner, 4, string(writer, is_python ? "" : function->path));
    sc_proto_number(&location, 1, number_of(writer, DICTIONARY_MAPPING, inner));
    sc_proto_number(inner, 1, string(writer, function->name));
    sc_proto_number(inner, 3, string(writer, function->path));
    uint32_t number = number_of(writer, DICTIONARY_FUNCTION, inner);
    sc_proto_number(inner, 1, number);
    sc_proto_number(inner, 2, frame->line);
    sc_proto_inside(&location, 3, inner);
    sc_proto_packed(inner, attribute(writer, "profile.frame.type",
                                     is_python                           ? "cpython"
                                     : function->kind == SC_FRAME_KERNEL ? "kernel"
                                                                         : "native"));
    sc_proto_inside(&location, 4, inner);
    writer->location_of_frame[at] = number_of(writer, DICTIONARY_LOCATION, &location);
    return writer->location_of_frame[at];
}

static bool has_value(const struct writer *writer, size_t part)
{
    const struct sc_export_samples *samples = writer->samples;
    for (int value = 0; value < SC_EXPORT_COUNT_; value++)
        if (samples->self[value] != NULL &&
            sc_export_part_value(samples, &writer->parts, part, (enum sc_export_value)value) != 0)
            return true;
    return false;
}

/* One for each node that has a value; the innermost frame is the first. A stack for every node
 * would take the square of the depth. */
static void add_stacks(struct writer *writer)
{
    const struct sc_export_samples *samples = writer->samples;
    SC_AUTO_FREE struct sc_export_stack stack = {0};
    writer->location_of_frame =
        sc_alloc(samples->frames.count + 1, sizeof(*writer->location_of_frame));
    writer->stack_of_node = sc_alloc(samples->nodes.count, sizeof(*writer->stack_of_node));
    for (size_t i = 0; i < writer->parts.count; i++) {
        uint32_t node = writer->parts.items[i].node;
        if (node == 0 || writer->stack_of_node[node] != 0 || !has_value(writer, i))
            continue;
        sc_export_stack_of(samples, node, &stack);
        for (size_t k = stack.count; k > 0; k--)
            sc_proto_packed(&writer->list, location_of(writer, stack.items[k - 1]));
        sc_proto_inside(&writer->inner, 1, &writer->list);
        writer->stack_of_node[node] = number_of(writer, DICTIONARY_STACK, &writer->inner);
    }
}

static void add_type(struct writer *writer, struct sc_str *profile, unsigned field,
                     const char *name, const char *unit)
{
    sc_proto_number(&writer->inner, 1, string(writer, name));
    sc_proto_number(&writer->inner, 2, string(writer, unit));
    sc_proto_inside(profile, field, &writer->inner);
}

static void add_profile(struct writer *writer, enum sc_export_value value, struct sc_str *scope)
{
    const struct sc_export_samples *samples = writer->samples;
    SC_AUTO(sc_str_done) struct sc_str profile = {0};
    add_type(writer, &profile, PROFILE_SAMPLE_TYPE, sc_export_value_name(samples, value),
             sc_export_unit_name(sc_export_value_unit(samples, value)));
    for (size_t i = 0; i < writer->parts.count; i++) {
        const struct sc_export_part *part = &writer->parts.items[i];
        int64_t number = sc_export_part_value(samples, &writer->parts, i, value);
        if (number == 0)
            continue;
        sc_proto_number(&writer->inner, 1, writer->stack_of_node[part->node]);
        if (part->thread != SC_NONE) {
            const char *name = writer->view->threads.items[part->thread].name;
            name = sc_export_text(&writer->samples->texts, name);
            sc_proto_packed(&writer->list, attribute(writer, "thread.name", name));
            sc_proto_inside(&writer->inner, 2, &writer->list);
        }
        sc_proto_packed(&writer->list, (uint64_t)number);
        sc_proto_inside(&writer->inner, 4, &writer->list);
        sc_proto_inside(&profile, PROFILE_SAMPLE, &writer->inner);
    }
    sc_proto_fixed64(&profile, PROFILE_TIME, sc_export_moment_ns(samples->begin_s));
    sc_proto_number(&profile, PROFILE_DURATION, (uint64_t)sc_export_whole(samples->span_s * 1e9));
    if (value == SC_EXPORT_TIME && samples->profile->interval_s > 0) {
        add_type(writer, &profile, PROFILE_PERIOD_TYPE, "time", sc_export_unit_name(SC_EXPORT_NS));
        sc_proto_number(&profile, PROFILE_PERIOD,
                        (uint64_t)sc_export_whole(samples->profile->interval_s * 1e9));
    } else if (samples->has_periods) {
        add_type(writer, &profile, PROFILE_PERIOD_TYPE, sc_export_value_name(samples, value),
                 sc_export_unit_name(sc_export_value_unit(samples, value)));
        sc_proto_number(&profile, PROFILE_PERIOD, 1);
    }
    sc_proto_inside(scope, 2, &profile);
}

static void add_fact(struct writer *writer, const char *name, const char *value,
                     struct sc_str *resource)
{
    if (value[0] == '\0')
        return;
    sc_proto_text(&writer->inner, 1, name);
    sc_proto_text(&writer->list, 1, sc_export_text(&writer->samples->texts, value));
    sc_proto_inside(&writer->inner, 2, &writer->list);
    sc_proto_inside(resource, 1, &writer->inner);
}

/* Labels have the names of OpenTelemetry's conventions for resources where there is one. */
static void add_labels(struct writer *writer, struct sc_str *resource)
{
    static const char *const names[][2] = {{SC_LABEL_HOST, "host.name"},
                                           {SC_LABEL_CONTAINER, "container.id"},
                                           {SC_LABEL_POD, "k8s.pod.name"},
                                           {SC_LABEL_COMMIT, "vcs.ref.head.revision"}};
    const struct sc_labels *labels = &writer->samples->profile->labels;
    SC_EACH(const struct sc_label, label, labels) {
        const char *name = label->name;
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            if (strcmp(names[k][0], label->name) == 0)
                name = names[k][1];
        }
        add_fact(writer, sc_export_text(&writer->samples->texts, name), label->value, resource);
    }
}

/* Of what the profiles are. */
static void add_resource(struct writer *writer, struct sc_str *resource_profiles)
{
    const struct sc_profile *profile = writer->samples->profile;
    const char *const facts[][2] = {{"service.name", writer->samples->service},
                                    {"process.runtime.name", "cpython"},
                                    {"process.runtime.version", profile->python_version != NULL
                                                                    ? profile->python_version
                                                                    : ""}};
    SC_AUTO(sc_str_done) struct sc_str resource = {0};
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        add_fact(writer, facts[i][0], facts[i][1], &resource);
    add_labels(writer, &resource);
    sc_proto_inside(resource_profiles, 1, &resource);
}

static const struct sc_timeline_view no_threads;

void sc_export_otlp_of(struct sc_export_samples *samples, const struct sc_timeline_view *view,
                       struct sc_str *ret_bytes)
{
    struct writer writer = {.samples = samples, .view = view != NULL ? view : &no_threads};
    SC_AUTO(sc_str_done) struct sc_str scope = {0};
    SC_AUTO(sc_str_done) struct sc_str resource_profiles = {0};
    sc_export_parts_init(&writer.parts, samples, writer.view);
    begin_tables(&writer);
    add_stacks(&writer);
    add_resource(&writer, &resource_profiles);
    sc_proto_text(&writer.inner, 1, "scalene");
    sc_proto_text(&writer.inner, 2, SC_VERSION);
    sc_proto_inside(&scope, 1, &writer.inner);
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        if (samples->self[value] != NULL)
            add_profile(&writer, (enum sc_export_value)value, &scope);
    }
    sc_proto_inside(&resource_profiles, 2, &scope);
    sc_proto_inside(ret_bytes, 1, &resource_profiles);
    for (uint32_t i = 0; i < writer.strings.count; i++)
        sc_proto_item(&writer.dictionary, DICTIONARY_STRING, sc_intern_text(&writer.strings, i),
                      sc_intern_length(&writer.strings, i));
    sc_proto_inside(ret_bytes, 2, &writer.dictionary);
    sc_str_done(&writer.dictionary);
    sc_str_done(&writer.inner);
    sc_str_done(&writer.list);
    sc_intern_done(&writer.strings);
    for (size_t i = 0; i <= DICTIONARY_STACK; i++)
        sc_intern_done(&writer.tables[i]);
    free(writer.location_of_frame);
    free(writer.stack_of_node);
    sc_vec_done(&writer.parts);
}

void sc_export_otlp(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    SC_AUTO(sc_export_samples_done) struct sc_export_samples samples = {0};
    SC_AUTO(sc_timeline_view_done) struct sc_timeline_view view = {0};
    sc_export_samples_init(&samples, profile);
    sc_timeline_view_init(&view, profile, &samples.stacks);
    sc_export_otlp_of(&samples, &view, ret_bytes);
}
