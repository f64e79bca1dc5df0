/*
 * agent/hook_mask.h - which threads may tick: those that do not block the signal.
 *
 * Masks are the kernel's. The hooks pass them on as they come and only notice: before a thread
 * blocks the tick signal its timer is stopped, so that no tick can be pending for it, and when it
 * unblocks it the timer goes on. A thread that blocks it is read from outside.
 *
 * A mask that changes unseen (by a raw system call, siglongjmp, a call with a mask of its own such
 * as ppoll, or for the time of a handler) leaves at most one tick pending, which sigwait and its
 * like never hand out, or a thread without ticks. A descriptor hands out everything: once the
 * program has asked for one of the tick signal, the process ticks no more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Whether a tick that comes may be taken; stops the thread's timer otherwise. In the handler. */
bool sc_mask_accepts(void);

/* Whether the calling thread can have no ticks. */
bool sc_mask_is_blocked(void);

/* What sigprocmask does. */
int sc_hook_mask_change(int how, const sigset_t *set, sigset_t *ret_before);
