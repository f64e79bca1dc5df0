/* report/call_tree.c - see call_tree.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/name.h"

#define NODES_MAX 8000U
/* Deeper rows would say little, and recursion needs a limit. */
#define DEPTH_MAX     48U
#define DEPTH_MAX_ALL 250U

#define ROW_PERCENT   1.0 /* the least of a row */
#define MODULES       8U  /* noted of what is hidden below a frame */
#define MODULES_SHOWN 3U

struct module {
    uint32_t name; /* in names */
    double weight;
};

/* A frame that may have a row. */
struct node {
    uint32_t parent;
    uint32_t frame; /* SC_NONE: the root */
    uint32_t line;
    double line_weight;
    uint32_t depth;
    double self;
    double total;
    uint32_t hidden; /* frames folded into it */
    struct module modules[MODULES];
    size_t module_count;
};

struct builder {
    const struct sc_profile *profile;
    struct sc_stacks stacks;
    struct sc_stack_tree tree;
    SC_VEC(struct node) nodes; /* parents come before their children */
    struct sc_map children;
    struct sc_map hidden; /* which frames are counted already */
    struct sc_intern names;
    uint32_t *order; /* nodes by parent, most expensive first */
    uint32_t *first; /* of each node, in order; one more at the end */
    bool is_all;
    bool is_cut;
};

/* -------- folding -------- */

static const struct sc_frame *frame_at(const struct builder *builder, uint32_t frame)
{
    return &builder->stacks.frames.items[frame];
}

static const char *text_at(const struct builder *builder, uint32_t text)
{
    return sc_intern_text(&builder->stacks.texts, text);
}

/* What runs before a module's own code: every program and every import has it. */
static bool is_machinery(const char *path)
{
    return strncmp(path, "<frozen importlib", 17) == 0 || strcmp(path, "<frozen runpy>") == 0 ||
           sc_ends_with(path, "/runpy.py") || sc_ends_with(path, "/importlib/__init__.py") ||
           sc_ends_with(path, "/importlib/_bootstrap.py") ||
           sc_ends_with(path, "/importlib/_bootstrap_external.py");
}

/* The part of a library's path that people know it by: "json/decoder.py". */
static const char *library_path(const char *path)
{
    static const char *const roots[] = {"/site-packages/", "/dist-packages/"};
    const char *short_path = NULL;
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        for (const char *at = path; (at = strstr(at, roots[i])) != NULL;)
            short_path = at += strlen(roots[i]);
    }
    for (const char *at = path; short_path == NULL && (at = strstr(at, "/python3.")) != NULL;) {
        at += strlen("/python3.");
        const char *slash = at + strspn(at, "0123456789t");
        if (*slash == '/')
            short_path = slash + 1;
    }
    return short_path != NULL ? short_path : path;
}

/* Notes that a frame is folded into a node. */
static void hide(struct builder *builder, uint32_t into, const struct sc_stack_tree_node *from)
{
    struct node *node = &builder->nodes.items[into];
    uint64_t key = (uint64_t)into << 32 | from->frame;
    if (sc_map_get(&builder->hidden, key) == SC_NONE) {
        sc_map_put(&builder->hidden, key, 0);
        node->hidden++;
    }
    const char *path = library_path(text_at(builder, frame_at(builder, from->frame)->path));
    if (path[0] == '/') /* not in a place of libraries: the file alone */
        path = strrchr(path, '/') + 1;
    if (path[0] == '\0')
        path = text_at(builder, frame_at(builder, from->frame)->name);
    size_t length = strcspn(path, "/");
    if (length > 3 && strncmp(path + length - 3, ".py", 3) == 0)
        length -= 3;
    uint32_t name = sc_intern_add(&builder->names, path, length);
    size_t i = 0;
    while (i < node->module_count && node->modules[i].name != name)
        i++;
    if (i == MODULES)
        return;
    if (i == node->module_count)
        node->modules[node->module_count++] = (struct module){name, 0.0};
    node->modules[i].weight += from->total;
}

static uint32_t child_of(struct builder *builder, uint32_t parent, uint32_t frame)
{
    uint64_t key = (uint64_t)parent << 32 | frame;
    uint32_t at = sc_map_get(&builder->children, key);
    if (at != SC_NONE)
        return at;
    at = (uint32_t)builder->nodes.count;
    sc_map_put(&builder->children, key, at);
    unsigned depth = builder->nodes.items[parent].depth + 1;
    sc_vec_push(&builder->nodes, (struct node){.parent = parent, .frame = frame, .depth = depth});
    return at;
}

