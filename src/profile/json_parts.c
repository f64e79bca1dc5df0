/*
 * profile/json_parts.c - reads the large parts of a profile's JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/json_raw.h"
#include "profile/json_record.h"

/* A shorter text is not worth threads. */
#define THREADS_FROM_BYTES ((size_t)1 << 20)

enum { THREADS_MAX = 16 };

/* Shared by the threads. */
struct reading {
    struct sc_json_deferred *deferred;
    const struct sc_json_pull *whole;
    atomic_size_t next;         /* part to be read */
    atomic_size_t first_failed; /* SIZE_MAX: none */
    struct sc_err *errors;      /* of each part */
};

static bool read_part(struct reading *reading, const struct sc_json_part *part, struct sc_err *err)
{
    struct sc_json_reader reader = {.pull = sc_json_pull_part(reading->whole, &part->value),
                                    .err = err};
    const struct sc_json_field *field = part->field;
    const struct sc_json_place place = {.key = {part->place, strlen(part->place)}};
    struct sc_file *files = reading->deferred->profile->files.items;
    bool is_read =
        field->kind == SC_JSON_RAW
            ? sc_json_read_raw(&reader, field->shape, part->target, &place)
            : sc_json_read_record(&reader, field->table, (char *)&files[part->file], &place);
    is_read = is_read && sc_json_pull_end(&reader.pull);
    if (!is_read && err->kind == SC_ERR_NONE)
        (void)sc_json_pull_explain(&reader.pull, err);
    sc_str_done(&reader.text);
    return is_read;
}

/* Parts are taken in the order of the text: those before one that is wrong are all read. */
static void *read_parts(void *given)
{
    struct reading *reading = given;
    for (;;) {
        size_t at = atomic_fetch_add(&reading->next, 1);
        if (at >= reading->deferred->parts.count || at > atomic_load(&reading->first_failed))
            return NULL;
        if (read_part(reading, &reading->deferred->parts.items[at], &reading->errors[at]))
            continue;
        size_t first = atomic_load(&reading->first_failed);
        while (at < first && !atomic_compare_exchange_weak(&reading->first_failed, &first, at)) {
        }
    }
}

/* Each thread takes the next part until there is none; if a thread cannot be started, the others
 * read its parts. */
static void read_with_threads(struct reading *reading, size_t length)
{
    pthread_t threads[THREADS_MAX];
    size_t started = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = length >= THREADS_FROM_BYTES && processors > 1 ? (size_t)processors - 1 : 0;
    while (started < wanted && started < THREADS_MAX &&
           started + 1 < reading->deferred->parts.count &&
           pthread_create(&threads[started], NULL, read_parts, reading) == 0)
        started++;
    (void)read_parts(reading);
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

bool sc_json_read_parts(struct sc_json_deferred *deferred, const struct sc_json_pull *whole,
                        struct sc_err *err)
{
    struct reading reading = {
        .deferred = deferred,
        .whole = whole,
        .first_failed = SIZE_MAX,
        .errors = sc_alloc(deferred->parts.count + 1, sizeof(*reading.errors)),
    };
    read_with_threads(&reading, (size_t)(whole->end - whole->text));
    sort_files(deferred->profile);
    size_t failed = atomic_load(&reading.first_failed);
    if (failed != SIZE_MAX)
        (void)sc_fail(err, reading.errors[failed].kind, "%s", reading.errors[failed].text);
    free(reading.errors);
    return failed == SIZE_MAX;
}
