/*
 * cli/rounds_show.h - says what `scalene compare` has found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "benchmark/rounds.h"

/* Which of both is faster, by how much and how surely, in a sentence without a newline. */
void sc_rounds_verdict(const struct sc_rounds *rounds, struct sc_str *text);

/* The verdict and a table of what was measured. commands: as they were written. */
void sc_rounds_text(const struct sc_rounds *rounds, char *const commands[2], struct sc_str *text);

/* The same as a JSON object and a newline (docs/compare.md). places: the JSON text that is the
 * value of "profiles". */
void sc_rounds_json(const struct sc_rounds *rounds, char *const commands[2], const char *places,
                    struct sc_str *text);
