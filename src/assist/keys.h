/*
 * assist/keys.h - keeps keys of services from other programs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"

/* Adds our environment without the variables that hold keys, and no NULL. */
void sc_ai_keyless_environment(struct sc_texts *ret_entries);

/* From now on no other process of this user can read this one's memory, environment or descriptors,
 * except root's; programs that it starts are not affected. It writes no core file either. */
void sc_ai_shut_process(void);
