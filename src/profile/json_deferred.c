/*
 * profile/json_deferred.c - the large parts of a profile's JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_deferred.h"

#include <stdlib.h>
#include <string.h>

static bool defer(struct sc_json_reader *reader, const struct sc_json_place *place,
                  struct sc_json_part part)
{
    struct sc_str words = {0};
    if (!sc_json_pull_defer(&reader->pull, &part.value))
        return false;
    sc_json_place_add(place, &words);
    part.place = sc_str_take(&words);
    sc_vec_push(&reader->deferred->parts, part);
    return true;
}

bool sc_json_defer_list(struct sc_json_reader *reader, const struct sc_json_field *field,
                        char *target, const struct sc_json_place *place)
{
    return defer(reader, place, (struct sc_json_part){.field = field, .target = target});
}

bool sc_json_defer_files(struct sc_json_reader *reader, const struct sc_json_field *field,
                         const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    struct sc_profile *profile = reader->deferred->profile;
    if (!sc_json_expect(reader, '{', "an object", place))
        return false;
    for (bool more = sc_json_pull_object(pull, &inner.key); more;
         more = sc_json_pull_key(pull, &inner.key)) {
        struct sc_json_name quoted = {inner.key.text - 1, inner.key.length + 2};
        struct sc_json_pull name = sc_json_pull_part(pull, &quoted);
        if (!sc_json_pull_string(&name, &reader->text))
            return false;
        char *file_name = sc_strndup(sc_str_text(&reader->text), reader->text.length);
        sc_vec_push(&profile->files, (struct sc_file){.name = file_name});
        inner.key = (struct sc_json_name){file_name, strlen(file_name)};
        if (!defer(reader, &inner,
                   (struct sc_json_part){.field = field, .file = profile->files.count - 1}))
            return false;
    }
    return !pull->failed;
}

void sc_json_deferred_done(struct sc_json_deferred *deferred)
{
    for (size_t i = 0; i < deferred->parts.count; i++)
        free(deferred->parts.items[i].place);
    sc_vec_done(&deferred->parts);
}
