/*
 * import/speedscope.c - speedscope's JSON, as py-spy, pyinstrument, memray and Tachyon write it.
 *
 * A file has a table of frames and several profiles, here threads: lists of stacks with weights, or
 * of moments at which frames are entered and left. The format is described at
 * https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/json_find.h"
#include "import/readers.h"

/* What weights are. */
enum unit { UNIT_TIME, UNIT_BYTES, UNIT_COUNT };

struct speedscope {
    struct sc_import_tree *tree;
    SC_VEC(struct sc_import_frame) frames;
    struct sc_str text;
    SC_VEC(uint32_t) nodes; /* of the last profile in bytes; SC_NONE: no bytes, or counted */
    double begin;           /* the least moment of all profiles in units of time */
    struct sc_err *err;
};

/* One of the profiles. */
struct lane {
    enum unit unit;
    double scale; /* seconds of a unit */
    uint32_t thread;
    double start;
    double end;
    struct sc_json_pull samples;
    struct sc_json_pull weights;
    struct sc_json_pull events;
};

bool sc_speedscope_probe(const char *bytes, size_t length)
{
    struct sc_json_found keys[] = {{.key = "profiles"}, {.key = "shared"}, {0}};
    return sc_json_has(bytes, length, keys);
}

static bool read_frames(struct speedscope *file, struct sc_json_pull shared)
{
    struct sc_json_found keys[] = {{.key = "frames"}, {0}};
    struct sc_json_found parts[] = {{.key = "name"}, {.key = "file"}, {.key = "line"}, {0}};
    SC_AUTO(sc_str_done) struct sc_str place = {0};
    if (!sc_json_find(&shared, keys) || keys[0].value.at == NULL)
        return sc_fail(file->err, SC_ERR_FAILED, "it has no list of frames");
    size_t at = 0;
    bool good = true;
    while (good && sc_json_next(&keys[0].value, &at)) {
        good = at <= SC_IMPORT_FRAMES_MAX && sc_json_find(&keys[0].value, parts) &&
               parts[0].value.at != NULL;
        if (!good)
            break;
        struct sc_import_text name = sc_json_words(&parts[0].value, &file->text);
        struct sc_import_text path = {"", 0};
        if (parts[1].value.at != NULL)
            path = sc_json_words(&parts[1].value, &place);
        uint64_t line = parts[2].value.at != NULL ? sc_json_whole(&parts[2].value, 0) : 0;
        sc_vec_push(&file->frames, sc_import_frame_of(file->tree, name, path, line, 0));
    }
    return (good && !keys[0].value.failed) ||
           sc_fail(file->err, SC_ERR_FAILED, "its list of frames is damaged, or has more than %u",
                   SC_IMPORT_FRAMES_MAX);
}

static bool read_unit(struct speedscope *file, struct sc_json_pull unit, struct lane *lane)
{
    static const struct {
        const char *name;
        enum unit unit;
        double scale;
    } units[] = {{"seconds", UNIT_TIME, 1},         {"milliseconds", UNIT_TIME, 1e-3},
                 {"microseconds", UNIT_TIME, 1e-6}, {"nanoseconds", UNIT_TIME, 1e-9},
                 {"bytes", UNIT_BYTES, 1},          {"none", UNIT_COUNT, 1}};
    (void)sc_json_words(&unit, &file->text);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(sc_str_text(&file->text), units[i].name) == 0) {
            lane->unit = units[i].unit;
            lane->scale = units[i].scale;
            return true;
        }
    }
    return sc_fail(file->err, SC_ERR_FAILED, "its unit '%.40s' is not known",
                   sc_str_text(&file->text));
}

/* py-spy calls a profile `Thread 11530 "name"`, or `Process 11520 Thread 11530 "name"`; Python's
 * numbers are hexadecimal there. */
