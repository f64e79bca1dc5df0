/*
 * neuron/json_tree.h - JSON that the parser takes, and any parsed JSON as text again, as the
 * profile's own writer puts it.
 *
 * Python writes bytes that are not UTF-8 as lone surrogates (\udc80..\udcff), which no parser of
 * strict JSON accepts. Before parsing, each becomes a mark: U+FDD0, which Unicode keeps for uses
 * inside a program, and two hexadecimal digits. U+FDD0 itself becomes the mark 00.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>

#include "base/json_out.h"

/* Adds the JSON text with its surrogate escapes marked; surrogates that stand for no byte become
 * U+FFFD. Returns false, having added nothing, when there is nothing to mark. */
bool sc_json_mark(const char *text, size_t length, struct sc_str *ret_marked);

/* A string of the parsed text with the marks turned into the bytes they stand for. It ends at its
 * first NUL, if it has one. To be freed. */
char *sc_json_unmark(const char *text, size_t length);

/* Adds the value, keys sorted. The text it was parsed from had been marked (sc_json_mark). */
void sc_json_write_tree(struct sc_json_out *out, const json_t *value);
