/*
 * export/export_perfetto.c - a trace for Perfetto
 * (https://perfetto.dev/docs/reference/trace-packet-proto).
 *
 * Threads have their calls as slices, memory and what else has a curve are counters, and memory by
 * stack is a heap profile. Time is that since profiling began, on the clock of the boot; a snapshot
 * of clocks says when that was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "export/proto.h"
#include "export/samples.h"
#include "export/slices.h"
#include "export/writers.h"

enum packet_field {
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_PROFILE = 37,
    PACKET_TRACK = 60,
};

enum interned_field {
    INTERNED_CATEGORIES = 1,
    INTERNED_EVENT_NAMES = 2,
    INTERNED_LOCATIONS = 4,
    INTERNED_FUNCTION_NAMES = 5,
    INTERNED_FRAMES = 6,
    INTERNED_STACKS = 7,
    INTERNED_MAPPING_PATHS = 17,
    INTERNED_SOURCE_PATHS = 18,
    INTERNED_MAPPINGS = 19,
};

enum event_field {
    EVENT_CATEGORY = 3,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_LOCATION = 34,
    EVENT_NUMBER = 44,
};

enum event_type { EVENT_BEGINS = 1, EVENT_ENDS = 2, EVENT_COUNTER = 4 };
enum { CLEARS_STATE = 1, NEEDS_STATE = 2 };      /* flags of a packet in its sequence */
enum { CLOCK_REALTIME = 1, CLOCK_BOOTTIME = 6 }; /* as Perfetto numbers them */
enum unit { UNIT_COUNT = 2, UNIT_BYTES = 3 };

/* Numbers of tracks. */
enum { TRACK_PROCESS = 1, TRACK_FIRST_OTHER };

struct writer {
    struct sc_export_samples samples;
    struct sc_timeline_view view;
    struct sc_str *trace;
    struct sc_str packet, inner, list;
    uint64_t pid;
    uint64_t tracks; /* that have been described */
};

/* Ends what is in packet. */
static void add_packet(struct writer *writer, unsigned flags)
{
    sc_proto_number(&writer->packet, PACKET_SEQUENCE, 1);
    sc_proto_number(&writer->packet, PACKET_SEQUENCE_FLAGS, flags);
    sc_proto_inside(writer->trace, 1, &writer->packet);
}

static void add_interned(struct writer *writer, struct sc_str *interned, unsigned field,
                         uint64_t number, const char *text)
{
    sc_proto_number(&writer->inner, 1, number);
    sc_proto_text(&writer->inner, 2, text);
    sc_proto_inside(interned, field, &writer->inner);
}

/* Each function and frame has its number as an index plus 1, each stack that of its node. */
static void add_names(struct writer *writer)
{
    static const char *const categories[] = {"python", "library", "native", "plumbing", "kernel"};
    const struct sc_export_samples *samples = &writer->samples;
    SC_AUTO(sc_str_done) struct sc_str interned = {0};
    SC_AUTO_FREE struct sc_export_stack stack = {0};
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
        add_interned(writer, &interned, INTERNED_CATEGORIES, i + 1, categories[i]);
    for (size_t i = 0; i < samples->functions.count; i++) {
        const struct sc_export_function *function = &samples->functions.items[i];
        add_interned(writer, &interned, INTERNED_EVENT_NAMES, i + 1, function->name);
        add_interned(writer, &interned, INTERNED_FUNCTION_NAMES, i + 1, function->name);
        add_interned(writer, &interned, INTERNED_SOURCE_PATHS, i + 1, function->path);
        add_interned(writer, &interned, INTERNED_MAPPING_PATHS, i + 1,
                     sc_export_is_python(function) ? "python" : function->path);
        sc_proto_number(&writer->inner, 1, i + 1);
        sc_proto_text(&writer->inner, 2, function->path);
        sc_proto_text(&writer->inner, 3, function->name);
        sc_proto_inside(&interned, INTERNED_LOCATIONS, &writer->inner);
        sc_proto_number(&writer->inner, 1, i + 1);
        sc_proto_number(&writer->inner, 7, i + 1);
        sc_proto_inside(&interned, INTERNED_MAPPINGS, &writer->inner);
    }
    for (size_t i = 0; i < samples->frames.count; i++) {
        const struct sc_export_frame *frame = &samples->frames.items[i];
        sc_proto_number(&writer->inner, 1, i + 1);
        sc_proto_number(&writer->inner, 2, frame->function + UINT64_C(1));
        sc_proto_number(&writer->inner, 3, frame->function + UINT64_C(1));
        sc_proto_number(&writer->inner, 4, i + 1); /* frames of one address would be one */
        sc_proto_number(&writer->inner, 5, frame->function + UINT64_C(1));
        sc_proto_number(&writer->inner, 6, frame->line);
        sc_proto_inside(&interned, INTERNED_FRAMES, &writer->inner);
    }
    for (uint32_t node = 1; node < samples->nodes.count; node++) {
        if (sc_export_self(samples, SC_EXPORT_ALLOCATED, node) == 0)
            continue;
        sc_export_stack_of(samples, node, &stack);
        sc_proto_number(&writer->inner, 1, node);
        for (size_t i = 0; i < stack.count; i++)
            sc_proto_number(&writer->inner, 2, stack.items[i] + UINT64_C(1));
        sc_proto_inside(&interned, INTERNED_STACKS, &writer->inner);
    }
    sc_proto_inside(&writer->packet, PACKET_INTERNED, &interned);
    add_packet(writer, CLEARS_STATE);
}

