/*
 * agent/safe_read.h - reads of our own memory that cannot fault.
 *
 * Before the first load from a page the kernel is asked whether it can be read: rt_sigprocmask with
 * an impossible "how" copies the set first, so it answers EFAULT or EINVAL and changes nothing.
 * That costs one short system call per page and sample, and spares the program a SIGSEGV handler of
 * ours in front of its own (docs/design/0001-safe-reads.md). A page that another thread unmaps
 * between question and load would still fault; the frames of the interrupted thread and what they
 * refer to are alive, so only a stray pointer into memory that is being unmapped could meet that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/memory.h"

#define SC_SAFE_PAGES 64

/* Pages found readable. Initialise with {0}; scratch.h says for how long they count. */
struct sc_safe_reader {
    uint64_t sure_start; /* readable for sure, while they say so: the reader's own stack */
    uint64_t sure_end;   /* sure_start: nothing is */
    uint64_t pages[SC_SAFE_PAGES]; /* page number + 1 */
};

/* sc_memory's read function; context is a struct sc_safe_reader. Async-signal-safe; changes errno.
 */
bool sc_safe_read(void *context, uint64_t address, void *bytes, size_t length);
