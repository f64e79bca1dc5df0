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

/* The values of profile.frame.type (OpenTelemetry's semantic conventions), and the first
 * attributes. */
enum attribute { ATTRIBUTE_PYTHON = 1, ATTRIBUTE_NATIVE, ATTRIBUTE_KERNEL, ATTRIBUTE_FIRST_THREAD };

/* Numbers in a table of the dictionary, from 1 on, of those that something refers to: a push has a
 * few of all that there are. */
struct numbers {
    uint32_t *of; /* by index in the samples; 0: nothing refers to it */
    SC_VEC(uint32_t) items;
};

struct writer {
    struct sc_export_samples *samples;
    const struct sc_timeline_view *view;
    struct sc_export_parts parts;
    struct sc_intern strings; /* "" is the first */
    uint32_t *stack_of_node;  /* index in the dictionary; 0: the empty one */
    struct numbers frames, functions;
    struct sc_str dictionary;
    struct sc_str inner, list;
};

static uint64_t string(struct writer *writer, const char *text)
{
    return sc_intern_add(&writer->strings, text, strlen(text));
}

static void numbers_init(struct numbers *numbers, size_t count)
{
    numbers->of = sc_alloc(count + 1, sizeof(*numbers->of));
}

static void numbers_done(struct numbers *numbers)
{
    free(numbers->of);
    sc_vec_done(&numbers->items);
}

static uint64_t number_of(struct numbers *numbers, uint32_t index)
{
    if (numbers->of[index] == 0) {
        sc_vec_push(&numbers->items, index);
        numbers->of[index] = (uint32_t)numbers->items.count;
    }
    return numbers->of[index];
}

static void add_attribute(struct writer *writer, const char *key, const char *value)
{
    sc_proto_number(&writer->inner, 1, string(writer, key));
    sc_proto_text(&writer->list, 1, value);
    sc_proto_inside(&writer->inner, 2, &writer->list);
    sc_proto_inside(&writer->dictionary, DICTIONARY_ATTRIBUTE, &writer->inner);
}

static void add_attributes(struct writer *writer)
{
    sc_proto_inside(&writer->dictionary, DICTIONARY_ATTRIBUTE, &writer->inner);
    add_attribute(writer, "profile.frame.type", "cpython");
    add_attribute(writer, "profile.frame.type", "native");
    add_attribute(writer, "profile.frame.type", "kernel");
    for (size_t i = 0; i < writer->view->threads.count; i++)
        add_attribute(writer, "thread.name",
                      sc_export_text(&writer->samples->texts, writer->view->threads.items[i].name));
}

/* The frames of stacks and their functions; a mapping for each module of native code. */
static void add_code(struct writer *writer)
{
    static const char no_trace[16] = {0};
    const struct sc_export_samples *samples = writer->samples;
    SC_AUTO(sc_intern_done) struct sc_intern mappings = {0};
    (void)sc_intern_add(&mappings, "", 0);
    sc_proto_inside(&writer->dictionary, DICTIONARY_LOCATION, &writer->inner);
    for (size_t i = 0; i < writer->frames.items.count; i++) {
        const struct sc_export_frame *frame = &samples->frames.items[writer->frames.items.items[i]];
        const struct sc_export_function *function = &samples->functions.items[frame->function];
        bool is_python = sc_export_is_python(function);
        const char *module = is_python ? "" : function->path;
        sc_proto_number(&writer->inner, 1, sc_intern_add(&mappings, module, strlen(module)));
        sc_proto_number(&writer->list, 1, number_of(&writer->functions, frame->function));
        sc_proto_number(&writer->list, 2, frame->line);
        sc_proto_inside(&writer->inner, 3, &writer->list);
        sc_proto_packed(&writer->list, is_python                           ? ATTRIBUTE_PYTHON
                                       : function->kind == SC_FRAME_KERNEL ? ATTRIBUTE_KERNEL
                                                                           : ATTRIBUTE_NATIVE);
        sc_proto_inside(&writer->inner, 4, &writer->list);
        sc_proto_inside(&writer->dictionary, DICTIONARY_LOCATION, &writer->inner);
    }
    for (uint32_t i = 0; i < mappings.count; i++) {
        sc_proto_number(&writer->inner, 4, string(writer, sc_intern_text(&mappings, i)));
        sc_proto_inside(&writer->dictionary, DICTIONARY_MAPPING, &writer->inner);
    }
    sc_proto_inside(&writer->dictionary, DICTIONARY_FUNCTION, &writer->inner);
    for (size_t i = 0; i < writer->functions.items.count; i++) {
        const struct sc_export_function *function =
            &samples->functions.items[writer->functions.items.items[i]];
        sc_proto_number(&writer->inner, 1, string(writer, function->name));
        sc_proto_number(&writer->inner, 3, string(writer, function->path));
        sc_proto_inside(&writer->dictionary, DICTIONARY_FUNCTION, &writer->inner);
    }
    sc_proto_item(&writer->inner, 1, no_trace, 16);
    sc_proto_item(&writer->inner, 2, no_trace, 8);
    sc_proto_inside(&writer->dictionary, DICTIONARY_LINK, &writer->inner);
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

/* One for each node that has a value, behind the empty one; the innermost frame is the first. A
 * stack for every node would take the square of the depth. */
static void add_stacks(struct writer *writer)
{
    const struct sc_export_samples *samples = writer->samples;
    SC_AUTO_FREE struct sc_export_stack stack = {0};
    uint32_t count = 1;
    writer->stack_of_node = sc_alloc(samples->nodes.count, sizeof(*writer->stack_of_node));
    sc_proto_inside(&writer->dictionary, DICTIONARY_STACK, &writer->inner);
    for (size_t i = 0; i < writer->parts.count; i++) {
        uint32_t node = writer->parts.items[i].node;
        if (node == 0 || writer->stack_of_node[node] != 0 || !has_value(writer, i))
            continue;
        writer->stack_of_node[node] = count++;
        sc_export_stack_of(samples, node, &stack);
        for (size_t k = stack.count; k > 0; k--)
            sc_proto_packed(&writer->list, number_of(&writer->frames, stack.items[k - 1]));
        sc_proto_inside(&writer->inner, 1, &writer->list);
        sc_proto_inside(&writer->dictionary, DICTIONARY_STACK, &writer->inner);
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
            sc_proto_packed(&writer->list, ATTRIBUTE_FIRST_THREAD + (uint64_t)part->thread);
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
    (void)string(&writer, "");
    add_attributes(&writer);
    numbers_init(&writer.frames, samples->frames.count);
    numbers_init(&writer.functions, samples->functions.count);
    add_stacks(&writer);
    add_code(&writer);
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
    free(writer.stack_of_node);
    numbers_done(&writer.frames);
    numbers_done(&writer.functions);
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
