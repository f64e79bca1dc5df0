/*
 * accelerator/poll.h - load and memory that a running program causes on the machine's accelerators.
 *
 * A driver may take milliseconds to answer, and seconds to wake up. So a separate thread polls it,
 * and the observer's loop takes the readings from there when it next runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "accelerator/device.h"

struct sc_accelerator;
struct sc_accelerators;

/* Begins to look for devices. Never waits; never NULL. To be called when the program runs already,
 * so that it does not inherit the driver's files that this opens: files that the program has open
 * count as its use of a device. */
struct sc_accelerators *sc_accelerators_start(void);

/* sc_accelerators_start with another table, which must stay valid. */
struct sc_accelerators *sc_accelerators_start_with(const struct sc_accelerator *const *table);

/* The processes whose load counts from now on, always in the same order. Copied. A process that is
 * no longer in the list still counts in the next reading, which covers time in which it ran. */
void sc_accelerators_watch(struct sc_accelerators *accelerators, const pid_t *pids, size_t count);

/* From now_ns on nothing counts (paused), or it counts again. Not paused at first. */
void sc_accelerators_pause(struct sc_accelerators *accelerators, bool paused, uint64_t now_ns);

/* Takes at most that many readings, in order of time; returns their number. */
size_t sc_accelerators_take(struct sc_accelerators *accelerators, struct sc_device_reading *ret,
                            size_t limit);

/* The devices that were found, at most limit; returns their number. 0 while the search goes on. */
size_t sc_accelerators_devices(struct sc_accelerators *accelerators, struct sc_device *ret,
                               size_t limit);

/* "GPU", "Neuron", or "" when there is no device. */
const char *sc_accelerators_kind(struct sc_accelerators *accelerators);

/* Sentences for the user, one to a line, about what cannot be measured and why; "" when there is
 * nothing to say, which is so where there is no device and no driver either. To be freed. */
char *sc_accelerators_notes(struct sc_accelerators *accelerators);

/* Has a last reading made, and waits for it at most 250 ms, or 20 ms when the driver has not woken
 * up yet. Nothing changes afterwards; readings can still be taken. */
void sc_accelerators_finish(struct sc_accelerators *accelerators);

/* Frees everything; a thread that still waits for a driver is left behind and frees its part
 * itself. */
void sc_accelerators_free(struct sc_accelerators *accelerators);
