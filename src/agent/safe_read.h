/*
 * agent/safe_read.h - reads of our own memory that cannot fault.
 *
 * Before the first load from a page a system call checks whether it is readable: rt_sigprocmask
 * with an invalid "how" first copies the set from there, so it fails with EFAULT or EINVAL and
 * changes nothing. That costs one short system call per page and sample, and avoids a SIGSEGV
 * handler of ours in front of the program's (docs/design/0001-safe-reads.md). A page that another
 * thread unmaps between the check and the load would still fault; the frames of the interrupted
 * thread and what they refer to are alive, so only a stray pointer into memory that is being
 * unmapped could cause that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/target.h"

#define SC_SAFE_PAGES 64

/* Pages found readable. Initialise with {0}; scratch.h describes how long they stay valid. */
struct sc_safe_reader {
    uint64_t sure_start; /* start of a range known to be readable: the calling thread's stack */
    uint64_t sure_end;   /* its end; equal to sure_start when there is none */
    uint64_t pages[SC_SAFE_PAGES]; /* page number + 1 */
};

/* sc_target's read function; context is a struct sc_safe_reader. Async-signal-safe; changes errno.
 */
bool sc_safe_read(void *context, uint64_t address, void *bytes, size_t length);
