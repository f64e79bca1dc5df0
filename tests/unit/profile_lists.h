/*
 * tests/unit/profile_lists.h - profiles of a JSON text, and the lists of a profile as JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"
#include "sc_test.h"

static inline struct sc_profile profile_from(const char *text)
{
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    if (!sc_profile_from_json(text, strlen(text), &profile, &err))
        fail_msg("%s", err.text);
    return profile;
}

/* The members of a profile without files. */
__attribute__((format(printf, 1, 2))) static inline struct sc_profile
profile_of(const char *members, ...)
{
    struct sc_str text = {0};
    char *spelt = NULL;
    va_list arguments;
    va_start(arguments, members);
    assert_true(vasprintf(&spelt, members, arguments) >= 0);
    va_end(arguments);
    sc_str_add_format(&text, "{\"files\":{},%s}", spelt);
    struct sc_profile profile = profile_from(sc_str_text(&text));
    profile.foreign = false; /* for want of "scalene_c" */
    sc_str_done(&text);
    free(spelt);
    return profile;
}

/* The list with that key of a profile that has files, on one line. To be freed. */
static inline char *list_of(const struct sc_profile *profile, const char *key)
{
    struct sc_str json = {0};
    struct sc_str list = {0};
    sc_profile_to_json(profile, &json);
    SC_AUTO_FREE char *begin = sc_format("\"%s\": [", key);
    const char *at = strstr(sc_str_text(&json), begin);
    assert_non_null(at);
    unsigned depth = 0;
    for (at += strlen(begin) - 1; depth > 0 || list.length == 0; at++) {
        depth += *at == '[';
        depth -= *at == ']';
        if (*at == '\n')
            at += strspn(at + 1, " ");
        else
            sc_str_add_char(&list, *at);
    }
    sc_str_done(&json);
    return sc_str_take(&list);
}
