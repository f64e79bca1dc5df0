/*
 * cpython/target.h - how bytes of a Python process are read.
 *
 * One walker serves the agent (its own memory), the observer (another process) and tests (arrays).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_target {
    /* Copies length bytes from address; false, with bytes undefined, when any of them cannot be
     * read. Must accept every address. Safe in a signal handler when the agent uses it. */
    bool (*read)(void *context, uint64_t address, void *bytes, size_t length);
    void *context;
};

static inline bool sc_target_read(const struct sc_target *target, uint64_t address, void *bytes,
                                  size_t length)
{
    return target->read(target->context, address, bytes, length);
}
