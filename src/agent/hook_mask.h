/*
 * agent/hook_mask.h - stops the ticks of threads that block the tick signal.
 *
 * The hooks pass signal masks on to the kernel unchanged and only watch them: before a thread
 * blocks the tick signal its timer is stopped, so that no tick can be pending for it, and when it
 * unblocks the signal the timer continues. The observer samples such a thread from outside.
 *
 * A mask that changes unseen (by a raw system call, siglongjmp, an old function such as sighold, a
 * call with a mask of its own such as ppoll, or for the time of a handler) leaves at most one tick
 * pending, which sigwait and similar functions never return, or a thread without ticks. A signalfd
 * returns every signal: once the program has created one for the tick signal, the process has no
 * more ticks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Whether a tick that has arrived may take a sample; stops the thread's timer otherwise. In the
 * handler. */
bool sc_mask_accepts(void);

/* Whether the calling thread can have no ticks: it blocks the tick signal, or the program has a
 * signalfd for it. */
bool sc_mask_is_blocked(void);

/* Changes the calling thread's mask, as sigprocmask does. */
int sc_hook_mask_change(int how, const sigset_t *set, sigset_t *ret_before);
