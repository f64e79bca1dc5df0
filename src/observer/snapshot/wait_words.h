/*
 * observer/snapshot/wait_words.h - what a blocked thread waits for, in words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/snapshot/model.h"
#include "observer/system/procfs.h"

/* By the functions of Python's library that it waits in, such as "waits for an item of a queue";
 * NULL when these say nothing. */
const char *sc_wait_of_library(const struct sc_snapshot_frames *frames);

/* By its system call, such as "reads from file 5 (a pipe)". To be freed. */
char *sc_wait_of_call(pid_t pid, const struct sc_blocked *blocked);
