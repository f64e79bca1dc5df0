/* mcp/shorten.c - see shorten.h. SPDX-License-Identifier: Apache-2.0 */
#include "mcp/shorten.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

/* Of a number; more say more than is known. */
#define DIGITS 4

/* Bytes of a text that are kept in any case. */
#define TEXT_MIN 60U

static bool says_nothing(const json_t *value)
{
    return json_is_null(value) ||
           (json_is_number(value) && !(fabs(json_number_value(value)) > 0.0)) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}

static json_t *short_text(const json_t *value, const struct sc_mcp_limits *limits)
{
    const char *text = json_string_value(value);
    size_t prefix = strlen(limits->root);
    if (prefix > 1 && sc_starts_with(text, limits->root) && text[prefix] == '/')
        text += prefix + 1;
    if (strlen(text) <= limits->text)
        return json_string(text);
    int fits = (int)sc_utf8_fit(text, strlen(text), limits->text);
    SC_AUTO_FREE char *cut = sc_format("%.*s ...", fits, text);
    return json_string(cut);
}

static json_t *shortened(const json_t *value, const struct sc_mcp_limits *limits);

static json_t *short_list(const json_t *list, const struct sc_mcp_limits *limits)
{
    size_t count = json_array_size(list);
    bool is_pair = count == 2 && !json_is_object(json_array_get(list, 0));
    size_t kept = is_pair ? count : limits->items;
    json_t *result = json_array();
    for (size_t i = 0; i < count && i < kept; i++)
        (void)json_array_append_new(result, shortened(json_array_get(list, i), limits));
    if (count > kept) {
        SC_AUTO_FREE char *text = sc_format("%zu more are left out", count - kept);
        (void)json_array_append_new(result, json_string(text));
    }
    return result;
}

static json_t *short_object(const json_t *object, const struct sc_mcp_limits *limits)
{
    json_t *result = json_object();
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)object, key, member)
    {
        json_t *changed = shortened(member, limits);
        if (limits->is_sparse && says_nothing(changed))
            json_decref(changed);
        else
            (void)json_object_set_new(result, key, changed);
    }
    return result;
}

/* NOLINTNEXTLINE(misc-no-recursion): jansson limits how deep a text may be */
static json_t *shortened(const json_t *value, const struct sc_mcp_limits *limits)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        return short_text(value, limits);
    case JSON_ARRAY:
        return short_list(value, limits);
    case JSON_OBJECT:
        return short_object(value, limits);
    default:
        return json_deep_copy(value);
    }
}

char *sc_mcp_shorten(const json_t *value, struct sc_mcp_limits limits, size_t bytes)
{
    for (;;) {
        json_t *copy = shortened(value, &limits);
        char *text = json_dumps(copy, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
        json_decref(copy);
        if (text == NULL || strlen(text) <= bytes)
            return text;
        free(text);
        if (limits.items <= 1 && limits.text <= TEXT_MIN)
            return NULL;
        limits.items = limits.items > 1 ? limits.items / 2 : 1;
        limits.text = limits.text > TEXT_MIN ? limits.text / 2 : TEXT_MIN;
    }
}
