/*
 * observer/system/remote.h - memory of another process, or of its core file, a page at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include "cpython/target.h"

struct sc_core;
struct sc_remote_pages;

/* A small cache of pages, for one look at a thread: call sc_remote_forget before each. */
struct sc_remote {
    pid_t pid;
    struct sc_core *core;          /* read this file of it instead, or NULL; not owned */
    bool forbidden;                /* the system does not let us read the process */
    struct sc_remote_pages *pages; /* owned; 1 MB, NULL until something is read */
};

/* Reads pieces of the process, each into one of the same length; returns the bytes that were read
 * before the first that could not be, or -1. Sets ret_forbidden where the system does not let us;
 * else it is untouched. */
ssize_t sc_remote_readv(pid_t pid, const struct iovec *to, const struct iovec *from, size_t count,
                        bool *ret_forbidden);

void sc_remote_forget(struct sc_remote *remote);

/* Frees the pages; the process may be read again. To be called when a process has ended: a tree may
 * have thousands of those. */
void sc_remote_done(struct sc_remote *remote);

/* The page of that number of the process, NULL when it cannot be read. */
typedef const unsigned char *sc_remote_page(void *context, uint64_t number);

/* Copies from pages, one after the other; false when one of them cannot be read. */
bool sc_remote_copy(sc_remote_page *find_page, void *context, uint64_t address, void *bytes,
                    size_t length);

/* sc_target's read function; context is a struct sc_remote. */
bool sc_remote_read(void *context, uint64_t address, void *bytes, size_t length);
