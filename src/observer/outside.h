/*
 * observer/outside.h - the stack of a thread that runs, read from outside: one that blocks the
 * tick signal, or whose ticks do not come for another reason.
 *
 * The thread goes on while it is read. Its frames are taken in one quick walk, before anything is
 * looked up, and a second walk has to find the same outermost frame and an end: so what has moved
 * are the innermost frames at most, within some ten microseconds. A walk that meets anything that
 * is not a frame is made again, and given up after a few, which is a counted loss.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process.h"

/* What the thread runs: ret_node 0 without Python frames. Native is what stands still in a call for
 * the time of several looks; system time is not told apart. False when it could not be read. */
bool sc_outside_look(struct sc_process *process, struct sc_watched_thread *thread,
                     uint32_t *ret_node, enum sc_sample_kind *ret_kind);
