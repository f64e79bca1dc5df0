/*
 * tests/fuzz/json_fuzz.c - profiles from anywhere: what is read must be written and read the same,
 * and another parser has to take it for JSON, too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "neuron/json_tree.h"
#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Jansson knows no lone surrogates, hence the marks, and has limits where JSON has none. */
static void ask_another_parser(const char *text, size_t size)
{
    struct sc_str marked = {0};
    json_error_t error;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        size -= 3;
    }
    bool is_marked = sc_json_mark(text, size, &marked);
    json_t *root =
        json_loadb(is_marked ? sc_str_text(&marked) : text, is_marked ? marked.length : size,
                   JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    if (root == NULL && json_error_code(&error) != json_error_numeric_overflow &&
        json_error_code(&error) != json_error_null_byte_in_key)
        abort();
    json_decref(root);
    sc_str_done(&marked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_profile profile = {0};
    struct sc_profile again = {0};
    struct sc_err err = {0};
    bool good = sc_profile_from_json((const char *)data, size, &profile, &err);
    if (good != (err.kind == SC_ERR_NONE))
        abort();
    if (!good)
        return 0;
    ask_another_parser((const char *)data, size);
    struct sc_str first = {0};
    struct sc_str second = {0};
    sc_profile_to_json(&profile, &first);
    if (!sc_profile_from_json(first.data, first.length, &again, &err))
        abort();
    sc_profile_to_json(&again, &second);
    if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
        abort();
    sc_str_done(&first);
    sc_str_done(&second);
    sc_profile_done(&profile);
    sc_profile_done(&again);
    return 0;
}
