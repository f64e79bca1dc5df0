/*
 * accelerator/device.h - a device, and what was measured of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was measured between two times (CLOCK_MONOTONIC), of the devices that the program uses.
 * There are no readings of a pause. */
struct sc_device_reading {
    uint64_t from_ns;
    uint64_t to_ns;
    double load;         /* 0..1, mean over those devices */
    uint64_t used_bytes; /* at the end, sum over them */
};

/* A device as it was at the last reading. Texts are "" where the driver reports none. */
struct sc_device {
    char name[96];
    char uuid[96];
    unsigned index; /* the driver's number */
    uint64_t total_bytes;
    double load_s;     /* integral over time of the load that the program causes */
    double measured_s; /* the time that readings cover */
    uint64_t peak_bytes;
    bool is_shared_load;   /* load is known only for the whole device */
    bool is_shared_memory; /* memory is known only for the whole device */
};
