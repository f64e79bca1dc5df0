/*
 * agent/state.h - state that the parts of the agent share: one per process, one per thread.
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
#include "channel/small_blocks.h"
#include "cpython/layout.h"
#include "unwind/unwind.h"

/* The default action of SIGURG is to ignore it, so a tick that is pending across exec does no harm.
 */
#define SC_TICK_SIGNAL SIGURG

struct sc_agent {
    _Atomic bool active;    /* false: dormant, all hooks pass through */
    _Atomic bool is_sealed; /* dormant for good: we make no system call any more */
    _Atomic uint32_t busy;  /* number of threads that may be making system calls of ours */
    pid_t pid;
    pid_t observer; /* 0: in another container */
    struct sc_segment *segment;
    struct sc_pace pace;
    uint64_t jiffy_ns;
    struct sc_layout layout;
    uint64_t code_type;
    uint64_t runtime;
    struct sc_eval_ranges eval_ranges;
    uint64_t python_start; /* bounds of the module that holds eval_ranges */
    uint64_t python_end;
    uint64_t epoch; /* mixed into the keys of what this process's observer knows */
    _Atomic uint64_t directory_changes; /* of the working directory */
    uint64_t memory_window_bytes;       /* 0: memory is not profiled */
    bool with_stacks; /* read native frames beyond the innermost evaluation loop */
    bool traces_gpu;  /* trace the program's GPUs, if it uses any */
};

extern struct sc_agent sc_agent __attribute__((visibility("hidden")));

/* As struct sc_stream, of blocks that are never counted as themselves. */
struct sc_small_streams {
    int32_t left[SC_SMALL_STREAMS];
    uint32_t window[SC_SMALL_STREAMS];
    uint32_t rest[SC_SMALL_STREAMS];
};

/* Everything the agent keeps per thread. Zero in a thread that is not registered. glibc rounds the
 * sum of all static thread-local storage up to 64 bytes, so a size that is a multiple of 64 leaves
 * as much of it for libraries that are loaded later as without us. An agent that is loaded late has
 * to fit into that space itself, so the struct is no larger than necessary. */
struct sc_agent_thread {
    bool registered;
    bool begins_in_python; /* its outermost function is Python's own */
    bool in_handler;
    bool tick_held;           /* SC_TICK_SIGNAL is blocked: the thread has no ticks */
    bool in_python_allocator; /* malloc is being called for one of Python's allocators */
    bool saw_realloc; /* the hook of realloc has had a block that may be sampled, since this was
                       * cleared */
    bool has_timer;
    bool uses_perf;       /* a perf event makes ticks, too */
    uint8_t waits;        /* how often the thread had waited at its last sample, modulo 256 */
    uint8_t kernel_ticks; /* of its CPU time, how many jiffies in the kernel, then, modulo 256 */
    uint16_t ticks;       /* since the last sample, up to UINT16_MAX: of the perf event if it has
                           * one, else the kernel's that may have hit the thread */
    uint32_t stack_bytes; /* size of the C stack it began on and may have left; see own_stack.h */
    uint64_t due_cpu_ns;  /* CPU time of the thread before which ticks take no sample; while
                           * tick_held, when its next tick was due */
    int timer_id;         /* the kernel's */
    int perf_fd;          /* number of the perf event's descriptor, which is closed */
    void *perf_page;      /* its mapping keeps the perf event alive */
    pid_t tid;
    uint32_t larges; /* chooses which of the thread's large blocks are sampled; see memory.c */
    uint64_t random; /* state of random numbers for ticks and hooks; not 0 once it is used */
    struct sc_stream allocations;
    struct sc_stream copies;
    uint64_t stack_end; /* 0: not known */
    struct sc_small_streams small_blocks;
    uint64_t label_ns; /* when label_cpu_ns was read */
    uint64_t label_cpu_ns;
    uint64_t unused[2]; /* up to a multiple of 64 bytes */
};

static_assert(sizeof(struct sc_agent_thread) == 256, "it moves what is thread-local elsewhere");

/* musl does not load a library with the initial-exec model into a program that runs already. With
 * the other model it gives all threads their memory while it loads the library. */
#ifdef __GLIBC__
#define SC_THREAD_LOCAL_MODEL "initial-exec"
#else
#define SC_THREAD_LOCAL_MODEL "global-dynamic"
#endif

extern _Thread_local struct sc_agent_thread sc_agent_thread
    __attribute__((tls_model(SC_THREAD_LOCAL_MODEL), visibility("hidden")));

static inline bool sc_agent_is_active(void)
{
    return atomic_load_explicit(&sc_agent.active, memory_order_acquire);
}

/* Called around code that makes system calls of our own: a tick, a sample of memory, a thread's
 * start and its end. Check sc_agent_is_active only after sc_agent_enter. */
static inline void sc_agent_enter(void)
{
    (void)atomic_fetch_add(&sc_agent.busy, 1);
}

static inline void sc_agent_leave(void)
{
    (void)atomic_fetch_sub(&sc_agent.busy, 1);
}

/* Whether the observer has paused profiling. Only while active. */
static inline bool sc_agent_is_paused(void)
{
    return atomic_load_explicit(&sc_agent.segment->paused, memory_order_relaxed) != 0;
}

/* Counts a loss, by name. Only while active. */
static inline void sc_agent_lose(enum sc_agent_loss loss)
{
    atomic_fetch_add_explicit(&sc_agent.segment->losses[loss], 1, memory_order_relaxed);
}
