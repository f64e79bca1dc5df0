/*
 * page/query.h - the text of a question: a path and named values, percent-encoded.
 *
 *     api/file?file=3&mode=hot
 *
 * The text may come from anywhere. Nothing is kept: values are looked for in the text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Borrows from the text it was read from. */
struct sc_query {
    const char *path; /* as it was written, not decoded; ends at path_length */
    size_t path_length;
    const char *values; /* behind '?'; "" without any */
};

struct sc_query sc_query_read(const char *text);

bool sc_query_path_is(const struct sc_query *query, const char *path);

/* Whether every name and value decodes: no bad escape, no NUL. */
bool sc_query_decodes(const struct sc_query *query);

/* The decoded value, "" for one without '='; the first where a name is there twice. NULL when there
 * is none, or it does not decode: a bad escape, or a NUL. To be freed. */
char *sc_query_text(const struct sc_query *query, const char *name);

/* A whole number from 0 to limit; fallback when the name is not there. */
bool sc_query_count(const struct sc_query *query, const char *name, uint64_t limit,
                    uint64_t fallback, uint64_t *ret_count, struct sc_err *err);

/* A finite number; fallback when the name is not there. */
bool sc_query_number(const struct sc_query *query, const char *name, double fallback,
                     double *ret_number, struct sc_err *err);
