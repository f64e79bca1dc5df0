/*
 * profile/json_deferred.h - the large parts of a profile's JSON text, files and lists of stacks:
 * where they are, to be read afterwards (json_parts.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "profile/json_values.h"
#include "profile/profile.h"

/* A list, or one of the files. */
struct sc_json_part {
    struct sc_json_name value;
    char *place;                       /* in words; owned */
    const struct sc_json_field *field; /* of the list, or of all files */
    char *target;                      /* of a list: a char * */
    size_t file;                       /* of a file: which one */
};

/* Initialise all but the profile with 0. */
struct sc_json_deferred {
    struct sc_profile *profile;
    SC_VEC(struct sc_json_part) parts; /* in the order of the text */
};

/* Records where the next value is, to be read later, and passes over it. */
bool sc_json_defer_files(struct sc_json_reader *reader, const struct sc_json_field *field,
                         const struct sc_json_place *place);
bool sc_json_defer_list(struct sc_json_reader *reader, const struct sc_json_field *field,
                        char *target, const struct sc_json_place *place);

void sc_json_deferred_done(struct sc_json_deferred *deferred);
