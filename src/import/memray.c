/*
 * import/memray.c - what memray exports: `memray transform csv` and gprof2dot, what was allocated
 * when there was most of it, by stack; `memray stats --json`, the places that allocated most in
 * all.
 *
 * (`memray transform speedscope` is read as any other of speedscope's files.) Facts: memray 1.20,
 * reporters/transform.py and stats.py.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "import/json_find.h"
#include "import/readers.h"

static const char csv_head[] = "allocator,num_allocations,size,tid,thread_name,stack_trace";

/* Columns of csv_head. */
enum { COLUMN_COUNT = 1, COLUMN_SIZE = 2, COLUMN_STACK = 5, COLUMNS };

static bool is_csv(const char *bytes, size_t length)
{
    return length > sizeof(csv_head) && memcmp(bytes, csv_head, sizeof(csv_head) - 1) == 0;
}

bool sc_memray_probe(const char *bytes, size_t length)
{
    struct sc_json_found graph[] = {{.key = "events"}, {.key = "functions"}, {.key = "costs"}, {0}};
    struct sc_json_found stats[] = {
        {.key = "total_bytes_allocated"}, {.key = "top_allocations_by_size"}, {0}};
    return is_csv(bytes, length) || sc_json_has(bytes, length, graph) ||
           sc_json_has(bytes, length, stats);
}

/* Takes the next field of a table, which may be in quotes, with what ends it. Returns that: ',',
 * '\n', or 0 at the end. */
static char take_field(struct sc_import_text *text, struct sc_str *field)
{
    bool is_quoted = false;
    sc_str_clear(field);
    while (text->length > 0) {
        char byte = *text->bytes++;
        text->length--;
        if (byte == '"' && is_quoted && text->length > 0 && *text->bytes == '"') {
            text->bytes++;
            text->length--;
        } else if (byte == '"') {
            is_quoted = !is_quoted;
            continue;
        } else if (!is_quoted && (byte == ',' || byte == '\n')) {
            return byte;
        }
        if (byte != '\r' || is_quoted)
            sc_str_add_char(field, byte);
    }
    return '\0';
}

/* Cuts what is behind the last such byte off the end of a text; all of it where there is none. */
static struct sc_import_text cut_last(struct sc_import_text *text, char byte)
{
    size_t at = text->length;
    while (at > 0 && text->bytes[at - 1] != byte)
        at--;
    struct sc_import_text last = {text->bytes + at, text->length - at};
    text->length = at > 0 ? at - 1 : 0;
    return last;
}

/* "function;file;line|...", innermost frame first. */
static bool read_stack(struct sc_import_tree *tree, struct sc_import_text stack, uint32_t *ret_node,
                       struct sc_err *err)
{
    uint32_t node = 0;
    for (size_t depth = 0; stack.length > 0; depth++) {
        struct sc_import_text frame = cut_last(&stack, '|');
        struct sc_import_text number = cut_last(&frame, ';');
        struct sc_import_text file = cut_last(&frame, ';');
        uint64_t line = 0;
        if (depth >= SC_IMPORT_DEPTH_MAX)
            return sc_fail(err, SC_ERR_FAILED, "a stack has more than %u frames",
                           SC_IMPORT_DEPTH_MAX);
        (void)sc_import_take_number(&number, &line);
        node = sc_import_call(tree, node, sc_import_frame_of(tree, frame, file, line, 0));
    }
    *ret_node = node;
    return true;
}