static void add_clocks(struct writer *writer)
{
    const uint64_t times[][2] = {
        {CLOCK_BOOTTIME, 0},
        {CLOCK_REALTIME, sc_export_moment_ns(writer->samples.profile->start_time_absolute_s)}};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        sc_proto_number(&writer->list, 1, times[i][0]);
        sc_proto_given(&writer->list, 2, times[i][1]);
        sc_proto_inside(&writer->inner, 1, &writer->list);
    }
    sc_proto_inside(&writer->packet, PACKET_CLOCK_SNAPSHOT, &writer->inner);
    add_packet(writer, 0);
}

/* -------- threads -------- */

static void begin_event(struct writer *writer, uint64_t time_ns, uint64_t track,
                        enum event_type type)
{
    sc_proto_given(&writer->packet, PACKET_TIMESTAMP, time_ns);
    sc_proto_number(&writer->inner, EVENT_TYPE, (uint64_t)type);
    sc_proto_number(&writer->inner, EVENT_TRACK, track);
}

static void end_event(struct writer *writer)
{
    sc_proto_inside(&writer->packet, PACKET_TRACK_EVENT, &writer->inner);
    add_packet(writer, NEEDS_STATE);
}

static void add_slice(void *context, int64_t time_ns, uint32_t function, bool begins)
{
    struct writer *writer = context;
    begin_event(writer, (uint64_t)time_ns, writer->tracks, begins ? EVENT_BEGINS : EVENT_ENDS);
    if (begins) {
        sc_proto_number(&writer->inner, EVENT_CATEGORY,
                        (uint64_t)writer->samples.functions.items[function].kind + 1);
        sc_proto_number(&writer->inner, EVENT_NAME, function + UINT64_C(1));
        sc_proto_number(&writer->inner, EVENT_LOCATION, function + UINT64_C(1));
    }
    end_event(writer);
}

/* Of an id "PID:TID"; a number that is none of the kernel's becomes the one instead. */
static uint64_t number_of(const char *text, uint64_t instead)
{
    uint64_t number = strtoull(text, NULL, 10);
    return number > 0 && number <= INT32_MAX ? number : instead;
}

static void add_threads(struct writer *writer)
{
    for (size_t i = 0; i < writer->view.threads.count; i++) {
        const struct sc_timeline_thread *thread = &writer->view.threads.items[i];
        bool has_pid = strchr(thread->id, ':') != NULL;
        sc_proto_number(&writer->list, 1,
                        has_pid ? number_of(thread->id, writer->pid) : writer->pid);
        sc_proto_number(&writer->list, 2, number_of(sc_after_last(thread->id, ':'), i + 1));
        sc_proto_text(&writer->list, 5, sc_export_text(&writer->samples.texts, thread->name));
        sc_proto_number(&writer->inner, 1, ++writer->tracks);
        sc_proto_inside(&writer->inner, 4, &writer->list);
        sc_proto_inside(&writer->packet, PACKET_TRACK, &writer->inner);
        add_packet(writer, 0);
        sc_export_slices(&writer->samples, thread, add_slice, writer);
    }
}

static void add_process(struct writer *writer)
{
    const struct sc_profile *profile = writer->samples.profile;
    bool has_id = writer->view.threads.count > 0;
    writer->pid = number_of(has_id ? writer->view.threads.items[0].id : "", 1);
    if (has_id && strchr(writer->view.threads.items[0].id, ':') == NULL)
        writer->pid = 1;
    sc_proto_number(&writer->list, 1, writer->pid);
    sc_proto_text(&writer->list, 6,
                  sc_export_text(&writer->samples.texts, sc_after_last(profile->program, '/')));
    sc_proto_number(&writer->inner, 1, TRACK_PROCESS);
    sc_proto_inside(&writer->inner, 3, &writer->list);
    sc_proto_inside(&writer->packet, PACKET_TRACK, &writer->inner);
    add_packet(writer, 0);
    writer->tracks = TRACK_PROCESS;
}

