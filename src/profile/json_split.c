/*
 * profile/json_split.c - a large profile read in parts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_split.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/json_pull.h"
#include "profile/json_record.h"
#include "profile/json_stream.h"
#include "profile/json_text.h"

enum { THREADS_MAX = 16 };

/* A piece of the text. */
struct piece {
    const char *text;
    size_t length;
};

struct file_text {
    struct piece name; /* with its quotes */
    struct piece value;
};

struct split {
    struct sc_str rest; /* the outer object without files and lists */
    SC_VEC(struct file_text) files;
    bool has_files;
    struct sc_profile *profile;
    /* shared by the threads */
    atomic_size_t next;
    atomic_bool failed;
};

/* Passes over a value, which is the result. */
static struct piece take_value(struct sc_json_pull *pull)
{
    (void)sc_json_pull_peek(pull);
    const char *start = pull->at;
    sc_json_pull_skip(pull);
    return (struct piece){start, pull->failed ? 0 : (size_t)(pull->at - start)};
}

static bool take_files(struct sc_json_pull *pull, struct split *split)
{
    struct sc_json_name name;
    bool is_first = !split->has_files;
    split->has_files = true;
    if (!is_first || sc_json_pull_peek(pull) != '{')
        return false;
    for (bool more = sc_json_pull_object(pull, &name); more; more = sc_json_pull_key(pull, &name)) {
        struct piece value = take_value(pull);
        sc_vec_push(&split->files, (struct file_text){{name.text - 1, name.length + 2}, value});
    }
    return !pull->failed;
}

/* The field of a list that is kept as text, or NULL. */
static const struct sc_json_field *raw_field(const struct sc_json_name *name)
{
    const struct sc_json_table *table = &sc_json_profile_table;
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].kind == SC_JSON_RAW && sc_json_name_is(name, table->fields[i].key))
            return &table->fields[i];
    }
    return NULL;
}

static bool take_raw(struct sc_json_pull *pull, const struct sc_json_field *field,
                     struct sc_profile *profile)
{
    char *text = NULL;
    char *target = (char *)profile + field->offset;
    memcpy(&text, target, sizeof(text));
    struct piece value = take_value(pull);
    if (text != NULL || value.length < 2 || value.text[0] != '[')
        return false;
    if (value.text[1 + strspn(value.text + 1, " \t\r\n")] == ']')
        return true; /* an empty list is NULL */
    text = sc_strndup(value.text, value.length);
    memcpy(target, &text, sizeof(text));
    return strlen(text) == value.length;
}

static bool take_member(struct sc_json_pull *pull, const struct sc_json_name *name,
                        struct split *split)
{
    const struct sc_json_field *raw = raw_field(name);
    if (memchr(name->text, '\\', name->length) != NULL)
        return false;
    if (sc_json_name_is(name, "files"))
        return take_files(pull, split);
    if (raw != NULL)
        return take_raw(pull, raw, split->profile);
    struct piece value = take_value(pull);
    if (split->rest.length > 1)
        sc_str_add_char(&split->rest, ',');
    sc_str_add_bytes(&split->rest, name->text - 1, name->length + 2);
    sc_str_add_char(&split->rest, ':');
    sc_str_add_bytes(&split->rest, value.text, value.length);
    return !pull->failed;
}

static bool cut(const char *text, size_t length, struct split *split)
{
    struct sc_json_pull pull = sc_json_pull_of(text, length);
    struct sc_json_name name;
    if (sc_json_pull_peek(&pull) != '{')
        return false;
    sc_str_add_char(&split->rest, '{');
    for (bool more = sc_json_pull_object(&pull, &name); more;
         more = sc_json_pull_key(&pull, &name)) {
        if (!take_member(&pull, &name, split))
            return false;
    }
    sc_str_add_char(&split->rest, '}');
    return !pull.failed && sc_json_pull_peek(&pull) == '\0' && pull.at == pull.end &&
           split->has_files;
}

static const struct sc_json_table *file_table(void)
{
    const struct sc_json_table *table = &sc_json_profile_table;
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].kind == SC_JSON_BY_NAME)
            return table->fields[i].table;
    }
    return NULL;
}

static bool read_rest(const struct split *split)
{
    struct sc_err err = {0};
    struct sc_str marked = {0};
    const struct sc_str *text =
        sc_json_mark(split->rest.data, split->rest.length, &marked) ? &marked : &split->rest;
    json_error_t error;
    json_t *root = json_loadb(text->data, text->length, JSON_ALLOW_NUL, &error);
    sc_str_done(&marked);
    bool is_read = root != NULL && json_object_get(root, "files") == NULL &&
                   json_object_set_new(root, "files", json_object()) == 0;
    if (is_read) {
        split->profile->foreign = json_object_get(root, SC_JSON_OWN_KEY) == NULL;
        is_read =
            sc_json_read_record(root, &sc_json_profile_table, (char *)split->profile, NULL, &err);
    }
    json_decref(root);
    return is_read;
}

static bool read_file(const struct split *split, size_t at)
{
    const struct file_text *from = &split->files.items[at];
    struct sc_file *file = &split->profile->files.items[at];
    struct sc_json_stream stream = {.pull = sc_json_pull_of(from->name.text, from->name.length)};
    bool is_read = sc_json_pull_string(&stream.pull, &stream.text);
    file->name = sc_strdup(sc_str_text(&stream.text));
    stream.pull = sc_json_pull_of(from->value.text, from->value.length);
    is_read = is_read && sc_json_stream_record(&stream, file_table(), (char *)file);
    sc_str_done(&stream.text);
    return is_read;
}

static void *read_files(void *given)
{
    struct split *split = given;
    for (;;) {
        size_t at = atomic_fetch_add(&split->next, 1);
        if (at >= split->files.count || atomic_load(&split->failed))
            return NULL;
        if (!read_file(split, at))
            atomic_store(&split->failed, true);
    }
}

/* Each thread takes the next file until there is none; if a thread cannot be started, the others
 * read its files. */
static bool read_all_files(struct split *split)
{
    pthread_t threads[THREADS_MAX];
    size_t started = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = processors > 1 ? (size_t)processors - 1 : 0;
    size_t count = split->files.count;
    split->profile->files.items = sc_alloc(count + 1, sizeof(struct sc_file));
    split->profile->files.count = split->profile->files.capacity = count;
    while (started < wanted && started < THREADS_MAX && started + 1 < count &&
           pthread_create(&threads[started], NULL, read_files, split) == 0)
        started++;
    (void)read_files(split);
    while (started > 0)
        (void)pthread_join(threads[--started], NULL);
    return !atomic_load(&split->failed);
}

/* In order; false when a name is there twice. */
static bool sort_files(struct sc_profile *profile)
{
    if (profile->files.count > 1)
        qsort(profile->files.items, profile->files.count, sizeof(struct sc_file),
              sc_json_order_files);
    for (size_t i = 1; i < profile->files.count; i++) {
        if (strcmp(profile->files.items[i - 1].name, profile->files.items[i].name) == 0)
            return false;
    }
    return true;
}

bool sc_json_read_split(const char *text, size_t length, struct sc_profile *ret_profile)
{
    struct sc_profile profile = {0};
    struct split split = {.profile = &profile};
    bool is_read = cut(text, length, &split) && read_rest(&split) && read_all_files(&split) &&
                   sort_files(&profile);
    sc_str_done(&split.rest);
    sc_vec_done(&split.files);
    if (is_read)
        *ret_profile = profile;
    else
        sc_profile_done(&profile);
    return is_read;
}