/* The node that has a frame's time, when its caller's time is at parent. */
static uint32_t place_of(struct builder *builder, uint32_t parent,
                         const struct sc_stack_tree_node *from)
{
    const struct sc_frame *frame = frame_at(builder, from->frame);
    const struct node *above = &builder->nodes.items[parent];
    if (above->depth >= (builder->is_all ? DEPTH_MAX_ALL : DEPTH_MAX)) {
        builder->is_cut = true;
        hide(builder, parent, from);
        return parent;
    }
    if (builder->is_all)
        return child_of(builder, parent, from->frame);
    if (!sc_frame_is_python(frame) || is_machinery(text_at(builder, frame->path)) ||
        above->frame == from->frame)
        return parent;
    bool is_inside = frame->kind == SC_FRAME_LIBRARY && above->frame != SC_NONE &&
                     frame_at(builder, above->frame)->kind == SC_FRAME_LIBRARY;
    if (is_inside) {
        hide(builder, parent, from);
        return parent;
    }
    return child_of(builder, parent, from->frame);
}

static void fold(struct builder *builder)
{
    const struct sc_stack_tree *tree = &builder->tree;
    uint32_t *to = sc_alloc(tree->nodes.count, sizeof(*to));
    sc_vec_push(&builder->nodes, (struct node){.frame = SC_NONE});
    builder->nodes.items[0].self = tree->nodes.items[0].self;
    for (size_t i = 1; i < tree->nodes.count; i++) {
        const struct sc_stack_tree_node *from = &tree->nodes.items[i];
        to[i] = place_of(builder, to[from->parent], from);
        struct node *node = &builder->nodes.items[to[i]];
        node->self += from->self;
        if (node->frame == from->frame && from->total > node->line_weight) {
            node->line_weight = from->total;
            node->line = from->line;
        }
    }
    free(to);
    for (size_t i = builder->nodes.count; i-- > 0;) {
        struct node *node = &builder->nodes.items[i];
        node->total += node->self;
        if (i > 0)
            builder->nodes.items[node->parent].total += node->total;
    }
}

/* -------- order -------- */

SC_POINTERS_ORDERED_BY(compare_nodes, struct node, SC_RISING(parent), SC_FALLING(total),
                       SC_ORDER(a, b));

static void sort(struct builder *builder)
{
    size_t count = builder->nodes.count;
    builder->order = sc_alloc(count, sizeof(*builder->order));
    builder->first = sc_alloc(count + 1, sizeof(*builder->first));
    const struct node **nodes = sc_alloc(count, sizeof(*nodes)); /* all but the root */
    for (size_t i = 1; i < count; i++)
        nodes[i - 1] = &builder->nodes.items[i];
    qsort(nodes, count - 1, sizeof(*nodes), compare_nodes);
    for (size_t i = 1; i < count; i++)
        builder->order[i - 1] = (uint32_t)(nodes[i - 1] - builder->nodes.items);
    free(nodes);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        builder->first[i] = at;
        while (at < count - 1 && builder->nodes.items[builder->order[at]].parent == i)
            at++;
    }
    builder->first[count] = at;
}

/* -------- rows -------- */

static double percent_of(const struct builder *builder, double weight)
{
    double whole = builder->nodes.items[0].total;
    return whole > 0.0 ? 100.0 * weight / whole : 0.0;
}

static char *place_text(const struct builder *builder, const struct node *node)
{
    const struct sc_frame *frame = frame_at(builder, node->frame);
    const char *path = text_at(builder, frame->path);
    if (frame->kind == SC_FRAME_LIBRARY)
        path = library_path(path);
    else if (!sc_frame_is_python(frame))
        path = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    else
        path = sc_report_name(builder->profile, path);
    return node->line > 0 ? sc_format("%s:%u", path, node->line) : sc_strdup(path);
}

static char *hidden_text(const struct builder *builder, const struct node *node)
{
    struct sc_str text = {0};
    struct module modules[MODULES];
    size_t count = node->module_count;
    if (node->hidden == 0)
        return NULL;
    memcpy(modules, node->modules, sizeof(modules));
    for (size_t i = 1; i < count; i++) {
        for (size_t k = i; k > 0 && modules[k - 1].weight < modules[k].weight; k--) {
            struct module moved = modules[k];
            modules[k] = modules[k - 1];
            modules[k - 1] = moved;
        }
    }
    sc_str_add_format(&text, "%u hidden: ", node->hidden);
    for (size_t i = 0; i < count && i < MODULES_SHOWN; i++)
        sc_str_add_format(&text, "%s%s", i > 0 ? ", " : "",
                          sc_intern_text(&builder->names, modules[i].name));
    if (count > MODULES_SHOWN)
        sc_str_add(&text, ", ...");
    return text.data;
}