static uint32_t thread_of(struct speedscope *file, struct sc_json_pull name, size_t number)
{
    (void)sc_json_words(&name, &file->text);
    const char *text = sc_str_text(&file->text);
    const char *known = strstr(text, "Thread ");
    char *end = NULL;
    uint64_t tid = known != NULL ? strtoull(known + strlen("Thread "), &end, 0) : 0;
    const char *quoted = tid != 0 ? strchr(end, '"') : NULL;
    SC_AUTO_FREE char *own =
        quoted != NULL ? sc_strndup(quoted + 1, strcspn(quoted + 1, "\"")) : NULL;
    uint64_t pid = own != NULL && sc_starts_with(text, "Process ")
                       ? strtoull(text + strlen("Process "), NULL, 10)
                       : 0;
    return sc_import_thread(file->tree, pid, tid != 0 ? tid : number, own != NULL ? own : text,
                            false);
}

static bool read_lane(struct speedscope *file, struct sc_json_pull *pull, size_t number,
                      struct lane *ret_lane)
{
    struct sc_json_found keys[] = {
        {.key = "unit"},   {.key = "name"},       {.key = "samples"},  {.key = "weights"},
        {.key = "events"}, {.key = "startValue"}, {.key = "endValue"}, {0}};
    *ret_lane = (struct lane){0};
    if (!sc_json_find(pull, keys) || keys[0].value.at == NULL || keys[1].value.at == NULL)
        return sc_fail(file->err, SC_ERR_FAILED, "its profile %zu has no name or no unit", number);
    if (!read_unit(file, keys[0].value, ret_lane))
        return false;
    ret_lane->samples = keys[2].value;
    ret_lane->weights = keys[3].value;
    ret_lane->events = keys[4].value;
    ret_lane->start = keys[5].value.at != NULL ? sc_json_real(&keys[5].value) * ret_lane->scale : 0;
    ret_lane->end = keys[6].value.at != NULL ? sc_json_real(&keys[6].value) * ret_lane->scale : 0;
    if (ret_lane->unit != UNIT_BYTES)
        ret_lane->thread = thread_of(file, keys[1].value, number);
    return ret_lane->events.at != NULL ||
           (ret_lane->samples.at != NULL && ret_lane->weights.at != NULL) ||
           sc_fail(file->err, SC_ERR_FAILED, "its profile %zu has neither samples nor events",
                   number);
}

/* A stack: a list of frames, outermost first. */
static bool read_stack(struct speedscope *file, struct sc_json_pull *pull, uint32_t *ret_node)
{
    uint32_t node = 0;
    size_t depth = 0;
    while (sc_json_next(pull, &depth)) {
        uint64_t frame = sc_json_whole(pull, UINT64_MAX);
        if (frame >= file->frames.count)
            return sc_fail(file->err, SC_ERR_FAILED, "a stack names a frame that there is not");
        if (depth > SC_IMPORT_DEPTH_MAX)
            return sc_fail(file->err, SC_ERR_FAILED, "a stack has more than %u frames",
                           SC_IMPORT_DEPTH_MAX);
        node = sc_import_call(file->tree, node, file->frames.items[frame]);
    }
    *ret_node = node;
    return true;
}

static bool charge(struct speedscope *file, const struct lane *lane, uint32_t node, double weight,
                   double at)
{
    if (lane->unit == UNIT_BYTES) {
        struct sc_import_memory memory = {.node = node, .is_alive = true};
        if (!(weight >= 0 && weight < 1e18))
            return sc_fail(file->err, SC_ERR_FAILED, "%g bytes are out of range", weight);
        memory.bytes = (uint64_t)weight;
        sc_vec_push(&file->nodes, memory.bytes > 0 ? node : SC_NONE);
        return sc_import_add_memory(file->tree, &memory, file->err);
    }
    struct sc_import_time time = {.thread = lane->thread, .node = node};
    time.samples = lane->events.at == NULL;
    time.seconds = weight * lane->scale;
    time.has_start = lane->unit == UNIT_TIME;
    time.start_s = at - file->begin;
    if (lane->unit == UNIT_COUNT) {
        time.seconds = weight * sc_import_interval_s(file->tree, SC_IMPORT_INTERVAL_S);
        time.samples = weight >= 0 && weight < 1e15 ? (uint64_t)weight : UINT64_MAX;
    }
    return sc_import_add_time(file->tree, &time, file->err);
}

