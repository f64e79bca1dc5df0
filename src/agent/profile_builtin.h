/*
 * agent/profile_builtin.h - the name `profile` among the builtins: a decorator that marks
 * functions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Adds the name unless the program's builtins have it already. With the GIL held, when the program
 * begins. */
void sc_profile_builtin_add(void);
