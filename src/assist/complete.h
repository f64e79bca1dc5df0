/*
 * assist/complete.h - whether the code of an answer is all of it, and no more.
 *
 * Services break off, end a block early where a docstring has a fence in it, write "..." for what
 * is to stay, or give the whole function for some lines of it. This is read from the text alone, as
 * with signature.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

/* Both are texts of whole files, since a place need not be complete in itself. One sentence,
 * without a full stop, on what is wrong with the new one alone; NULL where nothing is. */
const char *sc_ai_incomplete(const char *old, size_t old_length, const char *text, size_t length);
