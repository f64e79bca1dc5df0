/*
 * observer/sample/outside.h - the stack of a thread that runs, read from outside: one that blocks
 * the tick signal, or whose ticks do not come for another reason.
 *
 * The thread keeps running while it is read. Its frames are taken in one quick walk, before
 * anything is looked up, and a second walk must end at the same outermost frame: so only the
 * innermost frames can have changed, within some ten microseconds. A walk that meets anything that
 * is not a frame is repeated; after a few attempts the look is given up and counted as a loss.
 *
 * Native frames are those of the moment at which the thread's alarm came. The Python frames are
 * read a little later, so where the thread has returned meanwhile the two may not be of one stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"
#include "observer/sample/callers.h"
#include "observer/system/cpu_moment.h"

struct sc_outside {
    uint32_t node; /* 0 without Python frames */
    enum sc_sample_kind kind;
    bool is_freeing;
    bool in_call;             /* in a system call */
    bool has_moment;          /* kind and native frames are those of the moment */
    struct sc_callers native; /* without Python frames: what the thread runs, as far as known */
};

/* What the thread runs. moment: what it did just before, or NULL. By a moment, kind and native
 * frames are as of a sample of the agent's. Without one, or where the thread has used a lot of CPU
 * time since, the kind is native when the thread stays at one call instruction for several looks,
 * and system time is not distinguished. False when it could not be read. */
bool sc_outside_read(struct sc_process *process, struct sc_watched_thread *thread,
                     const struct sc_cpu_moment *moment, struct sc_outside *ret);
