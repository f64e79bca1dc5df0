/*
 * assist/apply.h - writes a proposal into its file, and keeps a copy of the old file beside it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/answer.h"

/* Replaces the file in one step, its mode and line endings kept, and keeps the old text in a new
 * file beside it, whose path is *ret_backup (owned by the caller). Refuses when the file is not,
 * line by line, what was recorded, is no *.py, or lies outside the directory of the program
 * (root.h), links resolved. */
bool sc_ai_apply(const struct sc_ai_proposal *proposal, char **ret_backup, struct sc_err *err);

/* The proposal's whole text with the line endings of the bytes. */
void sc_ai_with_endings(const struct sc_ai_proposal *proposal, const struct sc_str *bytes,
                        struct sc_str *ret_text);
