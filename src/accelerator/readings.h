/*
 * accelerator/readings.h - readings of the devices: a bounded queue for the owner, and sums by
 * device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "accelerator/accelerator.h"

#define SC_READINGS_MAX 256U /* half a minute at the usual pace */

/* Initialise with {0}. */
struct sc_readings {
    struct sc_device_reading items[SC_READINGS_MAX]; /* a ring */
    size_t first;
    size_t count;
    struct sc_device devices[SC_DEVICES_MAX];
    size_t device_count;
};

void sc_readings_begin(struct sc_readings *readings, const struct sc_device *devices, size_t count);

/* states has one item for each device. counted_ns is how much of the time was not paused. When the
 * queue is full, this reading is merged into the last one. */
void sc_readings_add(struct sc_readings *readings, uint64_t from_ns, uint64_t to_ns,
                     uint64_t counted_ns, const struct sc_device_state *states);

/* Takes the oldest, at most limit; returns their number. */
size_t sc_readings_take(struct sc_readings *readings, struct sc_device_reading *ret, size_t limit);
