/*
 * import/pstats.c - what cProfile, profile, pyinstrument and Tachyon write for the module pstats.
 *
 * A dict of functions, (file, line, name): (calls, calls, own time, time with callees, callers).
 * callers has what was spent below each direct caller, so whole stacks are not known. They are made
 * from the calls that have no caller, inwards: of what a function took, each of its callers'
 * stacks gets the part that the file has for that caller. So own times are exact, and stacks are
 * where each function is always called for the same work; what is beyond that, as in recursion of
 * several functions, has no callers here. Fields: Lib/cProfile.py and Lib/pstats.py, CPython 3.15.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "import/marshal.h"
#include "import/readers.h"

/* Stacks with a smaller part of the time are not followed, and no more than so many are. */
#define SMALLEST_SHARE 1e-4
#define PATHS_MAX      100000U
#define PATH_DEPTH_MAX 1000U
#define EDGES_MAX      ((size_t)1 << 22U)

struct function {
    struct sc_import_frame frame;
    const struct sc_marshal_value *callers;
    double own_s;
    double total_s;
    double calls;
    double weight;         /* of all that it took, in the unit of its callers' parts */
    double callers_weight; /* the part of it with callers */
    double placed_s;       /* the part of own_s that is in a stack */
    size_t first_callee;   /* in callees, which has those of the next function behind its own */
    bool is_on_path;
};

struct callee {
    uint32_t function;
    double weight;
};

struct edge {
    uint32_t caller;
    uint32_t callee;
    double weight;
};

struct pstats {
    struct sc_import_tree *tree;
    struct sc_marshal marshal;
    struct sc_intern texts; /* paths and names */
    struct sc_intern keys;  /* ids of those and lines of functions; ids are indices of functions */
    SC_VEC(struct function) functions;
    SC_VEC(struct edge) edges;
    struct callee *callees;
    uint32_t thread;
    double all_s;
    size_t paths;
    struct sc_err *err;
};

/* A dict whose first key is a tuple. */
bool sc_pstats_probe(const char *bytes, size_t length)
{
    char key = length >= 2 ? (char)(bytes[1] & 0x7f) : '\0';
    return key != '\0' && (bytes[0] & 0x7f) == '{' && (key == '(' || key == ')');
}

static uint32_t text_of(struct pstats *file, const struct sc_marshal_value *text)
{
    return sc_intern_add(&file->texts, text->text,
                         text->count < SC_IMPORT_NAME_MAX ? text->count : SC_IMPORT_NAME_MAX);
}

/* The id of a function's key, added if new; SC_NONE where it is no key. */
static uint32_t key_of(struct pstats *file, const struct sc_marshal_value *key)
{
    if (key->kind != SC_MARSHAL_TUPLE || key->count != 3)
        return SC_NONE;
    const struct sc_marshal_value *path = sc_marshal_item(&file->marshal, key, 0);
    const struct sc_marshal_value *line = sc_marshal_item(&file->marshal, key, 1);
    const struct sc_marshal_value *name = sc_marshal_item(&file->marshal, key, 2);
    if (path->kind != SC_MARSHAL_TEXT || line->kind != SC_MARSHAL_NUMBER ||
        name->kind != SC_MARSHAL_TEXT)
        return SC_NONE;
    struct {
        uint32_t path;
        uint32_t name;
        double line;
    } numbers = {text_of(file, path), text_of(file, name), line->number};
    return sc_intern_add(&file->keys, (const char *)&numbers, sizeof(numbers));
}

static bool is_number(const struct sc_marshal_value *value)
{
    return value->kind == SC_MARSHAL_NUMBER && isfinite(value->number);
}

