/*
 * cli/output_file.h - where a command writes what it makes of a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

struct sc_err;
struct sc_str;

/* The name beside which the output lies: the input's own; of a pipe, or of a file that is open
 * (/dev/stdin), the other one, which is here. Borrowed. */
const char *sc_output_beside(const char *input, const char *other);

/* Whether both are one regular file. */
bool sc_output_is_same(const char *one, const char *other);

/* Writes all to standard output. */
bool sc_output_stdout(const struct sc_str *bytes, struct sc_err *err);
