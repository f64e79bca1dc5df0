/*
 * observer/process/process_pages.h - what a process's own pages show of its blocks (touched.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* Sets pages and touched of a process that is being made, whose followed memory is set. */
void sc_process_pages_begin(struct sc_process *process);

/* Frees what pages and touched hold. */
void sc_process_pages_end(struct sc_process *process);
