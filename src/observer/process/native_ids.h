/*
 * observer/process/native_ids.h - the kernel's numbers of threads, for a Python that does not know
 * them (up to 3.10), or knows wrong ones, as in a process that C code has forked (uWSGI).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "cpython/threads.h"

/* Sets native_id of the entries that have none of tids and whose ident, which is pthread_self(),
 * points at a structure with the number of one of the process's threads. tids: all of them, in the
 * process's own namespace. *offset: where the structure has it, 0 when that is not known yet: then
 * it is the word in which most of the first ones have the number of a thread, each of another. */
void sc_native_ids_find(const struct sc_target *target, struct sc_thread_entry *entries,
                        size_t entry_count, const pid_t *tids, size_t tid_count, uint32_t *offset);