static bool read_row(struct sc_import_tree *tree, struct sc_import_text *text,
                     struct sc_str fields[COLUMNS], struct sc_err *err)
{
    struct sc_import_memory memory = {.is_alive = true};
    char end = ',';
    size_t count = 0;
    for (; count < COLUMNS && end == ','; count++)
        end = take_field(text, &fields[count]);
    if (count == 1 && fields[0].length == 0) /* an empty line */
        return true;
    struct sc_import_text blocks = {sc_str_text(&fields[COLUMN_COUNT]),
                                    fields[COLUMN_COUNT].length};
    struct sc_import_text size = {sc_str_text(&fields[COLUMN_SIZE]), fields[COLUMN_SIZE].length};
    struct sc_import_text stack = {sc_str_text(&fields[COLUMN_STACK]), fields[COLUMN_STACK].length};
    return ((count == COLUMNS && end != ',' && sc_import_take_number(&blocks, &memory.blocks) &&
             blocks.length == 0 && sc_import_take_number(&size, &memory.bytes) &&
             size.length == 0) ||
            sc_fail(err, SC_ERR_FAILED, "it does not have the six fields of memray's")) &&
           read_stack(tree, stack, &memory.node, err) && sc_import_add_memory(tree, &memory, err);
}

static bool read_csv(struct sc_import_tree *tree, struct sc_import_text text, struct sc_err *err)
{
    struct sc_str fields[COLUMNS] = {0};
    struct sc_err cause = {0};
    bool good = true;
    for (size_t i = 0; i < COLUMNS; i++)
        (void)take_field(&text, &fields[i]);
    for (size_t row = 2; good && text.length > 0; row++) {
        good = read_row(tree, &text, fields, &cause);
        if (!good)
            (void)sc_fail(err, SC_ERR_FAILED, "row %zu: %s", row, cause.text);
    }
    for (size_t i = 0; i < COLUMNS; i++)
        sc_str_done(&fields[i]);
    return good;
}

/* -------- JSON -------- */

struct frames {
    SC_VEC(struct sc_import_frame) items;
    SC_VEC(uint64_t) chain;
};

static bool read_functions(struct sc_import_tree *tree, struct sc_json_pull list,
                           struct frames *frames)
{
    struct sc_json_found keys[] = {{.key = "name"}, {.key = "module"}, {0}};
    SC_AUTO(sc_str_done) struct sc_str name = {0};
    SC_AUTO(sc_str_done) struct sc_str module = {0};
    size_t at = 0;
    bool good = true;
    while (good && sc_json_next(&list, &at)) {
        good = at <= SC_IMPORT_FRAMES_MAX && sc_json_find(&list, keys) &&
               keys[0].value.at != NULL && keys[1].value.at != NULL;
        if (good)
            sc_vec_push(&frames->items,
                        sc_import_frame_of(tree, sc_json_words(&keys[0].value, &name),
                                           sc_json_words(&keys[1].value, &module), 0, 0));
    }
    return good && !list.failed && frames->items.items != NULL;
}

/* {"callchain": [innermost, ...], "cost": [bytes]} */
static bool read_event(struct sc_import_tree *tree, struct sc_json_pull *list,
                       struct frames *frames, struct sc_err *err)
{
    struct sc_json_found keys[] = {{.key = "callchain"}, {.key = "cost"}, {0}};
    struct sc_import_memory memory = {.is_alive = true, .bytes = UINT64_MAX};
    size_t at = 0;
    frames->chain.count = 0;
    if (!sc_json_find(list, keys) || keys[0].value.at == NULL || keys[1].value.at == NULL)
        return sc_fail(err, SC_ERR_FAILED, "an event has no callchain or no cost");
    while (sc_json_next(&keys[0].value, &at)) {
        sc_vec_push(&frames->chain, sc_json_whole(&keys[0].value, UINT64_MAX));
        if (at > SC_IMPORT_DEPTH_MAX || frames->chain.items[at - 1] >= frames->items.count)
            return sc_fail(err, SC_ERR_FAILED,
                           "a callchain names a function that there is not, or is too long");
    }
    at = 0;
    if (sc_json_next(&keys[1].value, &at))
        memory.bytes = sc_json_whole(&keys[1].value, UINT64_MAX);
    for (size_t i = frames->chain.count; i-- > 0;)
        memory.node =
            sc_import_call(tree, memory.node, frames->items.items[frames->chain.items[i]]);
    return sc_import_add_memory(tree, &memory, err);
}

