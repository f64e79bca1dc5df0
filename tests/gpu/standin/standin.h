/*
 * tests/gpu/standin/standin.h - what the stand-in of CUPTI hangs into the stand-in of the driver.
 *
 * Real ones find each other by a table that the driver exports; so do these.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

enum work { KERNEL, COPY, PEER_COPY, SET };

/* One piece of work of a device, on CLOCK_MONOTONIC. */
struct piece {
    enum work kind;
    uint32_t device;
    uint32_t correlation;
    uint8_t copy_kind;
    uint64_t bytes;
    uint64_t start_ns;
    uint64_t end_ns;
};

struct call {
    uint32_t domain;
    uint32_t function;
    const char *name;
    const void *parameters;
    int *result;
    uint32_t correlation; /* of this call */
    uint64_t shared;
};

struct tracer {
    void (*entered)(struct call *call);
    void (*left)(struct call *call);
    void (*worked)(const struct piece *piece);
    void (*context_ends)(void *context);
};

/* The one context there is. */
#define CONTEXT ((void *)0x1000)

/* Of the driver. */
typedef void set_tracer(const struct tracer *tracer);
