/*
 * profile/json_lists.h - takes long lists of stacks out of a profile's text before it is parsed.
 *
 * They are kept as text anyway. A parser would build a tree of objects of them first: for a
 * timeline of a million runs that takes seconds and a gigabyte.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum { SC_JSON_LISTS = 4 };

/* The values of the four keys of lists of stacks, in the order of struct sc_profile.stacks_json. */
struct sc_json_lists {
    char *texts[SC_JSON_LISTS]; /* checked, without blanks; NULL: not taken. Owned */
};

/* Takes the lists that are longer than least_bytes and puts the text with [] in their places into
 * ret_rest. False, with nothing set, when there is none, or when anything is not as it should be:
 * the text is to be parsed as it is then, which finds the error and says it. */
bool sc_json_take_lists(const char *text, size_t length, size_t least_bytes,
                        struct sc_json_lists *ret_lists, struct sc_str *ret_rest);

void sc_json_lists_done(struct sc_json_lists *lists);
