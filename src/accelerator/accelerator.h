/*
 * accelerator/accelerator.h - the interface to one kind of device: a struct of callbacks.
 *
 * To add a kind: fill in the struct in a file of its own and name it in table.c. poll.c calls all
 * callbacks in one thread of its own, with signals blocked; they may be slow. They know nothing of
 * that thread, of the queue or of the profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "accelerator/device.h"
#include "base/str.h"

#define SC_DEVICES_MAX 64U

/* The processes whose use of devices counts. */
struct sc_watched {
    const pid_t *pids;
    size_t count;
};

/* How the watched processes have used one device since the previous reading. All 0 when they do not
 * use it. */
struct sc_device_state {
    bool is_gone; /* it is not measured any more */
    bool is_used;
    unsigned units;      /* how many parts of it are used; load is the mean over them; 0 means 1 */
    double load;         /* 0..1, mean since the previous reading */
    uint64_t used_bytes; /* now */
    bool is_shared_load; /* load is that of the whole device */
    bool is_shared_memory; /* used_bytes is not known per process */
};

struct sc_accelerator {
    const char *kind; /* "GPU": what the devices are called in a profile */

    /* Looks for the driver and its devices. NULL when there is none that can be read. Adds a note
     * when a driver does not work, but none when the machine has no driver. */
    void *(*open)(struct sc_str *notes);

    /* The devices, in an order that does not change: name, uuid, index and total_bytes of each.
     * Returns their number, at most limit. */
    size_t (*devices)(void *state, struct sc_device *ret, size_t limit);

    /* How many readings are ready; may block for a moment. NULL where it is always one. After 0,
     * the next reading covers the time since the last one; several cover equal parts of it. */
    unsigned (*news)(void *state, struct sc_str *notes);

    /* Fills in ret[0..count), zeroed by the caller, in the order of devices. Called once for each
     * waiting reading, the oldest first. */
    void (*read)(void *state, const struct sc_watched *watched, struct sc_device_state *ret,
                 size_t count, struct sc_str *notes);

    void (*close)(void *state);
};

/* Adds a sentence for the user unless it is there already. One line, without a final newline. */
void sc_accelerator_note(struct sc_str *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All kinds of devices, ended by NULL. The first that opens is used. */
extern const struct sc_accelerator *const sc_accelerator_table[];
