/*
 * agent/profile_builtin.h - adds the decorator `profile`, which marks functions, to the builtins.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Adds the name unless the program's builtins have it already. With the GIL held, when the program
 * begins. */
void sc_profile_builtin_add(void);
