/*
 * assist/wipe.h - memory that has held a key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"

/* Overwrites and frees a text that may hold a key; NULL is allowed. */
void sc_ai_wipe(char *text);

void sc_ai_wipe_str(struct sc_str *str);
