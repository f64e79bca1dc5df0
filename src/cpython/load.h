/*
 * cpython/load.h - numbers out of bytes and out of a process, for the files of this folder.
 *
 * The agent runs these in a signal handler while it hooks memcpy, so nothing here may become a call
 * into libc: __builtin_memcpy of a constant size is an inlined load.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/target.h"

static inline uint64_t sc_load_u64(const uint8_t *bytes)
{
    uint64_t value;
    __builtin_memcpy(&value, bytes, sizeof(value));
    return value;
}

static inline uint32_t sc_load_u32(const uint8_t *bytes)
{
    uint32_t value;
    __builtin_memcpy(&value, bytes, sizeof(value));
    return value;
}

/* offset may be negative only where the field does not exist: then false. */
static inline bool sc_read_u64(const struct sc_target *target, uint64_t address, int32_t offset,
                               uint64_t *ret_value)
{
    return offset >= 0 &&
           sc_target_read(target, address + (uint32_t)offset, ret_value, sizeof(*ret_value));
}

static inline bool sc_read_u32(const struct sc_target *target, uint64_t address, int32_t offset,
                               uint32_t *ret_value)
{
    return offset >= 0 &&
           sc_target_read(target, address + (uint32_t)offset, ret_value, sizeof(*ret_value));
}

/* Every object, frame and thread state starts at a multiple of 8, and none at address 0. */
static inline bool sc_is_object_address(uint64_t address)
{
    return address >= 4096 && address % 8 == 0;
}
