/*
 * agent/cuda/flush.c - the thread that makes CUPTI hand over finished work.
 *
 * CUPTI returns a buffer when it is full, which may never happen. The observer knows only for the
 * last seconds what the program was doing while a device was idle, so buffers are flushed four
 * times a second. A thread of our own does that, as CUPTI's documentation proposes: we must not
 * flush inside the program's own calls. The thread has no timer and takes no signals, and a program
 * without CUDA does not get one.
 *
 * It also does the last flush at the end of the process, so that the thread that ends the process
 * can stop waiting for CUPTI after a while.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/cuda/cuda.h"
#include "agent/cuda/state.h"
#include "agent/real.h"
#include "agent/state.h"

#define PERIOD_NS 250000000U

/* Waits until the word is no longer was, for at most wait_ns; may return early. */
static void wait_for(_Atomic uint32_t *word, uint32_t was, uint64_t wait_ns)
{
    struct timespec time = {.tv_sec = (time_t)(wait_ns / 1000000000U),
                            .tv_nsec = (long)(wait_ns % 1000000000U)};
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, was, &time, NULL, 0);
}

static void set(_Atomic uint32_t *word, uint32_t value)
{
    atomic_store(word, value);
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void ask(void)
{
    (void)atomic_fetch_add(&sc_cuda->asked, 1);
    (void)syscall(SYS_futex, &sc_cuda->asked, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *flush(void *unused)
{
    (void)unused;
    atomic_store(&sc_agent.segment->own_tid, (uint32_t)syscall(SYS_gettid));
    (void)prctl(PR_SET_NAME, "scalene-gpu", 0, 0, 0);
    bool is_ending = false;
    while (!is_ending && atomic_load(&sc_cuda->stage) == SC_CUDA_TRACING) {
        wait_for(&sc_cuda->asked, atomic_load(&sc_cuda->answered), PERIOD_NS);
        uint32_t asked = atomic_load(&sc_cuda->asked);
        if (atomic_load(&sc_cuda->stage) != SC_CUDA_TRACING)
            break;
        is_ending = atomic_load(&sc_cuda->ending) != 0;
        (void)sc_cuda->cupti.flush_all(is_ending ? SC_CUPTI_FLUSH_FORCED : 0);
        if (is_ending)
            atomic_store(&sc_cuda->stage, SC_CUDA_OVER);
        else
            sc_cuda_follow_unknown();
        set(&sc_cuda->answered, asked);
    }
    set(&sc_cuda->ended, 1);
    return NULL;
}

bool sc_cuda_start_flushing(void)
{
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    pthread_attr_t attributes;
    atomic_store(&sc_cuda->answered, atomic_load(&sc_cuda->asked));
    atomic_store(&sc_cuda->ending, 0);
    atomic_store(&sc_cuda->ended, 0);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    (void)sc_real()->pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = sc_real()->pthread_create(&thread, &attributes, flush, NULL) == 0;
    (void)sc_real()->pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return started;
}

/* Waits until the word has reached value, at most until until_ns. */
static void await(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns)
{
    for (;;) {
        uint32_t seen = atomic_load(word);
        uint64_t now_ns = sc_clock_ns(CLOCK_MONOTONIC);
        if ((int32_t)(seen - value) >= 0 || now_ns >= until_ns)
            return;
        wait_for(word, seen, until_ns - now_ns);
    }
}

void sc_cuda_wait_for_flushing(uint64_t wait_ns)
{
    uint64_t until_ns = sc_clock_ns(CLOCK_MONOTONIC) + wait_ns;
    ask();
    await(&sc_cuda->ended, 1, until_ns);
}

static bool is_flushing(void)
{
    return sc_cuda != NULL && atomic_load(&sc_cuda->stage) == SC_CUDA_TRACING &&
           getpid() == sc_agent.pid;
}

void sc_cuda_end(uint64_t wait_ns)
{
    int saved_errno = errno;
    if (is_flushing()) {
        atomic_store(&sc_cuda->ending, 1);
        sc_cuda_wait_for_flushing(wait_ns);
    }
    errno = saved_errno;
}

void sc_cuda_flush(uint64_t wait_ns)
{
    int saved_errno = errno;
    if (is_flushing()) {
        uint64_t until_ns = sc_clock_ns(CLOCK_MONOTONIC) + wait_ns;
        ask();
        await(&sc_cuda->answered, atomic_load(&sc_cuda->asked), until_ns);
    }
    errno = saved_errno;
}
