/*
 * observer/sample/on_cpu.h - whether a thread that is read while it runs has kept its CPU
 * meanwhile.
 *
 * Where CPUs are short, the observer gets its own from the very thread that it looks at, and at an
 * instruction that depends on what the thread does: the kernel notices that a turn is used up at
 * its tick, or sooner in a system call that reads the thread's clock. What is read of a thread that
 * waits for a CPU is therefore no fair sample of what it runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Moves the calling thread away from the CPU that the other one has used last. False when it may
 * use no other CPU; it stays where it is then. */
bool sc_cpu_leave(pid_t pid, pid_t tid);

/* The same, and it stays away from that CPU until the next call of one of these. */
bool sc_cpu_avoid(pid_t pid, pid_t tid);

/* The number of the thread's turn on a CPU, from 1 on; 0 while it has none, or is gone. On a kernel
 * that does not count turns (CONFIG_SCHED_INFO) every thread is in the same one. */
uint64_t sc_cpu_run_number(pid_t pid, pid_t tid);