static bool read_samples(struct speedscope *file, struct lane *lane)
{
    size_t stacks = 0;
    size_t weights = 0;
    double at = lane->start;
    if (lane->unit == UNIT_BYTES)
        file->nodes.count = 0;
    while (sc_json_next(&lane->samples, &stacks)) {
        uint32_t node = 0;
        bool has_weight = sc_json_next(&lane->weights, &weights);
        double weight = has_weight ? sc_json_real(&lane->weights) : NAN;
        if (!read_stack(file, &lane->samples, &node) || !charge(file, lane, node, weight, at))
            return false;
        at += weight * lane->scale;
    }
    return !(lane->samples.failed || lane->weights.failed) ||
           sc_fail(file->err, SC_ERR_FAILED, "its lists of samples and weights are damaged");
}

/* memray writes the same stacks twice, with their bytes and with the number of blocks. */
static bool read_blocks(struct speedscope *file, struct lane *lane)
{
    size_t at = 0;
    while (sc_json_next(&lane->weights, &at)) {
        if (at > file->nodes.count)
            return sc_fail(file->err, SC_ERR_FAILED, "it has more numbers of blocks than sizes");
        uint64_t blocks = sc_json_whole(&lane->weights, 0);
        struct sc_import_memory more = {.node = file->nodes.items[at - 1], .is_alive = true};
        more.blocks = blocks > 0 ? blocks - 1 : 0; /* one was counted with the bytes */
        if (more.node != SC_NONE && !sc_import_add_memory(file->tree, &more, file->err))
            return false;
        file->nodes.items[at - 1] = SC_NONE;
    }
    return true;
}

/* One event: a frame is entered ("O") or left ("C"). */
struct event {
    double at;
    uint64_t frame;
    bool is_open;
};

static bool read_event(struct speedscope *file, const struct lane *lane, struct sc_json_pull *pull,
                       struct event *ret_event)
{
    struct sc_json_found keys[] = {{.key = "type"}, {.key = "at"}, {.key = "frame"}, {0}};
    if (!sc_json_find(pull, keys) || keys[0].value.at == NULL || keys[1].value.at == NULL ||
        keys[2].value.at == NULL)
        return sc_fail(file->err, SC_ERR_FAILED, "an event has no type, frame or time");
    (void)sc_json_words(&keys[0].value, &file->text);
    ret_event->is_open = strcmp(sc_str_text(&file->text), "O") == 0;
    ret_event->at = sc_json_real(&keys[1].value) * lane->scale;
    ret_event->frame = sc_json_whole(&keys[2].value, UINT64_MAX);
    return ret_event->frame < file->frames.count ||
           sc_fail(file->err, SC_ERR_FAILED, "an event names a frame that there is not");
}

/* The frames that are open, outermost first. */
struct open_frames {
    SC_VEC(uint32_t) nodes;
    SC_VEC(uint64_t) frames;
};

static bool apply(struct speedscope *file, const struct event *event, struct open_frames *open)
{
    size_t depth = open->frames.count;
    if (!event->is_open) {
        if (depth == 0 || open->frames.items[depth - 1] != event->frame)
            return sc_fail(file->err, SC_ERR_FAILED,
                           "an event leaves a frame that is not the innermost");
        open->frames.count--;
        open->nodes.count--;
        return true;
    }
    if (depth >= SC_IMPORT_DEPTH_MAX)
        return sc_fail(file->err, SC_ERR_FAILED, "a stack has more than %u frames",
                       SC_IMPORT_DEPTH_MAX);
    uint32_t parent = depth > 0 ? open->nodes.items[depth - 1] : 0;
    sc_vec_push(&open->nodes, sc_import_call(file->tree, parent, file->frames.items[event->frame]));
    sc_vec_push(&open->frames, event->frame);
    return true;
}

