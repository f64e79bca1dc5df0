/*
 * agent/interrupted_call.h - a tick does not hide that another signal interrupted a system call.
 *
 * A call that waits ends with EINTR where a signal comes whose handler was set without SA_RESTART.
 * A tick may be delivered together with such a signal, and before it: the kernel takes signals that
 * were sent to the thread first. Our handler restarts calls, so the kernel would make this one
 * again, and a program that waits for nothing but the signal would wait for good. While our handler
 * blocks signals, another thread may take one that was sent to the process (retarget_shared_pending
 * in the kernel's signal.c). So the first look comes before the sample and makes the signal one for
 * this thread. Where it comes too late and nothing is left that could have ended the call, it is
 * concluded that there was a signal.
 *
 * Only processors whose registers tell that a call has begun are served: x86-64, unless the kernel
 * uses FRED. On others the call is made again, as before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Reads the kernel's version. */
void sc_interrupted_call_init(void);

/* What is to happen with a system call that the kernel will make again after our handler. */
enum sc_call_end {
    SC_CALL_GOES_ON,
    SC_CALL_ENDED,           /* by a signal that is delivered after our handler */
    SC_CALL_ENDED_ELSEWHERE, /* the program's handler runs in another thread */
};

/* Whether another signal has ended the system call when the handler begins; info, context: the
 * handler's arguments. To be called between sc_agent_enter and sc_agent_leave, with all signals
 * blocked. Makes system calls. Async-signal-safe; changes errno. */
enum sc_call_end sc_interrupted_call(const siginfo_t *info, const void *context);

/* Likewise, for the signals that have come since. */
enum sc_call_end sc_interrupted_call_meanwhile(const void *context);

/* Lets a call that has ended return EINTR: changes context. */
void sc_interrupted_call_end(void *context, enum sc_call_end end);
