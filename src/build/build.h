/*
 * build/build.h - from collected stacks to a profile: scope, lines, functions, totals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "build/input.h"

/* Fills files, lines, functions, threads, hidden_files, time_s, wait_s, gc_s and the memory members
 * of ret_profile, reading sources from disk. The caller fills the rest (program, args, elapsed,
 * losses, costs). */
void sc_profile_build(const struct sc_build_input *input, struct sc_profile *ret_profile);