static bool read_function(struct pstats *file, const struct sc_marshal_value *key,
                          const struct sc_marshal_value *value)
{
    const struct sc_marshal *marshal = &file->marshal;
    bool is_mark = key->kind == SC_MARSHAL_TUPLE && key->count == 1; /* of Tachyon: "__sampled__" */
    if (is_mark && value->kind == SC_MARSHAL_OTHER)
        return true;
    if (value->kind != SC_MARSHAL_TUPLE || value->count != 5 ||
        !is_number(sc_marshal_item(marshal, value, 1)) ||
        !is_number(sc_marshal_item(marshal, value, 2)) ||
        !is_number(sc_marshal_item(marshal, value, 3)) ||
        sc_marshal_item(marshal, value, 4)->kind != SC_MARSHAL_DICT)
        return sc_fail(file->err, SC_ERR_FAILED,
                       "the numbers of a function are not as in a profile");
    if (key_of(file, key) != file->functions.count)
        return sc_fail(file->err, SC_ERR_FAILED, "a function is there twice, or has no name");
    const struct sc_marshal_value *path = sc_marshal_item(marshal, key, 0);
    const struct sc_marshal_value *name = sc_marshal_item(marshal, key, 2);
    double line = sc_marshal_item(marshal, key, 1)->number;
    struct function function = {
        .frame = sc_import_frame_of(file->tree, (struct sc_import_text){name->text, name->count},
                                    (struct sc_import_text){path->text, path->count},
                                    line >= 0 && line < 1e9 ? (uint64_t)line : 0, 0),
        .callers = sc_marshal_item(marshal, value, 4),
        /* with a calibrated timer (profile.Profile.bias) times may be below 0 */
        .calls = sc_marshal_item(marshal, value, 1)->number,
        .own_s = fmax(sc_marshal_item(marshal, value, 2)->number, 0),
        .total_s = fmax(sc_marshal_item(marshal, value, 3)->number, 0),
    };
    file->all_s += function.own_s;
    sc_vec_push(&file->functions, function);
    return true;
}

/* What an edge says of the callee: cProfile's (calls, calls, own time, time), or a count of
 * profile's and Tachyon's. */
static bool weight_of(const struct pstats *file, const struct sc_marshal_value *value,
                      struct function *function, double *ret_weight)
{
    bool is_timed = value->kind == SC_MARSHAL_TUPLE && value->count == 4;
    function->weight = is_timed ? function->total_s : function->calls;
    if (is_timed)
        value = sc_marshal_item(&file->marshal, value, 3);
    if (!is_number(value))
        return false;
    *ret_weight = fmax(value->number, 0);
    return true;
}

static bool read_callers(struct pstats *file, uint32_t callee)
{
    struct function *function = &file->functions.items[callee];
    const struct sc_marshal_value *callers = function->callers;
    size_t known = file->functions.count;
    bool is_recursive = false;
    for (size_t i = 0; i < callers->count; i += 2) {
        struct edge edge = {.callee = callee};
        edge.caller = key_of(file, sc_marshal_item(&file->marshal, callers, i));
        if (edge.caller == SC_NONE ||
            !weight_of(file, sc_marshal_item(&file->marshal, callers, i + 1), function,
                       &edge.weight))
            return sc_fail(file->err, SC_ERR_FAILED,
                           "the callers of a function are not as in a profile");
        if (file->edges.count >= EDGES_MAX)
            return sc_fail(file->err, SC_ERR_FAILED, "it has more than %zu calls", EDGES_MAX);
        is_recursive |= edge.caller == callee;
        if (edge.caller >= known || edge.caller == callee || edge.weight <= 0)
            continue;
        sc_vec_push(&file->edges, edge);
        function->callers_weight += edge.weight;
    }
    /* in recursion either sum may have a call's own calls, too */
    if (function->callers_weight > function->weight || is_recursive)
        function->weight = function->callers_weight;
    return true;
}

/* Puts the edges in order of their callers. */
static void sort_edges(struct pstats *file)
{
    size_t count = file->functions.count;
    SC_AUTO_FREE size_t *next = sc_alloc(count + 1, sizeof(*next));
    for (size_t i = 0; i < file->edges.count; i++)
        next[file->edges.items[i].caller + 1]++;
    for (size_t i = 0; i < count; i++) {
        next[i + 1] += next[i];
        file->functions.items[i].first_callee = next[i];
    }
    file->callees = sc_alloc(file->edges.count + 1, sizeof(*file->callees));
    SC_EACH(const struct edge, edge, &file->edges)
        file->callees[next[edge->caller]++] = (struct callee){edge->callee, edge->weight};
}

