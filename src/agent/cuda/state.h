/*
 * agent/cuda/state.h - what the files that trace CUDA share.
 *
 * One mapping, made when the program begins to use CUDA. It is zeroed in every child, also in one
 * made by a raw system call: so a child, which cannot use its parent's CUDA, traces nothing until
 * it starts CUDA itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/cuda/cupti_abi.h"
#include "agent/cuda/work.h"

enum sc_cuda_stage {
    SC_CUDA_NONE,
    SC_CUDA_BEGINNING,
    SC_CUDA_TRACING,
    SC_CUDA_LEAVING, /* finished work is still taken, but no new work */
    SC_CUDA_OVER,    /* not traced any more, for good */
};

/* Launches that may be under way at once. Work of an older launch is counted as unknown. */
#define SC_LAUNCHES_MAX 131072U

/* In place of a stack's key: launched while profiling was paused. */
#define SC_LAUNCH_UNWANTED UINT64_MAX

struct sc_launch {
    _Atomic uint32_t id; /* 0: empty, or being written */
    _Atomic uint64_t stack_key;
};

#define SC_REPORTED_MAX 4096U

#define SC_BUFFERS_MAX  16U
#define SC_BUFFER_BYTES (256U << 10)

struct sc_cuda {
    _Atomic uint32_t stage;    /* enum sc_cuda_stage */
    _Atomic uint32_t asked;    /* number of requests to the flush thread; a futex */
    _Atomic uint32_t answered; /* the last request that the flush thread served; a futex */
    _Atomic uint32_t ending;   /* set when the last request is made: the process ends */
    _Atomic uint32_t ended;    /* the flush thread has ended; a futex */
    struct sc_cupti cupti;
    void *subscriber;
    int (*is_finalizing)(void);    /* whether the interpreter is finalizing; may be NULL */
    _Atomic uint64_t first_thread; /* its thread state, 0 until it has used CUDA */
    _Atomic uint64_t known;        /* pieces of work whose launch was seen */
    _Atomic uint64_t unknown;
    _Atomic uint64_t reported[SC_REPORTED_MAX]; /* addresses of reported allocations; see calls.c */
    struct sc_launch launches[SC_LAUNCHES_MAX];
    pthread_mutex_t following; /* guards the subscriptions, and follows_runtime */
    bool follows_runtime; /* launches by the runtime library are subscribed to, or never will be */
    struct sc_buffer {
        _Atomic uint32_t taken;
        uint8_t *_Atomic bytes; /* from malloc, as a later user of CUPTI may free it */
    } buffers[SC_BUFFERS_MAX];
    pthread_mutex_t mutex; /* guards work */
    struct sc_cuda_work work;
};

/* NULL until the program begins to use CUDA. */
extern struct sc_cuda *sc_cuda __attribute__((visibility("hidden")));

/* The callback of the subscriber. */
sc_cupti_callback sc_cuda_called;

/* Enables or disables all callbacks of calls. */
void sc_cuda_follow_calls(uint32_t enable);

/* Subscribes also to launches by the runtime library, if much work is unknown without them. */
void sc_cuda_follow_unknown(void);

/* The callbacks of buffers. */
sc_cupti_wants_buffer sc_cuda_wants_buffer;
sc_cupti_gives_buffer sc_cuda_gives_buffer;

/* Starts the thread that flushes CUPTI's buffers four times a second. */
bool sc_cuda_start_flushing(void);

/* Wakes that thread, and waits until it has ended, at most wait_ns. Async-signal-safe. */
void sc_cuda_wait_for_flushing(uint64_t wait_ns);
