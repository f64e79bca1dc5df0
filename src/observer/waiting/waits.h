/*
 * observer/waiting/waits.h - why a thread is blocked, from its system call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/collect.h"
#include "cpython/target.h"
#include "observer/system/procfs.h"

/* runtime, runtime_size: where _PyRuntime is; a futex inside it is the GIL's. */
enum sc_wait sc_wait_cause(const struct sc_blocked *blocked, uint64_t runtime,
                           uint64_t runtime_size);

/* Whether what seems to be input is the end of a process: one polls a descriptor of it, as
 * Popen.wait does with a timeout from CPython 3.15 on. */
bool sc_wait_is_for_process(pid_t pid, const struct sc_blocked *blocked,
                            const struct sc_target *target);
