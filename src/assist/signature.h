/*
 * assist/signature.h - what callers notice of a proposal: functions and classes of the lines it
 * replaces that are gone or are called in another way.
 *
 * This is read from the text alone, as no code of a proposal is run or compiled unless the user
 * asks for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "base/vec.h"

/* Adds one sentence, without a full stop, for each function or class of the old lines that the new
 * ones do not define, or define with other parameters, defaults, bases or decorators, as a
 * coroutine or a generator when it was none, or the other way round. Annotations and definitions
 * within a function do not matter to callers. */
void sc_ai_signature_changes(const char *old, size_t old_length, const char *code,
                             size_t code_length, struct sc_texts *ret_sentences);
