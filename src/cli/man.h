/*
 * cli/man.h - manual pages, made from the table of options and a hand-written part.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "cli/options.h"

/* Adds the page of a command. more is the hand-written part behind the options, in the man macros,
 * or "". */
void sc_man_page(enum sc_verb verb, const char *more, struct sc_str *ret_text);
