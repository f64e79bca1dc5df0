/*
 * base/map.h - tables from a key to a dense 32-bit id: integers, and interned strings.
 *
 * Ids of strings count up from 0 in order of first sight, and are never removed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_NONE UINT32_MAX

/* Initialise with {0}. */
struct sc_map {
    struct sc_map_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* The value kept for key, or SC_NONE. */
uint32_t sc_map_get(const struct sc_map *map, uint64_t key);

/* Sets or replaces the value of key; SC_NONE is not a value. */
void sc_map_put(struct sc_map *map, uint64_t key, uint32_t value);

/* Nothing happens to a map without the key. */
void sc_map_remove(struct sc_map *map, uint64_t key);

void sc_map_done(struct sc_map *map);

/* For a map from hashes to places in an array: sets *ret_at, a uint32_t, to the place with the hash
 * *key for which is_same, an expression of *ret_at, is true. Others with the same hash are passed
 * by. Without one *ret_at is SC_NONE, and *key is where it is to be put. */
#define sc_map_find(ret_at, map, key, is_same)                                                     \
    do {                                                                                           \
        while ((*(ret_at) = sc_map_get(map, *(key))) != SC_NONE && !(is_same))                     \
            *(key) = sc_mix(*(key), 1);                                                            \
    } while (0)

/* Initialise with {0}. Strings may hold NUL bytes; a NUL is added behind each. */
struct sc_intern {
    struct sc_intern_text *texts;
    uint32_t *slots;
    size_t capacity; /* slots, a power of two, or 0 */
    uint32_t count;
};

/* The id of the string, added if new. */
uint32_t sc_intern_add(struct sc_intern *intern, const char *text, size_t length);

/* The id of the string, or SC_NONE. */
uint32_t sc_intern_find(const struct sc_intern *intern, const char *text, size_t length);

/* The string of an id that was returned; valid until sc_intern_done. */
const char *sc_intern_text(const struct sc_intern *intern, uint32_t id);
size_t sc_intern_length(const struct sc_intern *intern, uint32_t id);

/* The table's copy of a string that ends with a NUL; valid until sc_intern_done. */
const char *sc_intern_keep(struct sc_intern *intern, const char *text);

void sc_intern_done(struct sc_intern *intern);

/* A mix of two words in which every input bit reaches every output bit (splitmix64's finaliser,
 * https://doi.org/10.1145/2714064.2660195). */
uint64_t sc_mix(uint64_t first, uint64_t second);
