/*
 * tests/forged/looks.h - what the kernel and the memory of a process that never ran say when the
 * observer looks at it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "channel/format.h"
#include "cpython/layout.h"
#include "observer/process/process.h"

/* Where the memory of the interpreter lies, for struct sc_segment. */
void looks_describe(const struct sc_layout *layout, struct sc_segment_facts *ret_facts);

/* Reads the rest of the input, and lets the process live through it: each part is its records and a
 * look (forged.py, Forged.look). */
void looks_run(struct sc_process *process, void (*looked)(void *context, uint64_t now_ns),
               void *context);
