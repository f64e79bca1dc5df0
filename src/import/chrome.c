/*
 * import/chrome.c - traces of Chrome's form: calls with their beginning and their length, as
 * viztracer writes them ("X"), or an event for each of both, as py-spy does ("B" and "E").
 *
 * Complete calls stand in any order, and one in another is known by their times alone, so all are
 * put in order first. Of other events the names of threads are read. Format: Trace Event Format
 * (Google, 2016). Names of frames as of viztracer 1.1: "name (file:line)", or the name alone of a
 * function in C; as of py-spy 0.4: the file and the line are arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "import/json_find.h"
#include "import/readers.h"

/* More are refused. */
#define CALLS_MAX ((size_t)1 << 22U)

/* Moments beyond are none; in microseconds, as all here. */
#define MOMENT_MAX 1e16

/* A call that ends so much later than the one around is not cut by rounding. */
#define ROUNDING 1.0

struct call {
    struct sc_import_frame frame;
    uint32_t lane;
    uint32_t rank;  /* of calls with the same times, the one with the highest is the outermost */
    uint32_t outer; /* the begun call around, SC_NONE */
    bool is_open;   /* its end is not read yet */
    double start;
    double length;
};

/* A thread. */
struct lane {
    uint64_t pid;
    uint64_t tid;
    uint32_t begun; /* the innermost call that has a beginning and no end yet, SC_NONE */
    char name[64];
};

/* A call that is not over. */
struct open_call {
    uint32_t node;
    double end;
};

struct chrome {
    struct sc_import_tree *tree;
    SC_VEC(struct call) calls;
    SC_VEC(struct lane) lanes;
    SC_VEC(struct open_call) open; /* outermost first */
    struct sc_intern ids;          /* numbers of lanes; ids are indices of lanes */
    struct sc_intern words;        /* in place of a thread's number */
    struct sc_str text;
    struct sc_str place; /* a frame's file */
    double begin;        /* of all calls */
    double end;
    double now; /* what the open calls took until then is charged */
    uint32_t thread;
    size_t cut;
    size_t unmatched; /* calls without an end, and ends without a call */
    struct sc_err *err;
};

SC_ORDERED_BY(by_start, struct call, SC_RISING(lane), SC_RISING(start), SC_FALLING(length),
              SC_FALLING(rank));

bool sc_chrome_probe(const char *bytes, size_t length)
{
    struct sc_json_found whole[] = {{.key = "traceEvents"}, {0}};
    struct sc_json_found event[] = {{.key = "ph"}, {.key = "pid"}, {0}};
    struct sc_json_pull pull = sc_json_pull_of(bytes, length);
    if (sc_json_pull_peek(&pull) != '[')
        return sc_json_has(bytes, length, whole);
    return sc_json_pull_list(&pull) && sc_json_find(&pull, event) && event[0].value.at != NULL &&
           event[1].value.at != NULL;
}

/* The thread of an event. Numbers that are words become high ones. */
static struct lane *lane_of(struct chrome *file, struct sc_json_pull *pid, struct sc_json_pull *tid)
{
    uint64_t key[2] = {sc_json_id(pid, 0, &file->text), 0};
    key[1] = sc_json_id(tid, UINT64_MAX, &file->text);
    bool is_word = key[1] == UINT64_MAX;
    if (is_word)
        key[1] =
            UINT32_MAX - sc_intern_add(&file->words, sc_str_text(&file->text), file->text.length);
    uint32_t at = sc_intern_add(&file->ids, (const char *)key, sizeof(key));
    if (at == file->lanes.count) {
        struct lane lane = {.pid = key[0], .tid = key[1], .begun = SC_NONE};
        if (is_word)
            (void)snprintf(lane.name, sizeof(lane.name), "%s", sc_str_text(&file->text));
        sc_vec_push(&file->lanes, lane);
    }
    return &file->lanes.items[at];
}

static void name_lane(struct chrome *file, struct lane *lane, struct sc_json_pull *args)
{
    struct sc_json_found name[] = {{.key = "name"}, {0}};
    if (args->at == NULL || !sc_json_find(args, name) || name[0].value.at == NULL)
        return;
    (void)sc_json_words(&name[0].value, &file->text);
    (void)snprintf(lane->name, sizeof(lane->name), "%s", sc_str_text(&file->text));
}