static struct sc_call_row row_of(const struct builder *builder, const struct node *node)
{
    double second = builder->stacks.is_timed ? 1.0 : 0.0;
    const struct sc_frame *frame = frame_at(builder, node->frame);
    return (struct sc_call_row){
        .depth = node->depth - 1,
        .kind = frame->kind,
        .name = sc_strdup(text_at(builder, frame->name)),
        .place = place_text(builder, node),
        .hidden = hidden_text(builder, node),
        .total_percent = percent_of(builder, node->total),
        .self_percent = percent_of(builder, node->self),
        .total_s = node->total * second,
        .self_s = node->self * second,
    };
}

/* One row for all that a node calls and that has none. */
static void add_rest(const struct builder *builder, uint32_t depth, double weight, size_t count,
                     struct sc_call_tree *ret_tree)
{
    if (percent_of(builder, weight) < ROW_PERCENT)
        return;
    struct sc_call_row row = {
        .depth = depth,
        .is_rest = true,
        .is_last = true,
        .name = count > 0 ? sc_format("%zu more, each below 1%%", count)
                          : sc_strdup("native code without Python frames"),
        .place = sc_strdup(""),
        .total_percent = percent_of(builder, weight),
        .total_s = builder->stacks.is_timed ? weight : 0.0,
    };
    if (count == 0) {
        row.self_percent = row.total_percent;
        row.self_s = row.total_s;
    }
    sc_vec_push(&ret_tree->rows, row);
}

/* The rows of what a node calls; as deep as DEPTH_MAX_ALL. */
static void add_rows(const struct builder *builder, uint32_t at, struct sc_call_tree *ret_tree)
{
    uint32_t end = builder->first[at + 1];
    uint32_t depth = at > 0 ? builder->nodes.items[at].depth : 0;
    size_t last = SIZE_MAX;
    double rest = 0.0;
    size_t rest_count = 0;
    for (uint32_t i = builder->first[at]; i < end; i++) {
        const struct node *node = &builder->nodes.items[builder->order[i]];
        if (!builder->is_all && percent_of(builder, node->total) < ROW_PERCENT) {
            rest += node->total;
            rest_count++;
            continue;
        }
        last = ret_tree->rows.count;
        sc_vec_push(&ret_tree->rows, row_of(builder, node));
        add_rows(builder, builder->order[i], ret_tree);
    }
    size_t before = ret_tree->rows.count;
    if (rest_count > 0)
        add_rest(builder, depth, rest, rest_count, ret_tree);
    if (at == 0)
        add_rest(builder, depth, builder->nodes.items[0].self, 0, ret_tree);
    if (ret_tree->rows.count == before && last != SIZE_MAX)
        ret_tree->rows.items[last].is_last = true;
    else if (ret_tree->rows.count == before + 2)
        ret_tree->rows.items[before].is_last = false;
}

void sc_call_tree_init(struct sc_call_tree *tree, const struct sc_profile *profile, bool is_all,
                       uint32_t unit)
{
    SC_AUTO_FREE struct builder *builder = sc_alloc(1, sizeof(*builder));
    builder->profile = profile;
    builder->is_all = is_all;
    *tree = (struct sc_call_tree){0};
    sc_stacks_init(&builder->stacks, profile);
    size_t count = builder->stacks.lists[SC_STACKS_TIME].count;
    double *weights = sc_alloc(count > 0 ? count : 1, sizeof(*weights));
    if (unit != SC_NONE)
        sc_stacks_weigh_unit(&builder->stacks, profile, unit, SC_STACKS_TIME, weights);
    for (size_t i = 0; i < count && unit == SC_NONE; i++)
        weights[i] = builder->stacks.lists[SC_STACKS_TIME].items[i].weight;
    sc_stack_tree_init(&builder->tree, &builder->stacks, SC_STACKS_TIME, SC_GRAIN_FUNCTION, weights,
                       NULL, NODES_MAX);
    free(weights);
    fold(builder);
    sort(builder);
    if (builder->nodes.items[0].total > 0.0)
        add_rows(builder, 0, tree);
    tree->is_timed = builder->stacks.is_timed;
    tree->is_cut = builder->is_cut || builder->stacks.is_cut;
    tree->total_s = tree->is_timed ? builder->nodes.items[0].total : 0.0;
    sc_stack_tree_done(&builder->tree);
    sc_stacks_done(&builder->stacks);
    sc_map_done(&builder->children);
    sc_map_done(&builder->hidden);
    sc_intern_done(&builder->names);
    sc_vec_done(&builder->nodes);
    free(builder->order);
    free(builder->first);
}

void sc_call_tree_done(struct sc_call_tree *tree)
{
    for (size_t i = 0; i < tree->rows.count; i++) {
        free(tree->rows.items[i].name);
        free(tree->rows.items[i].place);
        free(tree->rows.items[i].hidden);
    }
    sc_vec_done(&tree->rows);
}
