/*
 * import/gecko.c - Firefox Profiler's JSON in its processed form, as Tachyon writes it (--gecko),
 * or the profiler itself.
 *
 * Tables of numbers that refer to each other by index: samples to stacks, stacks to the stack
 * around and a frame, frames to functions, functions to texts. Format:
 * https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.ts, version 70; older
 * ones by docs-developer/CHANGELOG-formats.md there. Until version 59 each thread has its tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "import/json_find.h"
#include "import/readers.h"

#define INDICES_MAX ((size_t)1 << 22U)

struct indices {
    SC_VEC(uint32_t) items; /* SC_NONE: null */
};

/* The tables of one thread that lists of numbers are read from. */
enum table {
    STACK_FRAME,
    STACK_PREFIX,
    STACK_OFFSET, /* how far before it the stack around stands, from version 66 on */
    FRAME_FUNC,
    FRAME_LINE,
    FUNC_NAME,
    FUNC_FILE,
    FUNC_SOURCE, /* in place of a file, from version 58 on */
    FUNC_RESOURCE,
    RESOURCE_NAME,
    SOURCE_NAME,
    TABLES
};

struct gecko {
    struct sc_import_tree *tree;
    struct sc_intern texts;
    struct indices strings; /* of the list of texts: ids in texts */
    struct indices tables[TABLES];
    struct indices nodes; /* of stacks */
    struct indices depths;
    bool is_shared; /* the tables are those of all threads */
    double interval_s;
    struct sc_str text;
    struct sc_err *err;
};

bool sc_gecko_probe(const char *bytes, size_t length)
{
    struct sc_json_found keys[] = {{.key = "meta"}, {.key = "threads"}, {0}};
    return sc_json_has(bytes, length, keys);
}

static bool read_indices(struct gecko *file, struct sc_json_pull list, struct indices *ret_indices)
{
    size_t at = 0;
    ret_indices->items.count = 0;
    while (list.at != NULL && sc_json_next(&list, &at) && at <= INDICES_MAX) {
        uint64_t number = sc_json_whole(&list, SC_NONE);
        sc_vec_push(&ret_indices->items, number < SC_NONE ? (uint32_t)number : SC_NONE);
    }
    return (!list.failed && at <= INDICES_MAX) ||
           sc_fail(file->err, SC_ERR_FAILED, "a table is damaged, or has more than %zu rows",
                   INDICES_MAX);
}

/* Row index of a table, SC_NONE where there is none. */
static uint32_t row(const struct indices *indices, uint32_t index)
{
    return index < indices->items.count ? indices->items.items[index] : SC_NONE;
}

static bool read_strings(struct gecko *file, struct sc_json_pull list)
{
    size_t at = 0;
    file->strings.items.count = 0;
    while (sc_json_next(&list, &at)) {
        struct sc_import_text text = sc_json_words(&list, &file->text);
        sc_vec_push(&file->strings.items, sc_intern_add(&file->texts, text.bytes, text.length));
    }
    return !list.failed || sc_fail(file->err, SC_ERR_FAILED, "its list of texts is damaged");
}

static struct sc_import_text text_of(const struct gecko *file, uint32_t string)
{
    uint32_t id = row(&file->strings, string);
    if (id == SC_NONE)
        return (struct sc_import_text){"", 0};
    return (struct sc_import_text){sc_intern_text(&file->texts, id),
                                   sc_intern_length(&file->texts, id)};
}

static struct sc_import_frame frame_of(struct gecko *file, uint32_t frame)
{
    uint32_t function = row(&file->tables[FRAME_FUNC], frame);
    uint32_t line = row(&file->tables[FRAME_LINE], frame);
    uint32_t path = row(&file->tables[FUNC_FILE], function);
    if (path == SC_NONE)
        path = row(&file->tables[SOURCE_NAME], row(&file->tables[FUNC_SOURCE], function));
    if (path == SC_NONE)
        path = row(&file->tables[RESOURCE_NAME], row(&file->tables[FUNC_RESOURCE], function));
    return sc_import_frame_of(file->tree, text_of(file, row(&file->tables[FUNC_NAME], function)),
                              text_of(file, path), line != SC_NONE ? line : 0, 0);
}

static uint32_t prefix_of(const struct gecko *file, uint32_t stack)
{
    uint32_t offset = row(&file->tables[STACK_OFFSET], stack);
    if (offset == SC_NONE)
        return row(&file->tables[STACK_PREFIX], stack);
    return offset == 0 ? SC_NONE : stack - (offset <= stack ? offset : 0);
}

