/*
 * unwind/fetch.h - the register through which the evaluation loop fetches its code units.
 *
 * The compiler chooses it for each build. The loop's machine code shows which it is: a code unit is
 * 16 bits, and one register is by far the most frequent base of 16-bit loads, one for each
 * dispatch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "unwind/unwind.h"

/* Its index in the values of sc_context_pointers, or -1 when no register stands out. Reads the
 * machine code in the ranges; called once, at start. */
int sc_fetch_register(const struct sc_eval_ranges *ranges);
