/*
 * cli/optimize_try.h - a proposal of `scalene optimize` is measured and applied, when that is asked
 * for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/answer.h"
#include "cli/options.h"

/* Does what --measure and --apply say, after asking the user where there is a terminal. */
bool sc_optimize_try(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                     bool (*is_cancelled)(void *context), struct sc_err *err);
