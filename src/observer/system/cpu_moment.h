/*
 * observer/system/cpu_moment.h - what a thread was doing when its alarm came (cpu_alarm.h): its
 * registers and the innermost bytes of its stack, which the kernel copies at that moment.
 *
 * The record is that of perf_event_open(2): PERF_RECORD_SAMPLE with READ, REGS_USER, STACK_USER.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <linux/perf_event.h>

#include "cpython/target.h"
#include "unwind/record.h"

/* Twenty calls of C functions seldom take more; what lies further out changes seldom. */
#define SC_MOMENT_STACK_BYTES 8192U

/* Of a ring, a power of two: one record, and room for those of its end and its loss. */
#define SC_MOMENT_RING_BYTES 16384U

struct sc_cpu_moment {
    uint64_t clock_ns; /* CPU time of the thread since the alarm was opened */
    bool in_kernel;
    struct sc_registers registers; /* of user code; in a system call those it was made with */
    uint64_t stack_start;
    size_t stack_bytes;
    unsigned char stack[SC_MOMENT_STACK_BYTES];
};

/* Has the event copy what a moment is made of. */
void sc_cpu_moment_ask(struct perf_event_attr *attributes);

/* Empties a ring of ring_bytes, which lie at data, and reads the last moment in it; false when
 * there is none. */
bool sc_cpu_moment_take(struct perf_event_mmap_page *ring, const unsigned char *data,
                        size_t ring_bytes, struct sc_cpu_moment *ret);

/* Whether the thread was in a system call, and not in the kernel for another reason. */
bool sc_cpu_moment_in_call(const struct sc_cpu_moment *moment, const struct sc_target *target);

/* sc_target's read function for memory as it was then, as far as that is known. */
struct sc_cpu_moment_memory {
    const struct sc_cpu_moment *moment;
    const struct sc_target *now;
};
bool sc_cpu_moment_read(void *context, uint64_t address, void *bytes, size_t length);
