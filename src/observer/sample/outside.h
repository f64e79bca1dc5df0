/*
 * observer/sample/outside.h - the stack of a thread that runs, read from outside: one that blocks
 * the tick signal, or whose ticks do not come for another reason.
 *
 * The thread keeps running while it is read. Its frames are taken in one quick walk, before
 * anything is looked up, and a second walk must end at the same outermost frame: so only the
 * innermost frames can have changed, within some ten microseconds. A walk that meets anything that
 * is not a frame is repeated; after a few attempts the look is given up and counted as a loss.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* What the thread runs: ret_node 0 without Python frames. Native when the thread stays at one call
 * instruction for several looks; system time is not distinguished. False when it could not be
 * read. */
bool sc_outside_look(struct sc_process *process, struct sc_watched_thread *thread,
                     uint32_t *ret_node, enum sc_sample_kind *ret_kind);
