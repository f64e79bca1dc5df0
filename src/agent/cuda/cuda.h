/*
 * agent/cuda/cuda.h - traces what the process's GPUs do, with CUPTI: starts and ends the tracing.
 *
 * Nothing here runs before the program uses CUDA. Then the driver calls InitializeInjection
 * (hook_getenv.c says why), in the thread that first uses CUDA, inside cuInit. That is normal
 * context: we may load libraries, allocate memory and start a thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the driver is to load: the path of this library, or NULL when this process is not traced; or
 * what the user has set, if that is not NULL: then another profiler has CUPTI, which is reported.
 */
char *sc_cuda_injection(char *set);

/* Traces the process from now on where it has devices; only_loaded: with a CUPTI that the program
 * has loaded itself. found is called once CUPTI is there, before it is used. */
void sc_cuda_begin(bool only_loaded, void (*found)(void));

/* The agent was loaded into a running program: traces its GPUs from now on if the program has
 * loaded the driver and CUPTI. In normal context. */
void sc_cuda_begin_late(void);

/* Ends the tracing with the profile; another profile may follow. In normal context. */
void sc_cuda_stop(void);

/* Other code is about to use CUPTI, which serves one client at a time: stops using it for good, and
 * reports that. In normal context. */
void sc_cuda_yield_cupti(void);

/* Requests that the finished work of devices is sent, and waits for that at most wait_ns. In normal
 * context. */
void sc_cuda_flush(uint64_t wait_ns);

/* The process is about to end: does what sc_cuda_flush does, and nothing is traced afterwards.
 * Async-signal-safe. */
void sc_cuda_end(uint64_t wait_ns);
