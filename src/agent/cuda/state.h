/*
 * agent/cuda/state.h - what the parts that follow CUDA share.
 *
 * One mapping, made when the program begins to use CUDA. It is empty in every child, also in one
 * made by a raw system call: so a child, which cannot use its parent's CUDA, follows nothing until
 * it begins by itself.
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
    SC_CUDA_LEAVING, /* what is finished is still taken, nothing new */
    SC_CUDA_OVER,    /* for good */
};

/* Launches that may be under way at once. Numbers that a device gets behind by more are unknown. */
#define SC_LAUNCHES_MAX 131072U

/* In place of a stack's key: launched while profiling was switched off. */
#define SC_LAUNCH_UNWANTED UINT64_MAX

struct sc_launch {
    _Atomic uint32_t id; /* 0: nothing here, or being written */
    _Atomic uint64_t stack_key;
};

#define SC_TOLD_MAX 4096U

#define SC_BUFFERS_MAX  16U
#define SC_BUFFER_BYTES (256U << 10)

struct sc_cuda {
    _Atomic uint32_t stage;    /* enum sc_cuda_stage */
    _Atomic uint32_t asked;    /* how often the thread that flushes was asked to; a futex */
    _Atomic uint32_t answered; /* the last of these that it has done; a futex */
    _Atomic uint32_t ending;   /* what is asked for is the last */
    _Atomic uint32_t ended;    /* that thread is done; a futex */
    struct sc_cupti cupti;
    void *subscriber;
    int (*is_finalizing)(void); /* the interpreter is being taken apart; may be NULL */
    _Atomic uint64_t known;     /* pieces of work whose launch had been seen */
    _Atomic uint64_t unknown;
    _Atomic uint64_t told[SC_TOLD_MAX]; /* see cuda_calls.c */
    struct sc_launch launches[SC_LAUNCHES_MAX];
    pthread_mutex_t following; /* which calls are followed is changed; the next line's */
    bool follows_runtime;      /* launches by the runtime library are, too, or will never be */
    struct sc_buffer {
        _Atomic uint32_t taken;
        uint8_t *_Atomic bytes; /* from malloc: who uses CUPTI after us may free it */
    } buffers[SC_BUFFERS_MAX];
    pthread_mutex_t mutex; /* of the following */
    struct sc_cuda_work work;
};

/* NULL until the program begins to use CUDA. */
extern struct sc_cuda *sc_cuda __attribute__((visibility("hidden")));

/* The callback of the subscriber. */
sc_cupti_callback sc_cuda_called;

/* Which calls are followed: enables or disables all of them. */
void sc_cuda_follow_calls(uint32_t enable);

/* Follows launches by the runtime library, if much work is unknown as it is. */
void sc_cuda_follow_unknown(void);

/* The callbacks of buffers. */
sc_cupti_wants_buffer sc_cuda_wants_buffer;
sc_cupti_gives_buffer sc_cuda_gives_buffer;

/* Starts the thread that asks CUPTI, four times a second, for what is finished. */
bool sc_cuda_start_flushing(void);

/* Wakes it, and waits until it has ended, at most so long. Async-signal-safe. */
void sc_cuda_wait_for_flushing(uint64_t wait_ns);
