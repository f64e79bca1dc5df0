/*
 * observer/waiting/waits.h - why a thread is blocked, from its system call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/collect.h"
#include "observer/system/procfs.h"

/* runtime, runtime_size: where _PyRuntime is; a futex inside it is the GIL's. */
enum sc_wait sc_wait_cause(const struct sc_blocked *blocked, uint64_t runtime,
                           uint64_t runtime_size);
