/*
 * observer/snapshot/snapshot.h - what a Python is doing now, or was when its core file was written.
 *
 *     struct sc_snapshot snapshot;
 *     if (sc_snapshot_take(pid, &(struct sc_snapshot_options){.with_native = true}, &snapshot,
 * &err))
 *         ...
 *     sc_snapshot_done(&snapshot);
 *
 * The process is neither stopped nor signalled, and nothing is written to it. A stack of a thread
 * that is blocked is consistent: its schedule counters were the same before and after. One of a
 * thread that runs was read twice with the same result, or is marked as moving.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "observer/snapshot/model.h"

/* False with err set, in words that continue "process N: ". */
bool sc_snapshot_take(pid_t pid, const struct sc_snapshot_options *wish, struct sc_snapshot *ret,
                      struct sc_err *err);

/* The same from a core file; err continues the file's name. */
bool sc_snapshot_take_core(const char *path, const struct sc_snapshot_options *wish,
                           struct sc_snapshot *ret, struct sc_err *err);
void sc_snapshot_done(struct sc_snapshot *snapshot);
