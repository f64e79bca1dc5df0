/*
 * profile/json_read.c - a profile from JSON text, ours or the original's.
 *
 * The text may come from anywhere: what does not fit is refused with the key it is at, unknown keys
 * are ignored, keys that are missing leave 0 or empty, and of a key that is there twice the first
 * counts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "profile/json_record.h"
#include "profile/profile.h"
#include "profile/sparse.h"

/* Records may take so much memory: any profile of this size, and of a larger text so many times its
 * length. A record may be written as "{}". */
#define ROOM_BYTES ((size_t)64 << 20)
#define ROOM_PARTS 16U
#define ROOM_MAX   (2 * SC_PROFILE_BYTES_MAX)

static size_t room_for(size_t length)
{
    size_t room = ROOM_BYTES + ROOM_PARTS * length;
    return room < ROOM_MAX ? room : ROOM_MAX;
}

/* {} and {"scalene_c": ...} are empty profiles: they need no "files". */
static bool read_root(struct sc_json_reader *reader, struct sc_profile *profile)
{
    bool seen[SC_JSON_FIELDS_MAX] = {false};
    size_t members = 0;
    if (!sc_json_read_members(reader, &sc_json_profile_table, (char *)profile, NULL, seen,
                              &members) ||
        !sc_json_pull_end(&reader->pull))
        return false;
    bool has_own = seen[sc_json_field_at(&sc_json_profile_table, SC_JSON_OWN_KEY)];
    profile->foreign = members > 0 && !has_own;
    if (members == (has_own ? 1 : 0))
        seen[sc_json_field_at(&sc_json_profile_table, "files")] = true;
    return sc_json_complete(&sc_json_profile_table, seen, (char *)profile, NULL, reader->err);
}

static bool read_text(const char *text, size_t length, struct sc_profile *ret_profile,
                      struct sc_err *err)
{
    struct sc_profile profile = {0};
    struct sc_err cause = {0};
    struct sc_json_reader reader = {.pull = sc_json_pull_of(text, length),
                                    .err = &cause,
                                    .texts = &profile.texts,
                                    .room_bytes = room_for(length)};
    bool is_read = read_root(&reader, &profile);
    sc_str_done(&reader.text);
    if (is_read) {
        *ret_profile = profile;
        return true;
    }
    sc_profile_done(&profile);
    return cause.kind != SC_ERR_NONE ? sc_fail(err, cause.kind, "%s", cause.text)
                                     : sc_json_pull_explain(&reader.pull, err);
}

bool sc_profile_from_json(const char *text, size_t length, struct sc_profile *ret_profile,
                          struct sc_err *err)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (length > SC_PROFILE_BYTES_MAX)
        return sc_fail(err, SC_ERR_FAILED, "not a profile: it is larger than %zu MB",
                       SC_PROFILE_BYTES_MAX >> 20U);
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (!read_text(text, length, ret_profile, err))
        return false;
    sc_profile_complete(ret_profile);
    return true;
}