/* The frame of a call: its name may say where it stands, or its arguments. */
static struct sc_import_frame frame_of(struct chrome *file, struct sc_import_text name,
                                       struct sc_json_pull *args)
{
    static const struct sc_import_text native = {"<built-in>", 10};
    struct sc_json_found keys[] = {{.key = "filename"}, {.key = "line"}, {0}};
    if (name.length > 0 && name.bytes[name.length - 1] == ')')
        return sc_import_spelt(file->tree, name);
    if (args->at == NULL || !sc_json_find(args, keys) || keys[0].value.at == NULL)
        return sc_import_frame_of(file->tree, name, native, 0, 0);
    struct sc_import_text place = sc_json_words(&keys[0].value, &file->place);
    uint64_t line = keys[1].value.at != NULL ? sc_json_whole(&keys[1].value, 0) : 0;
    return sc_import_frame_of(file->tree, name, place, line, 0);
}

/* Adds a complete call, or one that begins, whose length is 0 until then. */
static bool add_call(struct chrome *file, struct lane *lane, struct call *call, bool is_begun)
{
    uint32_t index = (uint32_t)file->calls.count;
    if (!(fabs(call->start) <= MOMENT_MAX && call->length >= 0 && call->length <= MOMENT_MAX))
        return sc_fail(file->err, SC_ERR_FAILED, "a call has no times, or they are out of range");
    if (file->calls.count >= CALLS_MAX)
        return sc_fail(file->err, SC_ERR_FAILED, "it has more than %zu calls", CALLS_MAX);
    call->lane = (uint32_t)(lane - file->lanes.items);
    call->rank = is_begun ? UINT32_MAX - index : index; /* complete ones stand behind inner ones */
    call->is_open = is_begun;
    call->outer = lane->begun;
    lane->begun = is_begun ? index : lane->begun;
    file->begin = fmin(file->begin, call->start);
    file->end = fmax(file->end, call->start + call->length);
    sc_vec_push(&file->calls, *call);
    return true;
}

/* Ends the innermost call of those that have begun. */
static bool end_call(struct chrome *file, struct lane *lane, double moment)
{
    if (!(fabs(moment) <= MOMENT_MAX))
        return sc_fail(file->err, SC_ERR_FAILED, "a call has no end, or it is out of range");
    file->end = fmax(file->end, moment);
    if (lane->begun >= file->calls.count) {
        file->unmatched++;
        return true;
    }
    struct call *call = &file->calls.items[lane->begun];
    call->length = fmax(moment - call->start, 0);
    call->is_open = false;
    lane->begun = call->outer;
    return true;
}

static bool read_event(struct chrome *file, struct sc_json_pull *list)
{
    struct sc_json_found keys[] = {{.key = "ph"},   {.key = "pid"}, {.key = "tid"}, {.key = "name"},
                                   {.key = "args"}, {.key = "ts"},  {.key = "dur"}, {0}};
    if (!sc_json_find(list, keys) || keys[0].value.at == NULL)
        return !list->failed && sc_fail(file->err, SC_ERR_FAILED, "an event has no kind");
    (void)sc_json_words(&keys[0].value, &file->text);
    char kind = file->text.length == 1 ? sc_str_text(&file->text)[0] : '\0';
    if (kind == '\0' || strchr("XBEM", kind) == NULL)
        return true;
    struct lane *lane = lane_of(file, &keys[1].value, &keys[2].value);
    struct sc_import_text name = {"", 0};
    double moment = keys[5].value.at != NULL ? sc_json_real(&keys[5].value) : NAN;
    if (kind == 'E')
        return end_call(file, lane, moment);
    if (keys[3].value.at != NULL)
        name = sc_json_words(&keys[3].value, &file->text);
    if (kind == 'M') {
        if (name.length == 11 && memcmp(name.bytes, "thread_name", 11) == 0)
            name_lane(file, lane, &keys[4].value);
        return true;
    }
    struct call call = {.frame = frame_of(file, name, &keys[4].value), .start = moment};
    if (kind == 'X' && keys[6].value.at != NULL)
        call.length = sc_json_real(&keys[6].value);
    return add_call(file, lane, &call, kind == 'B');
}

static bool charge(struct chrome *file, uint32_t node, double until)
{
    struct sc_import_time time = {.thread = file->thread, .node = node, .has_start = true};
    time.seconds = (until - file->now) * 1e-6;
    time.start_s = (file->now - file->begin) * 1e-6;
    bool good = !(until > file->now) || sc_import_add_time(file->tree, &time, file->err);
    file->now = fmax(file->now, until);
    return good;
}

