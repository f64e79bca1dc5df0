/*
 * costs/made_place.h - names for code that exec or eval makes of a text, which Python itself always
 * calls "<string>".
 *
 * While a run is collected such a name has the whole path of the file with the line that makes the
 * code, "<exec@/project/prog.py:9>", so that scope can be decided by the path. In a profile it
 * has the file's name alone, "<exec@prog.py:9>", or "<eval@prog.py:9>" where that is what the line
 * calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/collect.h"

#define SC_MADE_OF_TEXT "<string>"

/* The code to record for code, whose caller is parent: one with a new name if its file is
 * "<string>" and its innermost Python caller is the line that made it, or other code made by that
 * line; else code itself. */
uint32_t sc_made_code(struct sc_collect *collect, uint32_t parent, uint32_t code);

/* The file of the line that made the code of such a name, to be freed; NULL for any other name. */
char *sc_made_by(const char *name, uint32_t *ret_line);

/* Whether the name is "<exec@...>" or "<eval@...>". */
bool sc_is_made_place(const char *name);

/* "<exec@prog.py:9>", to be freed. is_eval: with "eval" in place of "exec". */
char *sc_made_shown(const char *maker, uint32_t line, bool is_eval);