/* The stack around stands before a stack. */
static bool make_nodes(struct gecko *file)
{
    const struct indices *frames = &file->tables[STACK_FRAME];
    file->nodes.items.count = file->depths.items.count = 0;
    for (uint32_t i = 0; i < frames->items.count; i++) {
        uint32_t prefix = prefix_of(file, i);
        if (prefix != SC_NONE && prefix >= i)
            return sc_fail(file->err, SC_ERR_FAILED,
                           "a stack is around itself, or before the one around");
        uint32_t depth = prefix != SC_NONE ? file->depths.items.items[prefix] + 1 : 1;
        if (depth > SC_IMPORT_DEPTH_MAX)
            return sc_fail(file->err, SC_ERR_FAILED, "a stack has more than %u frames",
                           SC_IMPORT_DEPTH_MAX);
        uint32_t parent = prefix != SC_NONE ? file->nodes.items.items[prefix] : 0;
        sc_vec_push(&file->nodes.items,
                    sc_import_call(file->tree, parent, frame_of(file, frames->items.items[i])));
        sc_vec_push(&file->depths.items, depth);
    }
    return true;
}

static bool read_tables(struct gecko *file, struct sc_json_found *keys)
{
    struct sc_json_found stacks[] = {
        {.key = "frame"}, {.key = "prefix"}, {.key = "prefixOffset"}, {0}};
    struct sc_json_found frames[] = {{.key = "func"}, {.key = "line"}, {0}};
    struct sc_json_found functions[] = {
        {.key = "name"}, {.key = "fileName"}, {.key = "source"}, {.key = "resource"}, {0}};
    struct sc_json_found resources[] = {{.key = "name"}, {0}};
    struct sc_json_found *const columns[] = {stacks, frames, functions, resources};
    size_t table = 0;
    for (size_t i = 0; i < 4; i++) {
        if (keys[i].value.at == NULL || !sc_json_find(&keys[i].value, columns[i]))
            return sc_fail(file->err, SC_ERR_FAILED, "there is no table '%s'", keys[i].key);
        for (const struct sc_json_found *column = columns[i]; column->key != NULL; column++)
            if (!read_indices(file, column->value, &file->tables[table++]))
                return false;
    }
    return make_nodes(file);
}

/* One item of a list that may not be there, or be shorter. */
static double next_number(struct sc_json_pull *list, size_t *at, double other)
{
    bool is_list = list->at != NULL && (*at > 0 || sc_json_pull_peek(list) == '[');
    double number = is_list && sc_json_next(list, at) ? sc_json_real(list) : NAN;
    return isfinite(number) ? number : other;
}

/* What the weights of samples are. */
enum weights { WEIGHTS_SAMPLES, WEIGHTS_MS, WEIGHTS_BYTES };

static enum weights weights_of(struct gecko *file, struct sc_json_pull type)
{
    if (type.at == NULL || sc_json_pull_peek(&type) != '"')
        return WEIGHTS_SAMPLES;
    (void)sc_json_words(&type, &file->text);
    const char *name = sc_str_text(&file->text);
    return strcmp(name, "tracing-ms") == 0 ? WEIGHTS_MS
           : strcmp(name, "bytes") == 0    ? WEIGHTS_BYTES
                                           : WEIGHTS_SAMPLES;
}

static bool read_samples(struct gecko *file, struct sc_json_pull samples, uint32_t thread)
{
    struct sc_json_found keys[] = {{.key = "stack"},      {.key = "weight"},     {.key = "time"},
                                   {.key = "weightType"}, {.key = "timeDeltas"}, {0}};
    size_t places[4] = {0};
    double since_ms = 0;
    if (!sc_json_find(&samples, keys) || keys[0].value.at == NULL)
        return sc_fail(file->err, SC_ERR_FAILED, "a thread has no list of stacks");
    enum weights weights = weights_of(file, keys[3].value);
    bool is_counted = weights == WEIGHTS_SAMPLES;
    if (weights == WEIGHTS_BYTES)
        return sc_fail(file->err, SC_ERR_FAILED, "its samples are bytes, not times");
    while (sc_json_next(&keys[0].value, &places[0])) {
        uint64_t stack = sc_json_whole(&keys[0].value, SC_NONE);
        double weight = next_number(&keys[1].value, &places[1], 1);
        since_ms += next_number(&keys[4].value, &places[3], 0);
        double start_ms =
            next_number(&keys[2].value, &places[2], keys[4].value.at != NULL ? since_ms : -1);
        struct sc_import_time time = {
            .thread = thread, .has_start = true, .start_s = start_ms / 1e3};
        if (stack != SC_NONE && stack >= file->nodes.items.count)
            return sc_fail(file->err, SC_ERR_FAILED, "a sample names a stack that there is not");
        time.node = stack != SC_NONE ? file->nodes.items.items[stack] : 0;
        time.seconds = weight * (is_counted ? file->interval_s : 1e-3);
        time.samples = is_counted && weight >= 0 && weight < 1e15 ? (uint64_t)weight : 0;
        if (!sc_import_add_time(file->tree, &time, file->err))
            return false;
    }
    return !keys[0].value.failed ||
           sc_fail(file->err, SC_ERR_FAILED, "a list of stacks is damaged");
}

