/*
 * agent/cuda/cuda.h - what the process's GPUs do, from CUPTI: when following begins and
 * ends.
 *
 * Nothing here happens before the program uses CUDA. Then the driver calls InitializeInjection
 * (hook_getenv.c says why), in the thread that has begun to use it, inside cuInit, where everything
 * may be done: libraries are loaded, memory is taken, a thread is started.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the driver shall be told to load: the path of this library, or NULL when this process is not
 * to be followed. */
char *sc_cuda_injection(void);

/* The agent has come into a program that runs already: follows its GPUs from now on if the program
 * has loaded the driver and CUPTI. In normal context. */
void sc_cuda_begin_late(void);

/* The profile is over; another may begin. In normal context. */
void sc_cuda_stop(void);

/* Somebody else is about to use CUPTI, which serves one at a time: lets go of it for good, and says
 * so. In normal context. */
void sc_cuda_give_way(void);

/* Has what devices have finished told, waiting for that at most so long. In normal context. */
void sc_cuda_flush(uint64_t wait_ns);

/* The process is about to end: has what devices have finished told, waiting for that at most so
 * long. Nothing is followed after it. Async-signal-safe. */
void sc_cuda_end(uint64_t wait_ns);
