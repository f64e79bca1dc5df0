/*
 * tests/unit/fake_process.h - a made-up process: an array that stands at an address.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpython/target.h"

enum { FAKE_BYTES = 1 << 16 };

static const uint64_t fake_base = 0x7f0000000000;

/* Initialise with fake_start. Reads outside of the array, and of the hole, fail. */
struct fake_process {
    struct sc_target target;
    uint8_t bytes[FAKE_BYTES];
    uint64_t used;
    uint64_t hole; /* no byte at or after this address can be read, 0 for none */
    size_t reads;
};

static inline bool fake_read(void *context, uint64_t address, void *bytes, size_t length)
{
    struct fake_process *fake = context;
    fake->reads++;
    if (address < fake_base || length > FAKE_BYTES || address - fake_base > FAKE_BYTES - length ||
        (fake->hole != 0 && address + length > fake->hole))
        return false;
    memcpy(bytes, fake->bytes + (address - fake_base), length);
    return true;
}

static inline void fake_start(struct fake_process *fake)
{
    memset(fake, 0, sizeof(*fake));
    fake->target.read = fake_read;
    fake->target.context = fake;
}

/* Room for an object, at an address that is a multiple of 16. */
static inline uint64_t fake_room(struct fake_process *fake, size_t length)
{
    uint64_t address = fake_base + fake->used;
    fake->used += (length + 15) & ~(size_t)15;
    return address;
}

static inline void fake_write(struct fake_process *fake, uint64_t address, const void *bytes,
                              size_t length)
{
    memcpy(fake->bytes + (address - fake_base), bytes, length);
}

/* offset -1, a field that does not exist, writes nothing. */
static inline void fake_put_u64(struct fake_process *fake, uint64_t address, int32_t offset,
                                uint64_t value)
{
    if (offset >= 0)
        fake_write(fake, address + (uint32_t)offset, &value, sizeof(value));
}

static inline void fake_put_u32(struct fake_process *fake, uint64_t address, int32_t offset,
                                uint32_t value)
{
    if (offset >= 0)
        fake_write(fake, address + (uint32_t)offset, &value, sizeof(value));
}

static inline void fake_put_u8(struct fake_process *fake, uint64_t address, int32_t offset,
                               uint8_t value)
{
    if (offset >= 0)
        fake_write(fake, address + (uint32_t)offset, &value, sizeof(value));
}