static bool read_events(struct speedscope *file, struct lane *lane)
{
    struct open_frames open = {0};
    struct lane timed = *lane;
    double last = lane->start;
    size_t at = 0;
    bool good = lane->unit == UNIT_TIME ||
                sc_fail(file->err, SC_ERR_FAILED, "it has events that are not in units of time");
    timed.scale = 1; /* moments are in seconds */
    while (good && sc_json_next(&lane->events, &at)) {
        struct event event = {0};
        good =
            read_event(file, lane, &lane->events, &event) &&
            (event.at >= last || sc_fail(file->err, SC_ERR_FAILED, "its events go back in time"));
        if (good && open.nodes.count > 0 && event.at > last)
            good =
                charge(file, &timed, open.nodes.items[open.nodes.count - 1], event.at - last, last);
        last = good ? event.at : last;
        good = good && apply(file, &event, &open);
    }
    if (good && lane->events.failed)
        good = sc_fail(file->err, SC_ERR_FAILED, "its list of events is damaged");
    if (good && open.nodes.count > 0 && lane->end > last)
        good = charge(file, &timed, open.nodes.items[open.nodes.count - 1], lane->end - last, last);
    sc_vec_done(&open.nodes);
    sc_vec_done(&open.frames);
    return good;
}

/* The span of all profiles that are in units of time. */
static bool measure(struct speedscope *file, struct sc_json_pull profiles)
{
    double begin = INFINITY;
    double end = -INFINITY;
    size_t number = 0;
    while (sc_json_next(&profiles, &number)) {
        struct lane lane;
        if (!read_lane(file, &profiles, number, &lane))
            return false;
        if (lane.unit == UNIT_TIME && lane.start < begin)
            begin = lane.start;
        if (lane.unit == UNIT_TIME && lane.end > end)
            end = lane.end;
    }
    file->begin = isfinite(begin) ? begin : 0;
    if (isfinite(end - begin) && end - begin > file->tree->elapsed_s && end - begin < 9e9)
        file->tree->elapsed_s = end - begin;
    return true;
}

static bool read_profiles(struct speedscope *file, struct sc_json_pull profiles)
{
    size_t number = 0;
    while (sc_json_next(&profiles, &number)) {
        struct lane lane;
        bool good = read_lane(file, &profiles, number, &lane);
        if (good && lane.unit == UNIT_COUNT && file->nodes.count > 0 && lane.weights.at != NULL)
            good = read_blocks(file, &lane);
        else if (good)
            good = lane.events.at != NULL ? read_events(file, &lane) : read_samples(file, &lane);
        if (!good)
            return false;
    }
    return file->tree->time_ns + file->tree->bytes > 0 ||
           sc_fail(file->err, SC_ERR_FAILED, "it has no stack that cost something");
}

/* Ours has one and the same time as several profiles: of all threads, of each, and of what waits.
 */
static bool is_ours(struct speedscope *file, struct sc_json_pull exporter)
{
    if (exporter.at == NULL)
        return false;
    (void)sc_json_words(&exporter, &file->text);
    return sc_starts_with(sc_str_text(&file->text), "scalene ");
}

bool sc_speedscope_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                        struct sc_err *err)
{
    struct speedscope file = {.tree = tree, .err = err};
    struct sc_json_found keys[] = {
        {.key = "profiles"}, {.key = "shared"}, {.key = "exporter"}, {0}};
    struct sc_json_pull pull = sc_json_pull_of(bytes, length);
    bool good = false;
    if (!sc_json_find(&pull, keys) && pull.failed)
        (void)sc_json_pull_explain(&pull, err);
    else if (keys[0].value.at == NULL || keys[1].value.at == NULL)
        (void)sc_fail(err, SC_ERR_FAILED, "it has no profiles or no frames");
    else if (is_ours(&file, keys[2].value))
        (void)sc_fail(err, SC_ERR_FAILED,
                      "it was exported from a profile of Scalene's, which has more: open that");
    else
        good = read_frames(&file, keys[1].value) && measure(&file, keys[0].value) &&
               read_profiles(&file, keys[0].value);
    sc_vec_done(&file.frames);
    sc_vec_done(&file.nodes);
    sc_str_done(&file.text);
    return good;
}
