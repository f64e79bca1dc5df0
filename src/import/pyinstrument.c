/*
 * import/pyinstrument.c - pyinstrument's own JSON (-r json): a tree of frames, each with its time
 * and that of what it has called.
 *
 * The tree is as deep as the program's calls, so it is read frame by frame on a list of those that
 * are open. Facts: pyinstrument 5.1, renderers/jsonrenderer.py.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "import/json_find.h"
#include "import/readers.h"

/* To which times are rounded. */
#define UNIT_S 1e-6

/* A frame whose end has not been read. */
struct open_frame {
    uint32_t node;
    bool is_known; /* the node, as the list of its calls has begun */
    bool is_idle;
    double time_s;  /* with its calls */
    double calls_s; /* of those */
    size_t calls;
    uint64_t line;
};

struct pyinstrument {
    struct sc_import_tree *tree;
    SC_VEC(struct open_frame) open; /* outermost first */
    struct sc_str name;             /* of the innermost one */
    struct sc_str path;
    uint32_t thread;
    struct sc_err *err;
};

/* Moves to the tree, before which the file has its numbers. */
static bool find_root(struct sc_json_pull *pull, double *ret_elapsed_s)
{
    struct sc_json_name key;
    *ret_elapsed_s = NAN;
    if (sc_json_pull_peek(pull) != '{')
        return false;
    for (bool more = sc_json_pull_object(pull, &key); more; more = sc_json_pull_key(pull, &key)) {
        if (sc_json_name_is(&key, "root_frame"))
            return !isnan(*ret_elapsed_s) && sc_json_pull_peek(pull) == '{';
        if (sc_json_name_is(&key, "duration"))
            *ret_elapsed_s = sc_json_real(pull);
        else
            sc_json_pull_skip(pull);
    }
    return false;
}

bool sc_pyinstrument_probe(const char *bytes, size_t length)
{
    struct sc_json_pull pull = sc_json_pull_of(bytes, length);
    double elapsed_s = 0;
    return find_root(&pull, &elapsed_s);
}

/* The node of the innermost open frame, whose name has been read; what awaits is its caller. */
static bool name_frame(struct pyinstrument *file)
{
    size_t depth = file->open.count;
    struct open_frame *frame = &file->open.items[depth - 1];
    uint32_t parent = depth > 1 ? file->open.items[depth - 2].node : 0;
    if (file->name.length == 0 || !(frame->time_s >= 0) || frame->is_known)
        return sc_fail(file->err, SC_ERR_FAILED,
                       "a frame has no name or no time before what it has called");
    frame->is_known = true;
    frame->is_idle = strcmp(sc_str_text(&file->name), "[await]") == 0;
    frame->node = parent;
    if (!frame->is_idle)
        frame->node = sc_import_call(
            file->tree, parent,
            sc_import_frame_of(file->tree,
                               (struct sc_import_text){sc_str_text(&file->name), file->name.length},
                               (struct sc_import_text){sc_str_text(&file->path), file->path.length},
                               frame->line, 0));
    return true;
}

/* Reads on in the innermost open frame: whether there is a call of it to be read next. */
static bool find_call(struct pyinstrument *file, struct sc_json_pull *pull, bool more,
                      struct sc_json_name key)
{
    for (; more; more = sc_json_pull_key(pull, &key)) {
        struct open_frame *frame = &file->open.items[file->open.count - 1];
        if (sc_json_name_is(&key, "function")) {
            (void)sc_json_words(pull, &file->name);
        } else if (sc_json_name_is(&key, "file_path")) {
            (void)sc_json_words(pull, &file->path);
        } else if (sc_json_name_is(&key, "line_no")) {
            frame->line = sc_json_whole(pull, 0);
        } else if (sc_json_name_is(&key, "time")) {
            frame->time_s = sc_json_real(pull);
        } else if (!sc_json_name_is(&key, "children")) {
            sc_json_pull_skip(pull);
        } else if (!name_frame(file) || sc_json_pull_list(pull)) {
            return true;
        }
    }
    return false;
}

/* Enters a frame that stands next; whether it has a call. */
static bool enter(struct pyinstrument *file, struct sc_json_pull *pull)
{
    struct sc_json_name key = {0};
    sc_str_clear(&file->name);
    sc_str_clear(&file->path);
    sc_vec_push(&file->open, (struct open_frame){.time_s = NAN});
    bool more = sc_json_pull_object(pull, &key);
    return find_call(file, pull, more, key);
}

/* Leaves the innermost frame; whether there is another call of the one around it. */
static bool leave(struct pyinstrument *file, struct sc_json_pull *pull)
{
    struct sc_json_name key = {0};
    struct open_frame frame = file->open.items[--file->open.count];
    double own_s = frame.time_s - frame.calls_s;
    struct sc_import_time time = {
        .thread = file->thread, .node = frame.node, .is_idle = frame.is_idle};
    time.seconds = fmax(own_s, 0);
    if (!frame.is_known || own_s < -UNIT_S * (double)(frame.calls + 1))
        return sc_fail(file->err, SC_ERR_FAILED,
                       "a frame has no list of calls, or less time than those");
    if (time.seconds > 0 && !sc_import_add_time(file->tree, &time, file->err))
        return false;
    if (file->open.count == 0)
        return false;
    struct open_frame *around = &file->open.items[file->open.count - 1];
    around->calls_s += frame.time_s;
    around->calls++;
    if (sc_json_pull_item(pull))
        return true;
    bool more = sc_json_pull_key(pull, &key);
    return find_call(file, pull, more, key);
}

static bool read_root(struct pyinstrument *file, struct sc_json_pull *pull)
{
    bool is_before_call = true;
    do {
        if (file->open.count >= SC_IMPORT_DEPTH_MAX)
            return sc_fail(file->err, SC_ERR_FAILED, "a stack has more than %u frames",
                           SC_IMPORT_DEPTH_MAX);
        is_before_call = is_before_call ? enter(file, pull) : leave(file, pull);
        if (file->err->kind == SC_ERR_NONE && pull->failed)
            return sc_json_pull_explain(pull, file->err);
    } while (file->err->kind == SC_ERR_NONE && file->open.count > 0);
    return file->err->kind == SC_ERR_NONE &&
           (file->tree->time_ns > 0 ||
            sc_fail(file->err, SC_ERR_FAILED, "it has no stack that cost something"));
}

bool sc_pyinstrument_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                          struct sc_err *err)
{
    struct pyinstrument file = {.tree = tree, .err = err};
    struct sc_json_pull pull = sc_json_pull_of(bytes, length);
    struct sc_json_name key;
    double elapsed_s = 0;
    bool good = find_root(&pull, &elapsed_s) ||
                sc_fail(err, SC_ERR_FAILED, "it has no duration and tree of frames");
    if (good) {
        file.thread = sc_import_thread(tree, 0, 0, "", false);
        if (elapsed_s > tree->elapsed_s && elapsed_s < 9e9)
            tree->elapsed_s = elapsed_s;
        good = read_root(&file, &pull);
    }
    while (good && sc_json_pull_key(&pull, &key))
        sc_json_pull_skip(&pull);
    if (good && !sc_json_pull_end(&pull))
        good = sc_json_pull_explain(&pull, err);
    sc_vec_done(&file.open);
    sc_str_done(&file.name);
    sc_str_done(&file.path);
    return good;
}