/* -------- curves, and memory by stack -------- */

static void begin_counter(struct writer *writer, const char *name, enum unit unit)
{
    sc_proto_number(&writer->inner, 1, ++writer->tracks);
    sc_proto_number(&writer->inner, 5, TRACK_PROCESS);
    sc_proto_text(&writer->inner, 2, sc_export_text(&writer->samples.texts, name));
    sc_proto_number(&writer->list, 3, (uint64_t)unit);
    sc_proto_inside(&writer->inner, 8, &writer->list);
    sc_proto_inside(&writer->packet, PACKET_TRACK, &writer->inner);
    add_packet(writer, 0);
}

static void add_count(struct writer *writer, uint64_t time_ns, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    begin_event(writer, time_ns, writer->tracks, EVENT_COUNTER);
    sc_proto_fixed64(&writer->inner, EVENT_NUMBER, bits);
    end_event(writer);
}

static void add_curve(struct writer *writer, const char *name, enum unit unit, double scale,
                      const struct sc_footprints *curve)
{
    if (curve->count > 0)
        begin_counter(writer, name, unit);
    for (size_t i = 0; i < curve->count; i++)
        add_count(writer, curve->items[i].time_ns, curve->items[i].mb * scale);
}

static void add_curves(struct writer *writer)
{
    const struct sc_profile *profile = writer->samples.profile;
    add_curve(writer, "memory", UNIT_BYTES, 1048576, &profile->samples);
    add_curve(writer, "resident memory", UNIT_BYTES, 1048576, &profile->rss);
    add_curve(writer, "device memory", UNIT_BYTES, 1048576, &profile->gpu_memory);
    add_curve(writer, "device load (%)", UNIT_COUNT, 1, &profile->gpu_load);
    SC_EACH(const struct sc_profile_track, track, &profile->tracks) {
        SC_AUTO_FREE char *name = sc_format("%s (%%)", track->id);
        begin_counter(writer, name, UNIT_COUNT);
        for (size_t k = 0; k <= track->shares.count; k++) {
            double time_s = track->begin_s + (double)k * track->slot_s;
            double share = k < track->shares.count ? track->shares.items[k] : 0;
            add_count(writer, (uint64_t)sc_export_whole(time_s * 1e9), share * 100);
        }
    }
}

static void add_heap(struct writer *writer)
{
    const struct sc_export_samples *samples = &writer->samples;
    SC_AUTO(sc_str_done) struct sc_str heap = {0};
    if (samples->self[SC_EXPORT_ALLOCATED] == NULL)
        return;
    sc_proto_number(&heap, 1, writer->pid);
    for (uint32_t node = 1; node < samples->nodes.count; node++) {
        int64_t allocated = sc_export_self(samples, SC_EXPORT_ALLOCATED, node);
        int64_t left = sc_export_self(samples, SC_EXPORT_AT_EXIT, node);
        if (allocated == 0)
            continue;
        sc_proto_number(&writer->list, 1, node);
        sc_proto_number(&writer->list, 2, (uint64_t)allocated);
        sc_proto_number(&writer->list, 3, (uint64_t)(allocated > left ? allocated - left : 0));
        sc_proto_inside(&heap, 2, &writer->list);
    }
    uint64_t end_ns = (uint64_t)sc_export_whole(samples->span_s * 1e9);
    sc_proto_given(&heap, 9, end_ns);
    sc_proto_text(&heap, 11, "python");
    sc_proto_inside(&writer->inner, 5, &heap);
    sc_proto_given(&writer->packet, PACKET_TIMESTAMP, end_ns);
    sc_proto_inside(&writer->packet, PACKET_PROFILE, &writer->inner);
    add_packet(writer, NEEDS_STATE);
}

void sc_export_perfetto(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    struct writer writer = {.trace = ret_bytes};
    sc_export_samples_init(&writer.samples, profile);
    sc_timeline_view_init(&writer.view, profile, &writer.samples.stacks);
    add_names(&writer);
    add_clocks(&writer);
    add_process(&writer);
    add_threads(&writer);
    add_curves(&writer);
    add_heap(&writer);
    sc_str_done(&writer.packet);
    sc_str_done(&writer.inner);
    sc_str_done(&writer.list);
    sc_timeline_view_done(&writer.view);
    sc_export_samples_done(&writer.samples);
}