/* index: counts the file's threads from 1. */
static bool read_thread(struct gecko *file, struct sc_json_pull *list, size_t index)
{
    struct sc_json_found keys[] = {{.key = "stackTable"},
                                   {.key = "frameTable"},
                                   {.key = "funcTable"},
                                   {.key = "resourceTable"},
                                   {.key = "samples"},
                                   {.key = "tid"},
                                   {.key = "name"},
                                   {.key = "isMainThread"},
                                   {.key = "stringArray"},
                                   {.key = "pid"},
                                   {0}};
    if (!sc_json_find(list, keys) || keys[4].value.at == NULL)
        return sc_fail(file->err, SC_ERR_FAILED, "a thread has no samples");
    if (keys[8].value.at != NULL && !read_strings(file, keys[8].value))
        return false;
    uint64_t pid = sc_json_id(&keys[9].value, 0, &file->text);
    uint64_t tid = sc_json_id(&keys[5].value, index, &file->text);
    bool is_main = keys[7].value.at != NULL && sc_json_pull_peek(&keys[7].value) == 't';
    if (keys[6].value.at != NULL)
        (void)sc_json_words(&keys[6].value, &file->text);
    uint32_t thread = sc_import_thread(
        file->tree, pid, tid, keys[6].value.at != NULL ? sc_str_text(&file->text) : NULL, is_main);
    return (file->is_shared || read_tables(file, keys)) &&
           read_samples(file, keys[4].value, thread);
}

/* What threads have in common: texts, then sources, then all tables. */
static bool read_shared(struct gecko *file, struct sc_json_pull *shared)
{
    struct sc_json_found names[] = {{.key = "filename"}, {0}};
    struct sc_json_found keys[] = {{.key = "stackTable"},
                                   {.key = "frameTable"},
                                   {.key = "funcTable"},
                                   {.key = "resourceTable"},
                                   {.key = "stringArray"},
                                   {.key = "sources"},
                                   {0}};
    if (shared->at == NULL || !sc_json_find(shared, keys))
        return true;
    if (keys[4].value.at != NULL && !read_strings(file, keys[4].value))
        return false;
    if (keys[5].value.at != NULL && sc_json_find(&keys[5].value, names) &&
        !read_indices(file, names[0].value, &file->tables[SOURCE_NAME]))
        return false;
    file->is_shared = keys[0].value.at != NULL;
    return !file->is_shared || read_tables(file, keys);
}

static bool read_all(struct gecko *file, struct sc_json_found *keys)
{
    struct sc_json_found meta[] = {{.key = "interval"}, {0}};
    struct sc_json_pull threads = keys[1].value;
    size_t at = 0;
    if (!sc_json_find(&keys[0].value, meta) || meta[0].value.at == NULL)
        return sc_fail(file->err, SC_ERR_FAILED, "it does not say its interval");
    file->interval_s = sc_json_real(&meta[0].value) / 1e3;
    if (!read_shared(file, &keys[2].value))
        return false;
    while (sc_json_next(&threads, &at))
        if (!read_thread(file, &threads, at))
            return false;
    return file->tree->time_ns > 0 ||
           sc_fail(file->err, SC_ERR_FAILED, "it has no stack that cost something");
}

bool sc_gecko_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                   struct sc_err *err)
{
    struct gecko file = {.tree = tree, .err = err};
    struct sc_json_found keys[] = {{.key = "meta"}, {.key = "threads"}, {.key = "shared"}, {0}};
    struct sc_json_pull pull = sc_json_pull_of(bytes, length);
    bool good = false;
    if (!sc_json_find(&pull, keys) && pull.failed)
        (void)sc_json_pull_explain(&pull, err);
    else if (keys[0].value.at == NULL || keys[1].value.at == NULL)
        (void)sc_fail(err, SC_ERR_FAILED, "it has no threads");
    else
        good = read_all(&file, keys);
    for (size_t i = 0; i < TABLES; i++)
        sc_vec_done(&file.tables[i].items);
    sc_vec_done(&file.strings.items);
    sc_vec_done(&file.nodes.items);
    sc_vec_done(&file.depths.items);
    sc_intern_done(&file.texts);
    sc_str_done(&file.text);
    return good;
}
