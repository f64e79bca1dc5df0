/*
 * cpython/value.h - values of built-in types, and any object as a short text, read through a
 * callback.
 *
 * No method of an object is called, so an instance of another class is shown by its class and
 * address alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/attributes.h"

/* An int, or a bool, that fits. */
bool sc_integer_read(const struct sc_python *python, uint64_t object, int64_t *ret_value);

/* How many members a tuple has; 0 for anything else. */
size_t sc_tuple_count(const struct sc_python *python, uint64_t tuple);
bool sc_tuple_item(const struct sc_python *python, uint64_t tuple, size_t index,
                   uint64_t *ret_item);

/* Writes what repr would show of an object of a built-in type, shortened, in one line: at most
 * capacity - 1 bytes, with a NUL. */
void sc_value_text(const struct sc_python *python, uint64_t object, char *text, size_t capacity);
