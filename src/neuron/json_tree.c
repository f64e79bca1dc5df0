/*
 * neuron/json_tree.c - any parsed JSON as text again.
 *
 * The parser limits how deep the value is nested.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "neuron/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "neuron/json_marks.h"

static void write_object(struct sc_json_out *out, const json_t *object)
{
    SC_AUTO_FREE const char **keys = sc_alloc(json_object_size(object) + 1, sizeof(*keys));
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) keys[count++] = key;
    qsort(keys, count, sizeof(*keys), sc_by_text);
    sc_json_begin(out, '{');
    for (size_t i = 0; i < count; i++) {
        SC_AUTO_FREE char *name = sc_json_unmark(keys[i], strlen(keys[i]));
        sc_json_key(out, name);
        sc_json_write_tree(out, json_object_get(object, keys[i]));
    }
    sc_json_end(out, '}');
}

static void write_list(struct sc_json_out *out, const json_t *list)
{
    sc_json_begin(out, '[');
    for (size_t i = 0; i < json_array_size(list); i++)
        sc_json_write_tree(out, json_array_get(list, i));
    sc_json_end(out, ']');
}

void sc_json_write_tree(struct sc_json_out *out, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_object(out, value);
        break;
    case JSON_ARRAY:
        write_list(out, value);
        break;
    case JSON_STRING: {
        SC_AUTO_FREE char *text =
            sc_json_unmark(json_string_value(value), json_string_length(value));
        sc_json_string(out, text);
        break;
    }
    case JSON_INTEGER:
        sc_json_integer(out, json_integer_value(value));
        break;
    case JSON_REAL:
        sc_json_number(out, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        sc_json_bool(out, json_is_true(value));
        break;
    case JSON_NULL:
        sc_json_null(out);
        break;
    }
}
