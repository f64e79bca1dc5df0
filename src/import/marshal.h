/*
 * import/marshal.h - reads the part of Python's marshal format that profiles are written in: texts,
 * numbers, tuples and dicts.
 *
 * Strict: any other type, a reference to what is not complete (as in a cycle), a text or a list
 * that is longer than the bytes, and bytes behind the value are errors. Facts: Python/marshal.c of
 * CPython 2.7 to 3.15, versions 0 to 5 of the format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

/* More values are refused: a profile of so many has 300,000 functions. */
#define SC_MARSHAL_VALUES_MAX ((size_t)1 << 22U)

enum sc_marshal_kind {
    SC_MARSHAL_OTHER,
    SC_MARSHAL_NUMBER,
    SC_MARSHAL_TEXT,
    SC_MARSHAL_TUPLE,
    SC_MARSHAL_DICT
};

struct sc_marshal_value {
    enum sc_marshal_kind kind;
    uint32_t count; /* bytes of a text, items of a tuple, keys and values of a dict */
    union {
        double number;
        const char *text; /* borrowed from the bytes */
        size_t first;     /* in items */
    };
};

/* Initialise with {0}. */
struct sc_marshal {
    SC_VEC(struct sc_marshal_value) values;
    SC_VEC(uint32_t) items; /* of tuples and dicts: indices of values */
    SC_VEC(uint32_t) refs;  /* values that may be referred to; SC_NONE: not complete */
    SC_VEC(uint32_t) interned;
    SC_VEC(uint32_t) open; /* items of the containers that are being read */
    const char *at;
    const char *end;
};

/* Reads one value, the last of values then. */
bool sc_marshal_read(struct sc_marshal *marshal, const char *bytes, size_t length,
                     struct sc_err *err);
void sc_marshal_done(struct sc_marshal *marshal);

/* An item of a tuple or a dict: key, value, key, ... */
static inline const struct sc_marshal_value *
sc_marshal_item(const struct sc_marshal *marshal, const struct sc_marshal_value *of, size_t index)
{
    return &marshal->values.items[marshal->items.items[of->first + index]];
}
