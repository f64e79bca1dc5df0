/* agent/own_stack.c - see own_stack.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/own_stack.h"

#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/rules.h"
#include "agent/state.h"

/* On a stack of the program's own, bytes less than this above the stack pointer count as close.
 * Code that moves whole stacks begins at the frame that called it. */
#define NEAR_BYTES 16384U

/* The kernel keeps as much address space free below the first thread's stack as RLIMIT_STACK
 * allows, but not an unlimited amount. */
#define MAIN_BYTES_MAX ((uint64_t)1 << 30)

static void keep(uint64_t end, uint64_t bytes)
{
    sc_agent_thread.stack_end = end;
    sc_agent_thread.stack_bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* pthread_self() points to libc's thread descriptor, which is at the upper end of the thread's
 * stack. The lowest page is left out, since it may be a guard page. */
void sc_own_stack_begin(size_t bytes)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    uint64_t end = (uint64_t)pthread_self();
    thread->stack_end = 0;
    if (here >= end || end - here >= bytes)
        return;
    keep(end, bytes - 4096);
}

SC_SIGNAL_SAFE void sc_own_stack_find(uint64_t *ret_start, uint64_t *ret_end)
{
    const struct sc_agent_thread *thread = &sc_agent_thread;
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    *ret_start = here;
    *ret_end = here < thread->stack_end && thread->stack_end - here <= thread->stack_bytes
                   ? thread->stack_end
                   : here;
}

/* The kernel has put the file name of the executable (AT_EXECFN) at the upper end of the stack. */
void sc_own_stack_begin_main(void)
{
    struct rlimit limit;
    uint64_t here;
    uint64_t known_end;
    uint64_t end = getauxval(AT_EXECFN);
    sc_own_stack_find(&here, &known_end);
    if (known_end != here || getrlimit(RLIMIT_STACK, &limit) != 0)
        return; /* known, as in the child of a fork by another thread */
    uint64_t bytes = limit.rlim_cur < MAIN_BYTES_MAX ? limit.rlim_cur : MAIN_BYTES_MAX;
    if (here >= end || end - here >= bytes)
        return;
    keep(end, bytes);
}

bool sc_own_stack_room(uint64_t *ret_bytes)
{
    uint64_t start;
    uint64_t end;
    uint64_t bytes = sc_agent_thread.stack_bytes;
    struct rlimit limit;
    stack_t alternate;
    sc_own_stack_find(&start, &end);
    if (sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_ONSTACK) != 0) {
        *ret_bytes = start - (uint64_t)(uintptr_t)alternate.ss_sp;
        return true;
    }
    if (end == start)
        return false;
    /* the limit of the first thread's stack may have been lowered since */
    if (end == getauxval(AT_EXECFN) && getrlimit(RLIMIT_STACK, &limit) == 0 &&
        limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    *ret_bytes = end - start < bytes ? bytes - (end - start) : 0;
    return true;
}

SC_SIGNAL_SAFE bool sc_own_stack_meets(const void *bytes, size_t size)
{
    uint64_t address = (uint64_t)(uintptr_t)bytes;
    uint64_t start;
    uint64_t end;
    sc_own_stack_find(&start, &end);
    if (end == start)
        end = start + NEAR_BYTES;
    return address < end && address + size > start;
}

/* The alternate stack for signals may be an array in this very stack: seen from there, the frame of
 * the interrupted code looks left. */
SC_SIGNAL_SAFE bool sc_own_stack_is_abandoned(uint64_t frame, uint64_t here)
{
    const struct sc_agent_thread *thread = &sc_agent_thread;
    uint64_t end = thread->stack_end;
    stack_t other;
    if (frame > here || here >= end || end - frame > thread->stack_bytes)
        return false;
    return syscall(SYS_sigaltstack, NULL, &other) == 0 &&
           ((other.ss_flags & SS_DISABLE) != 0 ||
            here - (uint64_t)(uintptr_t)other.ss_sp >= other.ss_size);
}
