/*
 * agent/state.h - what the parts of the agent share: one state per process, one per thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/memory/stream.h"
#include "channel/format.h"
#include "cpython/layout.h"
#include "unwind/unwind.h"

/* The default action of SIGURG is to ignore it, so a tick that is pending across exec harms nobody.
 */
#define SC_TICK_SIGNAL SIGURG

/* PyThreadState_GetUnchecked and PyGILState_GetThisThreadState, which only read thread-locals, and
 * _PyThreadState_UncheckedGet, which reads a variable. */
typedef void *sc_thread_state_getter(void);

struct sc_agent {
    _Atomic bool active;    /* false: dormant, all hooks pass through */
    _Atomic bool is_sealed; /* for good, and no system call may be made any more */
    _Atomic uint32_t busy;  /* threads that may be making system calls of ours */
    pid_t pid;
    struct sc_segment *segment;
    struct sc_pace pace;
    uint64_t jiffy_ns;
    struct sc_layout layout;
    uint64_t code_type;
    uint64_t runtime;
    sc_thread_state_getter *attached_thread_state; /* 3.12 and later, else NULL */
    sc_thread_state_getter *current_thread_state;  /* who has the GIL, up to 3.11, else NULL */
    sc_thread_state_getter *own_thread_state;
    struct sc_eval_ranges eval_ranges;
    uint64_t python_start; /* the module that eval_ranges is in */
    uint64_t python_end;
    uint64_t epoch; /* mixed into what has been told to the observer of this process */
    uint64_t memory_window_bytes; /* 0: memory is not followed */
    bool with_stacks; /* native frames of all evaluation loops, not of the innermost alone */
    bool traces_gpu;  /* what the program's GPUs do, if it uses any */
};

extern struct sc_agent sc_agent __attribute__((visibility("hidden")));

/* Everything the agent keeps per thread. Zero in a thread it does not know. Beside what else is
 * thread-local in a program a whole number of blocks of 64 bytes moves nothing: what the loader has
 * left for libraries that come later stays as much as without us (glibc rounds the sum up to 64).
 * An agent that is loaded late has to fit into that rest itself, so it is no larger than it must
 * be.
 */
struct sc_agent_thread {
    bool registered;
    bool begins_in_python; /* its outermost function is Python's own */
    bool in_handler;
    bool tick_held;           /* SC_TICK_SIGNAL is blocked: it has no ticks */
    bool in_python_allocator; /* what malloc is asked for now is Python's */
    bool saw_realloc;         /* malloc's realloc had a block that may be sampled, since somebody
                               * cleared this */
    bool has_timer;
    bool uses_perf;       /* ticks come from a perf event, too */
    uint8_t waits;        /* how often it has waited, before its last sample; modulo 256 */
    uint16_t fine_ticks;  /* of the event, since the last sample; no more than fit */
    uint32_t stack_bytes; /* of its C stack as it began, which it may have left; see own_stack.h */
    uint64_t due_cpu_ns;  /* of its CPU clock: no tick costs anything before; while tick_held, when
                           * it would have ticked */
    int timer_id;         /* the kernel's */
    int perf_fd;          /* number it had; closed since */
    void *perf_page;      /* keeps the event alive */
    pid_t tid;
    uint32_t larges; /* which of its large blocks are looked at; see memory.c */
    uint64_t random; /* never 0 once it is used, by ticks and by hooks */
    struct sc_stream allocations;
    struct sc_stream copies;
    uint64_t stack_end; /* 0: not known */
};

static_assert(sizeof(struct sc_agent_thread) == 128, "it moves what is thread-local elsewhere");

extern _Thread_local struct sc_agent_thread sc_agent_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline bool sc_agent_is_active(void)
{
    return atomic_load_explicit(&sc_agent.active, memory_order_acquire);
}

/* Around what makes system calls without being asked: a tick, a thread's start and its end. Whether
 * we are active is asked in between. */
static inline void sc_agent_enter(void)
{
    (void)atomic_fetch_add(&sc_agent.busy, 1);
}

static inline void sc_agent_leave(void)
{
    (void)atomic_fetch_sub(&sc_agent.busy, 1);
}

/* Profiling is switched off. Only while active. */
static inline bool sc_agent_is_paused(void)
{
    return atomic_load_explicit(&sc_agent.segment->paused, memory_order_relaxed) != 0;
}

/* Counts a loss, by name. Only while active. */
static inline void sc_agent_lose(enum sc_agent_loss loss)
{
    atomic_fetch_add_explicit(&sc_agent.segment->losses[loss], 1, memory_order_relaxed);
}
