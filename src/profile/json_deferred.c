/*
 * profile/json_deferred.c - the large parts of a profile's JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_deferred.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/json_raw.h"
#include "profile/json_record.h"

/* A shorter text is not worth threads. */
#define THREADS_FROM_BYTES ((size_t)1 << 20)

enum { THREADS_MAX = 16 };

static bool defer(struct sc_json_reader *reader, const struct sc_json_place *place,
                  struct sc_json_part part)
{
    struct sc_str key = {0};
    if (!sc_json_pull_defer(&reader->pull, &part.value))
        return false;
    sc_json_place_add(place, &key);
    part.key = sc_str_take(&key);
    part.place.key = (struct sc_json_name){part.key, strlen(part.key)};
    sc_vec_push(&reader->deferred->parts, part);
    return true;
}

bool sc_json_defer_list(struct sc_json_reader *reader, const struct sc_json_field *field,
                        char *target, const struct sc_json_place *place)
{
    return defer(reader, place, (struct sc_json_part){.field = field, .target = target});
}

bool sc_json_defer_files(struct sc_json_reader *reader, const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    struct sc_json_deferred *deferred = reader->deferred;
    if (!sc_json_expect(reader, '{', "an object", place))
        return false;
    for (bool more = sc_json_pull_object(pull, &inner.key); more;
         more = sc_json_pull_key(pull, &inner.key)) {
        struct sc_json_name quoted = {inner.key.text - 1, inner.key.length + 2};
        struct sc_json_pull name = sc_json_pull_part(pull, &quoted);
        if (!sc_json_pull_string(&name, &reader->text))
            return false;
        char *file_name = sc_strndup(sc_str_text(&reader->text), reader->text.length);
        sc_vec_push(&deferred->profile->files, (struct sc_file){.name = file_name});
        inner.key = (struct sc_json_name){file_name, strlen(file_name)};
        if (!defer(reader, &inner, (struct sc_json_part){.file = deferred->file_count++}))
            return false;
    }
    return !pull->failed;
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

static bool read_part(struct sc_json_deferred *deferred, const struct sc_json_part *part,
                      struct sc_err *err)
{
    struct sc_json_reader reader = {.pull = sc_json_pull_part(deferred->whole, &part->value),
                                    .err = err};
    bool is_read = part->field != NULL
                       ? sc_json_read_raw(&reader, part->field->shape, part->target, &part->place)
                       : sc_json_read_record(&reader, file_table(),
                                             (char *)&deferred->profile->files.items[part->file],
                                             &part->place);
    is_read = is_read && sc_json_pull_end(&reader.pull);
    if (!is_read && err->kind == SC_ERR_NONE)
        (void)sc_json_pull_explain(&reader.pull, err);
    sc_str_done(&reader.text);
    return is_read;
}

/* Parts are taken in the order of the text: those before one that is wrong are all read. */
static void *read_parts(void *given)
{
    struct sc_json_deferred *deferred = given;
    for (;;) {
        size_t at = atomic_fetch_add(&deferred->next, 1);
        if (at >= deferred->parts.count || at > atomic_load(&deferred->first_failed))
            return NULL;
        if (read_part(deferred, &deferred->parts.items[at], &deferred->errors[at]))
            continue;
        size_t first = atomic_load(&deferred->first_failed);
        while (at < first && !atomic_compare_exchange_weak(&deferred->first_failed, &first, at)) {
        }
    }
}

/* Each thread takes the next part until there is none; if a thread cannot be started, the others
 * read its parts. */
static void read_with_threads(struct sc_json_deferred *deferred, size_t length)
{
    pthread_t threads[THREADS_MAX];
    size_t started = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = length >= THREADS_FROM_BYTES && processors > 1 ? (size_t)processors - 1 : 0;
    while (started < wanted && started < THREADS_MAX && started + 1 < deferred->parts.count &&
           pthread_create(&threads[started], NULL, read_parts, deferred) == 0)
        started++;
    (void)read_parts(deferred);
    while (started > 0)
        (void)pthread_join(threads[--started], NULL);
}

struct order {
    const char *name;
    size_t file;
};

static int by_name(const void *left, const void *right)
{
    const struct order *first = left;
    const struct order *second = right;
    int sign = strcmp(first->name, second->name);
    return sign != 0 ? sign : (first->file > second->file) - (first->file < second->file);
}

/* Of files with the same name, the first is kept. */
static void sort_files(struct sc_profile *profile)
{
    size_t count = profile->files.count;
    size_t kept = 0;
    struct order *order = sc_alloc(count + 1, sizeof(*order));
    struct sc_file *sorted = sc_alloc(count + 1, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        order[i] = (struct order){profile->files.items[i].name, i};
    qsort(order, count, sizeof(*order), by_name);
    for (size_t i = 0; i < count; i++) {
        struct sc_file *file = &profile->files.items[order[i].file];
        if (kept > 0 && strcmp(sorted[kept - 1].name, file->name) == 0)
            sc_file_done(file);
        else
            sorted[kept++] = *file;
    }
    free(order);
    free(profile->files.items);
    profile->files.items = sorted;
    profile->files.count = kept;
    profile->files.capacity = count + 1;
}

bool sc_json_read_deferred(struct sc_json_deferred *deferred, const struct sc_json_pull *whole,
                           struct sc_err *err)
{
    deferred->whole = whole;
    deferred->errors = sc_alloc(deferred->parts.count + 1, sizeof(*deferred->errors));
    atomic_store(&deferred->first_failed, SIZE_MAX);
    read_with_threads(deferred, (size_t)(whole->end - whole->text));
    sort_files(deferred->profile);
    size_t failed = atomic_load(&deferred->first_failed);
    if (failed == SIZE_MAX)
        return true;
    return sc_fail(err, deferred->errors[failed].kind, "%s", deferred->errors[failed].text);
}

void sc_json_deferred_done(struct sc_json_deferred *deferred)
{
    for (size_t i = 0; i < deferred->parts.count; i++)
        free(deferred->parts.items[i].key);
    sc_vec_done(&deferred->parts);
    free(deferred->errors);
}
