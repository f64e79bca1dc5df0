/*
 * cli/interpreter.h - which Python runs the program, and whether it can be profiled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* Takes the interpreter of the package that has started us, which __main__.py passes to commands
 * without --python, out of the environment: programs of the user's do not get it. Call it first. */
void sc_interpreter_take_own(void);
/* That interpreter, or NULL. */
const char *sc_interpreter_own(void);

/* The word that the next function would choose, unchecked, and where it comes from
 * ("$VIRTUAL_ENV"). Owned by the caller; NULL when there is none. */
char *sc_interpreter_word(const char *python, const char **ret_origin);

/* The word to start the interpreter with: python (what --python gave, or NULL), else our package's,
 * else that of the active virtual environment, else python3 or python on PATH. Owned by the caller.
 * False when there is none, or when it is one that cannot be profiled: 32-bit, static, for another
 * libc, set-uid, too old. */
bool sc_interpreter_choose(const char *python, char **ret_word, struct sc_err *err);

/* The same as the path of the file that the word means. NULL when there is none. */
char *sc_interpreter_find(const char *python, struct sc_err *err);
