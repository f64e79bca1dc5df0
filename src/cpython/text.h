/*
 * cpython/text.h - where a str object's characters are, for the files of this folder.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/layout.h"

struct sc_characters {
    uint64_t address;
    uint64_t count;
    size_t width; /* bytes per character: 1, 2 or 4 */
    bool ascii;
};

/* One character, of width bytes. */
uint32_t sc_character(const uint8_t *bytes, size_t width);

/* Its UTF-8, at most 4 bytes, as sc_unicode_read gives it; returns how many. */
size_t sc_character_encode(uint32_t point, uint8_t *utf8);

/* False also for the old kind whose characters are in a second block: neither the compiler nor
 * marshal makes those, so no file or function is named by one. */
bool sc_characters_find(const struct sc_layout *layout, const struct sc_target *target,
                        uint64_t object, struct sc_characters *ret);
