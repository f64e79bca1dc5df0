/*
 * assist/unseen.h - characters in a proposal that a reader cannot see, or would see as others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/diff.h"
#include "assist/signature.h"

/* One sentence for each line that a proposal adds and in which there are characters that cannot be
 * seen or that change how others are seen (base/visible.h); of many, the first ten. */
void sc_ai_unseen_find(const struct sc_diff *diff, struct sc_ai_sentences *ret_sentences);