static bool read_graph(struct sc_import_tree *tree, const struct sc_json_found *keys,
                       struct sc_err *err)
{
    struct frames frames = {0};
    struct sc_json_pull events = keys[0].value;
    size_t at = 0;
    bool good = read_functions(tree, keys[1].value, &frames);
    if (!good)
        (void)sc_fail(err, SC_ERR_FAILED, "its list of functions is empty or damaged");
    while (good && sc_json_next(&events, &at))
        good = read_event(tree, &events, &frames, err);
    if (good && events.failed)
        good = sc_fail(err, SC_ERR_FAILED, "its list of events is damaged");
    sc_import_note(tree, sc_strdup("memray's file for gprof2dot has no lines: memory stands at the "
                                   "first line of each function; `memray transform csv` has them"));
    sc_vec_done(&frames.items);
    sc_vec_done(&frames.chain);
    return good;
}

/* {"location": "function:file:line", "size": bytes} */
static bool read_allocation(struct sc_import_tree *tree, struct sc_json_pull *list,
                            struct sc_str *text, struct sc_err *err)
{
    struct sc_json_found keys[] = {{.key = "location"}, {.key = "size"}, {0}};
    struct sc_import_memory memory = {0};
    uint64_t line = 0;
    if (!sc_json_find(list, keys) || keys[0].value.at == NULL || keys[1].value.at == NULL)
        return sc_fail(err, SC_ERR_FAILED, "a place has no name or no size");
    struct sc_import_text file = sc_json_words(&keys[0].value, text);
    struct sc_import_text number = cut_last(&file, ':');
    const char *end = memchr(file.bytes, ':', file.length);
    struct sc_import_text name = {file.bytes,
                                  end != NULL ? (size_t)(end - file.bytes) : file.length};
    file.bytes += name.length + (end != NULL);
    file.length -= name.length + (end != NULL);
    (void)sc_import_take_number(&number, &line);
    memory.node = sc_import_call(tree, 0, sc_import_frame_of(tree, name, file, line, 0));
    memory.bytes = sc_json_whole(&keys[1].value, UINT64_MAX);
    return sc_import_add_memory(tree, &memory, err);
}

static bool read_stats(struct sc_import_tree *tree, struct sc_json_found *keys, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_json_pull places = keys[1].value;
    uint64_t before = tree->bytes;
    uint64_t all = sc_json_whole(&keys[0].value, UINT64_MAX);
    size_t at = 0;
    bool good = true;
    while (good && sc_json_next(&places, &at))
        good = read_allocation(tree, &places, &text, err);
    struct sc_import_memory rest = {.bytes = all - (tree->bytes - before)};
    if (good && (places.failed || all < tree->bytes - before))
        good = sc_fail(err, SC_ERR_FAILED, "its places have more than all, or are damaged");
    sc_import_note(tree, sc_strdup("memray's stats have the places that allocated most in all, "
                                   "whether freed or not; the rest is at (no_stack)"));
    return good && sc_import_add_memory(tree, &rest, err);
}

bool sc_memray_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                    struct sc_err *err)
{
    struct sc_json_found keys[] = {{.key = "events"}, {.key = "functions"}, {.key = "costs"}, {0}};
    struct sc_json_found stats[] = {
        {.key = "total_bytes_allocated"}, {.key = "top_allocations_by_size"}, {0}};
    struct sc_import_text text = {bytes, length};
    bool good = false;
    if (is_csv(bytes, length))
        good = read_csv(tree, text, err);
    else if (sc_json_has(bytes, length, keys))
        good = read_graph(tree, keys, err);
    else if (sc_json_has(bytes, length, stats))
        good = read_stats(tree, stats, err);
    else
        return sc_fail(err, SC_ERR_FAILED, "it is none of memray's exports: csv, gprof2dot, stats");
    return good &&
           (tree->bytes > 0 || sc_fail(err, SC_ERR_FAILED, "it has no stack that cost something"));
}
