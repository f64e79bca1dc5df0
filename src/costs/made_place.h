/*
 * costs/made_place.h - names for code that exec or eval makes of a text, where Python itself
 * always says "<string>".
 *
 * While a run is collected such a name has the whole path of the line that makes it,
 * "<exec@/home/u/proj/prog.py:9>", so that scope can be decided by that. Shown it has the file's
 * name alone, "<exec@prog.py:9>", or "<eval@prog.py:9>" where that is what the line calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/collect.h"

#define SC_MADE_OF_TEXT "<string>"

/* The code, under its new name if it has none of its own and is called below parent by the line
 * that made it, or by such code; else the code itself. */
uint32_t sc_made_code(struct sc_collect *collect, uint32_t parent, uint32_t code);

/* The file of the line that made it, to be freed; NULL for any other name. */
char *sc_made_by(const char *name, uint32_t *ret_line);

/* Both kinds of names. */
bool sc_is_made_place(const char *name);

/* "<exec@prog.py:9>", to be freed. is_eval: the other word. */
char *sc_made_shown(const char *maker, uint32_t line, bool is_eval);
