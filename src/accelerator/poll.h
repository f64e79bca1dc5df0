/*
 * accelerator/poll.h - load and memory of the machine's accelerators while a program runs, as far
 * as they are the program's.
 *
 * A driver may take milliseconds to answer, and seconds to wake up. So it is asked in a thread of
 * its own, beside the observer's loop, which takes what has been read whenever it comes by.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What was measured between two times (CLOCK_MONOTONIC): of the devices that the program uses.
 * None is about a time that does not count. */
struct sc_device_reading {
    uint64_t from_ns;
    uint64_t to_ns;
    double load;         /* 0..1, mean over those devices */
    uint64_t used_bytes; /* at the end, sum over them */
};

/* A device as it was at the last reading. Texts are "" where the driver tells nothing. */
struct sc_device {
    char name[96];
    char uuid[96];
    unsigned index; /* the driver's number */
    uint64_t total_bytes;
    double load_s;     /* integral of its load over time, of what the program uses */
    double measured_s; /* the time that readings are about */
    uint64_t peak_bytes;
    bool is_shared_load;   /* it can only be told for the whole device */
    bool is_shared_memory; /* that too */
};

struct sc_accelerators;

/* Begins to look for devices. Never waits; never NULL. To be called when the program runs already:
 * what it has not inherited of the driver's open files is its own use of them. */
struct sc_accelerators *sc_accelerators_start(void);

/* The processes whose load counts from now on, in an order that stays. Copied. One that is named no
 * more still counts in the next reading, which is about time in which it lived. */
void sc_accelerators_watch(struct sc_accelerators *accelerators, const pid_t *pids, size_t count);

/* From now_ns on nothing counts, or it does again. At first all does. */
void sc_accelerators_pause(struct sc_accelerators *accelerators, bool paused, uint64_t now_ns);

/* Takes at most that many readings, in order of time; returns their number. */
size_t sc_accelerators_take(struct sc_accelerators *accelerators, struct sc_device_reading *ret,
                            size_t limit);

/* The devices that were found, at most limit; returns their number. 0 while they are looked for. */
size_t sc_accelerators_devices(struct sc_accelerators *accelerators, struct sc_device *ret,
                               size_t limit);

/* "GPU", "Neuron", or "" when there is no device. */
const char *sc_accelerators_kind(struct sc_accelerators *accelerators);

/* Sentences for the user, one to a line, about what cannot be measured and why; "" when there is
 * nothing to say, which is so where there is no device and no driver either. To be freed. */
char *sc_accelerators_notes(struct sc_accelerators *accelerators);

/* A last reading, for which it waits a quarter of a second at most, and a fiftieth of one for a
 * driver that has not woken up yet. Then nothing changes any more;
 * what was read can still be taken. */
void sc_accelerators_finish(struct sc_accelerators *accelerators);

/* Frees everything; a thread that still waits for a driver is left to itself and harms nobody. */
void sc_accelerators_free(struct sc_accelerators *accelerators);
