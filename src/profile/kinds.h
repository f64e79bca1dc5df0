/*
 * profile/kinds.h - the kinds of time and of waiting that a profile distinguishes, and the
 * modules of its frames that are no file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* What a nanosecond was spent on. These times make up the profile's total (sc_time_counts): a
 * moment is in it once per process, or once per thread that was on a CPU.
 *   name in code, JSON name, what it means */
#define SC_TIMES(X)                                                                                \
    X(PYTHON, "python", "on a CPU, interpreting")                                                  \
    X(NATIVE, "native", "on a CPU, in compiled code called from Python")                           \
    X(KERNEL, "kernel", "on a CPU, in a system call")                                              \
    X(PARALLEL, "parallel_native", "native threads' CPU time on behalf of a waiting line")         \
    X(PREEMPTED_PYTHON, "preempted_python", "runnable without a CPU, was interpreting")            \
    X(PREEMPTED_NATIVE, "preempted_native", "runnable without a CPU, was in compiled code")        \
    X(PREEMPTED_KERNEL, "preempted_kernel", "runnable without a CPU, was in a system call")        \
    X(IO, "io", "nothing on a CPU, waiting for input, output or another process")                  \
    X(SLEEP, "sleep", "nothing on a CPU, asleep")                                                  \
    X(OTHER_WAIT, "other_wait", "nothing on a CPU, blocked for a reason that is not known")

#define X_ENUM(name, json, text) SC_TIME_##name,
enum sc_time { SC_TIMES(X_ENUM) SC_TIME_COUNT_ };
#undef X_ENUM

/* Whether nothing was on a CPU or ready for one. */
static inline bool sc_time_is_waiting(enum sc_time time)
{
    return time == SC_TIME_IO || time == SC_TIME_SLEEP || time == SC_TIME_OTHER_WAIT;
}

static inline double sc_time_sum(const double time_s[SC_TIME_COUNT_])
{
    double sum = 0.0;
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        sum += time_s[i];
    return sum;
}

/* What of it is waiting. */
static inline double sc_time_waiting(const double time_s[SC_TIME_COUNT_])
{
    double sum = 0.0;
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        sum += sc_time_is_waiting((enum sc_time)i) ? time_s[i] : 0.0;
    return sum;
}

/* Why a thread was blocked, whether or not it held the program up. Not part of the total. A
 * thread's own waiting is the sum of these. */
#define SC_WAITS(X)                                                                                \
    X(IO, "io", "input and output")                                                                \
    X(LOCK, "lock", "locks and joins of threads")                                                  \
    X(GIL, "gil", "the interpreter lock")                                                          \
    X(SLEEP, "sleep", "sleep")                                                                     \
    X(CHILD, "child", "other processes")                                                           \
    X(OTHER, "other", "unknown")

#define X_ENUM(name, json, text) SC_WAIT_##name,
enum sc_wait { SC_WAITS(X_ENUM) SC_WAIT_COUNT_ };
#undef X_ENUM

/* JSON names of the two lists above, in their order. */
extern const char *const sc_time_names[SC_TIME_COUNT_];
extern const char *const sc_wait_names[SC_WAIT_COUNT_];

/* Names in place of a module: the kernel in a system call; code made at run time; native code whose
 * frames are not known; and native code between two Python frames that was not read, in place of
 * which shown_stacks.h shows what other stacks have there. */
#define SC_MODULE_KERNEL         "[kernel]"
#define SC_MODULE_DYNAMIC        "[made at run time]"
#define SC_MODULE_UNKNOWN_FRAMES "[native code]"
#define SC_MODULE_UNREAD         "[not read]"

/* Not frames of any code: below them are the frames of threads that work for the line above, and
 * those of a thread that ends the interpreter, which has no Python frame any more. */
#define SC_MODULE_WORKERS "[in worker threads]"
#define SC_MODULE_ENDING  "[ending the interpreter]"
