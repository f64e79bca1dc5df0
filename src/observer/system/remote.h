/*
 * observer/system/remote.h - memory of another process, or of its core file, by pages.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "cpython/target.h"

struct sc_core;
struct sc_remote_pages;

/* A small cache of pages, for one look at a thread: call sc_remote_forget before each. */
struct sc_remote {
    pid_t pid;
    struct sc_core *core; /* read this file of it instead, or NULL; not owned */
    bool forbidden;       /* the system does not let us read the process */
    bool reads_ahead;     /* pages beside one, too: for walks over many small objects, which
                           * the interpreter keeps close together */
    struct sc_remote_pages *pages; /* owned; NULL until something is read; 1 MB, and 8 when it reads
                                    * ahead, of which the system provides what is used */
};

/* From now on this process is read; what was read of another one is forgotten. */
void sc_remote_use(struct sc_remote *remote, pid_t pid);

void sc_remote_forget(struct sc_remote *remote);

/* Frees the pages; the process may be read again. To be called when a process has ended: a tree may
 * have thousands of those. */
void sc_remote_done(struct sc_remote *remote);

/* One small read of many. */
struct sc_remote_word {
    uint64_t address;
    uint64_t length; /* at most 16 */
    unsigned char bytes[16];
};

/* Reads all words from the process, not from kept pages; false when any cannot be read. */
bool sc_remote_words(struct sc_remote *remote, struct sc_remote_word *words, size_t count);

/* sc_target's read function; context is a struct sc_remote. */
bool sc_remote_read(void *context, uint64_t address, void *bytes, size_t length);

/* The same, of what is there now: for what changes too fast for pages that are kept. */
bool sc_remote_read_now(void *context, uint64_t address, void *bytes, size_t length);
