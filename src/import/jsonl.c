/*
 * import/jsonl.c - JSON lines of Tachyon (python -m profiling.sampling --jsonl): how many samples
 * were at each line. It has no stacks.
 *
 * Each line is a record: one about the run, tables of texts and frames in pieces, counts in pieces,
 * and one that says that the file is complete. Runs may follow each other. Facts: Python 3.15,
 * Lib/profiling/sampling/jsonl_collector.py, version 0 of the records.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "import/json_find.h"
#include "import/readers.h"

struct jsonl {
    struct sc_import_tree *tree;
    struct sc_intern texts;
    SC_VEC(uint32_t) strings; /* ids in texts */
    SC_VEC(struct sc_import_frame) frames;
    struct sc_str text;
    double interval_s;
    uint32_t thread;
    bool is_open; /* a run has begun and is not complete */
    struct sc_err *err;
};

/* Reads an item of a list; false, with err set where it says why, where it is damaged. */
typedef bool read_item(struct jsonl *file, struct sc_json_pull *list);

static struct sc_json_pull take_record(const char **at, const char *end)
{
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    stop = stop != NULL ? stop : end;
    struct sc_json_pull record = sc_json_pull_of(*at, (size_t)(stop - *at));
    *at = stop < end ? stop + 1 : end;
    return record;
}

bool sc_jsonl_probe(const char *bytes, size_t length)
{
    struct sc_json_found keys[] = {{.key = "sample_interval_usec"}, {.key = "run_id"}, {0}};
    struct sc_json_pull record = take_record(&bytes, bytes + length);
    return sc_json_find(&record, keys) && keys[0].value.at != NULL && keys[1].value.at != NULL;
}

static uint64_t whole(struct sc_json_found *found)
{
    return found->value.at != NULL ? sc_json_whole(&found->value, UINT64_MAX) : UINT64_MAX;
}

/* Numbers count from 0 on, each once. */
static bool read_string(struct jsonl *file, struct sc_json_pull *list)
{
    struct sc_json_found keys[] = {{.key = "str_id"}, {.key = "value"}, {0}};
    if (!sc_json_find(list, keys) || keys[1].value.at == NULL ||
        whole(&keys[0]) != file->strings.count || file->strings.count >= SC_IMPORT_FRAMES_MAX)
        return false;
    struct sc_import_text text = sc_json_words(&keys[1].value, &file->text);
    sc_vec_push(&file->strings, sc_intern_add(&file->texts, text.bytes, text.length));
    return true;
}

static struct sc_import_text text_of(const struct jsonl *file, uint64_t string)
{
    uint32_t id = file->strings.items[string];
    return (struct sc_import_text){sc_intern_text(&file->texts, id),
                                   sc_intern_length(&file->texts, id)};
}

static bool read_frame(struct jsonl *file, struct sc_json_pull *list)
{
    struct sc_json_found keys[] = {
        {.key = "frame_id"}, {.key = "path_str_id"}, {.key = "func_str_id"}, {.key = "line"}, {0}};
    if (!sc_json_find(list, keys) || whole(&keys[0]) != file->frames.count ||
        file->frames.count >= SC_IMPORT_FRAMES_MAX)
        return false;
    uint64_t path = whole(&keys[1]);
    uint64_t name = whole(&keys[2]);
    if (path >= file->strings.count || name >= file->strings.count)
        return false;
    sc_vec_push(&file->frames, sc_import_frame_of(file->tree, text_of(file, name),
                                                  text_of(file, path), whole(&keys[3]), 0));
    return true;
}

static bool read_count(struct jsonl *file, struct sc_json_pull *list)
{
    struct sc_json_found keys[] = {{.key = "frame_id"}, {.key = "self"}, {0}};
    if (!sc_json_find(list, keys))
        return false;
    uint64_t frame = whole(&keys[0]);
    struct sc_import_time time = {.thread = file->thread, .samples = whole(&keys[1])};
    if (frame >= file->frames.count)
        return false;
    if (time.samples == 0)
        return true;
    time.node = sc_import_call(file->tree, 0, file->frames.items[frame]);
    time.seconds = (double)time.samples * file->interval_s;
    return sc_import_add_time(file->tree, &time, file->err);
}

static bool read_list(struct jsonl *file, struct sc_json_pull list, read_item *read)
{
    size_t at = 0;
    bool good = list.at != NULL;
    while (good && sc_json_next(&list, &at))
        good = read(file, &list);
    return good && !list.failed;
}

static bool begin_run(struct jsonl *file, struct sc_json_found *interval)
{
    file->strings.count = 0;
    file->frames.count = 0;
    file->is_open = true;
    file->interval_s = interval->value.at != NULL ? sc_json_real(&interval->value) / 1e6 : -1;
    return file->interval_s >= 0;
}

/* Records of other kinds are passed over, as their description wants. */
static bool read_record(struct jsonl *file, struct sc_json_pull *record)
{
    struct sc_json_found keys[] = {{.key = "type"},
                                   {.key = "v"},
                                   {.key = "sample_interval_usec"},
                                   {.key = "strings"},
                                   {.key = "frames"},
                                   {.key = "entries"},
                                   {0}};
    if (!sc_json_find(record, keys) || keys[0].value.at == NULL || !sc_json_pull_end(record))
        return false;
    if (whole(&keys[1]) != 0)
        return sc_fail(file->err, SC_ERR_FAILED, "its records are of a version that is not known");
    (void)sc_json_words(&keys[0].value, &file->text);
    const char *type = sc_str_text(&file->text);
    if (strcmp(type, "meta") == 0)
        return !file->is_open && begin_run(file, &keys[2]);
    if (strcmp(type, "string_table") == 0)
        return read_list(file, keys[3].value, read_string);
    if (strcmp(type, "frame_table") == 0)
        return read_list(file, keys[4].value, read_frame);
    if (strcmp(type, "agg") == 0)
        return file->is_open && read_list(file, keys[5].value, read_count);
    file->is_open = file->is_open && strcmp(type, "end") != 0;
    return true;
}

bool sc_jsonl_read(struct sc_import_tree *tree, const char *bytes, size_t length,
                   struct sc_err *err)
{
    struct jsonl file = {.tree = tree, .err = err};
    const char *end = bytes + length;
    bool good = true;
    file.thread = sc_import_thread(tree, 0, 0, "all threads", false);
    for (size_t number = 1; good && bytes < end; number++) {
        struct sc_json_pull record = take_record(&bytes, end);
        good = sc_json_pull_peek(&record) == '\0' || read_record(&file, &record) ||
               sc_fail(err, SC_ERR_FAILED, "line %zu is no such record, or is damaged", number);
    }
    if (good && file.is_open)
        good = sc_fail(err, SC_ERR_FAILED, "it is cut off: its last record is missing");
    if (good && tree->time_ns == 0)
        good = sc_fail(err, SC_ERR_FAILED, "it has no stack that cost something");
    sc_import_note(tree, sc_strdup("the file has numbers of samples at lines, not stacks: who "
                                   "called them is not known"));
    sc_vec_done(&file.strings);
    sc_vec_done(&file.frames);
    sc_intern_done(&file.texts);
    sc_str_done(&file.text);
    return good;
}