static bool charge(struct pstats *file, uint32_t node, double seconds)
{
    struct sc_import_time time = {.thread = file->thread, .node = node, .seconds = seconds};
    return sc_import_add_time(file->tree, &time, file->err);
}

/* A function on the path that is being followed. */
struct step {
    uint32_t function;
    uint32_t node;
    double part; /* of all that the function took */
    size_t callee;
};

struct path {
    SC_VEC(struct step) steps;
};

static bool enter(struct pstats *file, struct path *path, uint32_t parent, uint32_t at, double part)
{
    struct function *function = &file->functions.items[at];
    struct step step = {.function = at, .part = part, .callee = function->first_callee};
    step.node = sc_import_call(file->tree, parent, function->frame);
    function->is_on_path = true;
    function->placed_s += part * function->own_s;
    file->paths++;
    sc_vec_push(&path->steps, step);
    return part * function->own_s <= 0 || charge(file, step.node, part * function->own_s);
}

/* Follows the calls from a function, as far as nobody has called it. */
static bool follow(struct pstats *file, struct path *path, uint32_t root)
{
    const struct function *first = &file->functions.items[root];
    double part = first->callers_weight > 0 ? 1 - first->callers_weight / first->weight : 1;
    if (part * first->total_s < SMALLEST_SHARE * file->all_s)
        return true;
    bool good = enter(file, path, 0, root, part);
    while (good && path->steps.count > 0) {
        struct step *step = &path->steps.items[path->steps.count - 1];
        size_t end = step->function + 1 < file->functions.count
                         ? file->functions.items[step->function + 1].first_callee
                         : file->edges.count;
        if (step->callee == end) {
            file->functions.items[step->function].is_on_path = false;
            path->steps.count--;
            continue;
        }
        const struct callee *callee = &file->callees[step->callee++];
        const struct function *function = &file->functions.items[callee->function];
        part = step->part * callee->weight / function->weight;
        if (!function->is_on_path && part * function->total_s >= SMALLEST_SHARE * file->all_s &&
            file->paths < PATHS_MAX && path->steps.count < PATH_DEPTH_MAX)
            good = enter(file, path, step->node, callee->function, part);
    }
    return good;
}

static bool make_tree(struct pstats *file)
{
    struct path path = {0};
    bool good = true;
    for (uint32_t i = 0; i < file->functions.count && good; i++)
        good = follow(file, &path, i);
    sc_vec_done(&path.steps);
    for (size_t i = 0; i < file->functions.count && good; i++) {
        const struct function *function = &file->functions.items[i];
        double left_s = function->own_s - function->placed_s;
        if (left_s > 1e-9)
            good = charge(file, sc_import_call(file->tree, 0, function->frame), left_s);
    }
    return good;
}

bool sc_pstats_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                    struct sc_err *err)
{
    struct pstats file = {.tree = tree, .err = err};
    struct sc_marshal *marshal = &file.marshal;
    bool good = sc_marshal_read(marshal, bytes, length, err);
    const struct sc_marshal_value *all =
        good ? &marshal->values.items[marshal->values.count - 1] : NULL;
    if (good && all->kind != SC_MARSHAL_DICT)
        good = sc_fail(err, SC_ERR_FAILED, "it is no dict of functions");
    file.thread = sc_import_thread(tree, 0, 0, "all threads", false);
    for (size_t i = 0; good && i < all->count; i += 2)
        good = read_function(&file, sc_marshal_item(marshal, all, i),
                             sc_marshal_item(marshal, all, i + 1));
    for (uint32_t i = 0; good && i < file.functions.count; i++)
        good = read_callers(&file, i);
    if (good && !(file.all_s > 0))
        good = sc_fail(err, SC_ERR_FAILED, "it has no function that took time");
    if (good) {
        sort_edges(&file);
        sc_import_note(tree,
                       sc_strdup("the file has direct callers, not whole stacks: those beyond "
                                 "are divided in proportion; a function's own time is exact, "
                                 "and stands at the line that the file has for it"));
        good = make_tree(&file);
    }
    free(file.callees);
    sc_vec_done(&file.functions);
    sc_vec_done(&file.edges);
    sc_intern_done(&file.keys);
    sc_intern_done(&file.texts);
    sc_marshal_done(marshal);
    return good;
}
