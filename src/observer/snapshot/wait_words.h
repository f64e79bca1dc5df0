/*
 * observer/snapshot/wait_words.h - what a blocked thread waits for, in words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/str.h"
#include "observer/snapshot/model.h"
#include "observer/system/procfs.h"

/* By the functions of Python's library that it waits in, such as "waits for an item of a queue";
 * NULL when these say nothing. */
const char *sc_wait_of_library(const struct sc_snapshot_frames *frames);

/* The TCP sockets of a process's network, read when the first one is asked for. */
struct sc_sockets {
    bool are_read;
    struct sc_map places; /* inode -> where its words begin */
    struct sc_str words;  /* each ended by a zero */
};

void sc_sockets_done(struct sc_sockets *sockets);

/* By its system call, such as "reads from file 5 (a pipe)". To be freed. */
char *sc_wait_of_call(pid_t pid, const struct sc_blocked *blocked, struct sc_sockets *sockets);
