/*
 * accelerator/accelerator.h - what it takes to measure one kind of device: one struct of callbacks.
 *
 * To add a kind: fill in the struct in a file of its own and name it in table.c. All callbacks are
 * called in the one thread that poll.c makes for them, with signals blocked; they may take their
 * time. They know nothing of that thread, of the queue or of the profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/poll.h"
#include "base/str.h"

#define SC_DEVICES_MAX 64U

/* The processes that count. */
struct sc_watched {
    const pid_t *pids;
    size_t count;
};

/* One device, as far as it is used by the processes that count, since the reading before. All 0
 * when they do not use it. */
struct sc_device_state {
    bool is_used;
    unsigned units;        /* so many parts of it are used, which load is the mean of; 0 is 1 */
    double load;           /* 0..1, mean since the reading before */
    uint64_t used_bytes;   /* now */
    bool is_shared_load;   /* load is that of the whole device */
    bool is_shared_memory; /* used_bytes are not told by process */
};

struct sc_accelerator {
    const char *kind; /* "GPU": what the devices are called in a profile */

    /* Looks for the driver and its devices. NULL when there is none that can be read; a machine
     * without the driver is no reason for a note, a driver that does not work is one. */
    void *(*open)(struct sc_str *notes);

    /* The devices, in an order that does not change: name, uuid, index and total_bytes of each.
     * Returns their number, at most limit. */
    size_t (*devices)(void *state, struct sc_device *ret, size_t limit);

    /* How many readings wait to be read; may wait for a moment. NULL where it is always one. While
     * it is none, the next reading is about all of the time; several are about equal parts of it.
     */
    unsigned (*news)(void *state, struct sc_str *notes);

    /* Fills in ret[0..count), zeroed by the caller, in the order of devices. Called once for each
     * of the readings that wait, the oldest first. */
    void (*read)(void *state, const struct sc_watched *watched, struct sc_device_state *ret,
                 size_t count, struct sc_str *notes);

    void (*close)(void *state);
};

/* Adds a sentence for the user unless it is there already. One line, without a final newline. */
void sc_accelerator_note(struct sc_str *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All that there are, the first that opens is used; ended by NULL. */
extern const struct sc_accelerator *const sc_accelerator_table[];

/* sc_accelerators_start with another table, which has to stay. */
struct sc_accelerators *sc_accelerators_start_with(const struct sc_accelerator *const *table);