/* Charges what passes until then, and ends the calls that are over. */
static bool pass(struct chrome *file, double until)
{
    bool good = true;
    for (; good && file->open.count > 0; file->open.count--) {
        struct open_call innermost = file->open.items[file->open.count - 1];
        if (innermost.end > until)
            return charge(file, innermost.node, until);
        good = charge(file, innermost.node, innermost.end);
    }
    return good;
}

static bool enter(struct chrome *file, const struct call *call)
{
    struct open_call inner = {.end = call->start + call->length};
    uint32_t parent = 0;
    if (file->open.count >= SC_IMPORT_DEPTH_MAX)
        return sc_fail(file->err, SC_ERR_FAILED, "a stack has more than %u frames",
                       SC_IMPORT_DEPTH_MAX);
    if (file->open.count > 0) {
        struct open_call around = file->open.items[file->open.count - 1];
        file->cut += inner.end > around.end + ROUNDING;
        inner.end = fmin(inner.end, around.end);
        parent = around.node;
    }
    inner.node = sc_import_call(file->tree, parent, call->frame);
    file->now = call->start;
    sc_vec_push(&file->open, inner);
    return true;
}

static bool add_calls(struct chrome *file)
{
    bool good = true;
    SC_EACH(struct call, begun, &file->calls) {
        file->unmatched += begun->is_open;
        if (begun->is_open)
            begun->length = file->end - begun->start;
    }
    sc_vec_sort(&file->calls, by_start);
    for (size_t i = 0; good && i < file->calls.count; i++) {
        const struct call *call = &file->calls.items[i];
        const struct lane *lane = &file->lanes.items[call->lane];
        if (i == 0 || call[-1].lane != call->lane) {
            good = pass(file, INFINITY);
            file->thread = sc_import_thread(file->tree, lane->pid, lane->tid, lane->name,
                                            strcmp(lane->name, "MainThread") == 0);
        }
        good = good && pass(file, call->start) && enter(file, call);
    }
    good = good && pass(file, INFINITY);
    if (file->cut > 0)
        sc_import_note(file->tree, sc_format("calls that are cut off since they end after the call "
                                             "around them: %zu",
                                             file->cut));
    if (file->unmatched > 0)
        sc_import_note(file->tree, sc_format("calls without an end, or ends without a call: %zu",
                                             file->unmatched));
    if ((file->end - file->begin) * 1e-6 > file->tree->elapsed_s)
        file->tree->elapsed_s = (file->end - file->begin) * 1e-6;
    return good && (file->tree->time_ns > 0 ||
                    sc_fail(file->err, SC_ERR_FAILED, "it has no stack that cost something"));
}

/* The buffer of viztracer keeps the last events. */
static void note_overflow(struct chrome *file, struct sc_json_pull *about)
{
    struct sc_json_found keys[] = {{.key = "overflow"}, {0}};
    if (about->at != NULL && sc_json_find(about, keys) && keys[0].value.at != NULL &&
        sc_json_pull_peek(&keys[0].value) == 't')
        sc_import_note(file->tree, sc_strdup("viztracer's buffer was too small: the file has the "
                                             "last calls of the run alone"));
}

bool sc_chrome_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                    struct sc_err *err)
{
    struct chrome file = {.tree = tree, .begin = INFINITY, .end = -INFINITY, .err = err};
    struct sc_json_found keys[] = {{.key = "traceEvents"}, {.key = "viztracer_metadata"}, {0}};
    struct sc_json_pull pull = sc_json_pull_of(bytes, length);
    struct sc_json_pull list = pull;
    size_t at = 0;
    bool good = true;
    if (sc_json_pull_peek(&pull) != '[') {
        good = sc_json_find(&pull, keys) && keys[0].value.at != NULL;
        list = keys[0].value;
    }
    if (!good && !pull.failed)
        (void)sc_fail(err, SC_ERR_FAILED, "it has no list of events");
    while (good && sc_json_next(&list, &at))
        good = read_event(&file, &list);
    if (pull.failed || list.failed)
        good = sc_json_pull_explain(pull.failed ? &pull : &list, err);
    if (good) {
        note_overflow(&file, &keys[1].value);
        good = add_calls(&file);
    }
    sc_vec_done(&file.calls);
    sc_vec_done(&file.lanes);
    sc_vec_done(&file.open);
    sc_intern_done(&file.ids);
    sc_intern_done(&file.words);
    sc_str_done(&file.text);
    sc_str_done(&file.place);
    return good;
}
