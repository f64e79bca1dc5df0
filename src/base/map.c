/*
 * base/map.c - tables from a key to a dense 32-bit id.
 *
 * Open addressing with linear probing: a map is at most two thirds full, an intern table half.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct sc_map_slot {
    uint64_t key;
    uint32_t value;
    bool used;
};

struct sc_intern_text {
    char *text;
    size_t length;
    uint64_t hash;
};

uint64_t sc_mix(uint64_t first, uint64_t second)
{
    uint64_t mixed = first + second * 0x9e3779b97f4a7c15U + 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

static struct sc_map_slot *find_slot(const struct sc_map *map, uint64_t key)
{
    size_t mask = map->capacity - 1;
    size_t at = sc_mix(key, 0) & mask;
    while (map->slots[at].used && map->slots[at].key != key)
        at = (at + 1) & mask;
    return &map->slots[at];
}

uint32_t sc_map_get(const struct sc_map *map, uint64_t key)
{
    if (map->capacity == 0)
        return SC_NONE;
    const struct sc_map_slot *slot = find_slot(map, key);
    return slot->used ? slot->value : SC_NONE;
}

static void grow_map(struct sc_map *map)
{
    struct sc_map larger = {.capacity = map->capacity ? map->capacity * 2 : 64};
    larger.slots = sc_alloc(larger.capacity, sizeof(*larger.slots));
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].used)
            *find_slot(&larger, map->slots[i].key) = map->slots[i];
    }
    larger.count = map->count;
    free(map->slots);
    *map = larger;
}

void sc_map_put(struct sc_map *map, uint64_t key, uint32_t value)
{
    if ((map->count + 1) * 3 > map->capacity * 2)
        grow_map(map);
    struct sc_map_slot *slot = find_slot(map, key);
    if (!slot->used)
        map->count++;
    *slot = (struct sc_map_slot){.key = key, .value = value, .used = true};
}

void sc_map_remove(struct sc_map *map, uint64_t key)
{
    struct sc_map_slot *hole = map->capacity > 0 ? find_slot(map, key) : NULL;
    if (hole == NULL || !hole->used)
        return;
    size_t mask = map->capacity - 1;
    size_t empty = (size_t)(hole - map->slots);
    /* those behind it move up, unless they would come before their place */
    for (size_t at = (empty + 1) & mask; map->slots[at].used; at = (at + 1) & mask) {
        size_t place = sc_mix(map->slots[at].key, 0) & mask;
        if (((at - place) & mask) < ((at - empty) & mask))
            continue;
        map->slots[empty] = map->slots[at];
        empty = at;
    }
    map->slots[empty].used = false;
    map->count--;
}

void sc_map_done(struct sc_map *map)
{
    free(map->slots);
    *map = (struct sc_map){0};
}

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = sc_mix(hash, word);
        text += 8;
        length -= 8;
    }
    uint64_t rest = 0;
    if (length > 0)
        memcpy(&rest, text, length);
    return sc_mix(hash, rest);
}

/* The slot that holds the text, or the empty one where it belongs. Slots hold id + 1. */
static uint32_t *find_text(const struct sc_intern *intern, const char *text, size_t length,
                           uint64_t hash)
{
    size_t mask = intern->capacity - 1;
    size_t at = hash & mask;
    while (intern->slots[at] != 0) {
        const struct sc_intern_text *known = &intern->texts[intern->slots[at] - 1];
        if (known->hash == hash && known->length == length &&
            (length == 0 || memcmp(known->text, text, length) == 0))
            break;
        at = (at + 1) & mask;
    }
    return &intern->slots[at];
}

static void grow_intern(struct sc_intern *intern)
{
    size_t capacity = intern->capacity ? intern->capacity * 2 : 64;
    free(intern->slots);
    intern->slots = sc_alloc(capacity, sizeof(*intern->slots));
    intern->capacity = capacity;
    /* the table is at most half full */
    intern->texts = sc_realloc(intern->texts, capacity / 2, sizeof(*intern->texts));
    for (uint32_t id = 0; id < intern->count; id++) {
        const struct sc_intern_text *text = &intern->texts[id];
        *find_text(intern, text->text, text->length, text->hash) = id + 1;
    }
}

uint32_t sc_intern_add(struct sc_intern *intern, const char *text, size_t length)
{
    if (((size_t)intern->count + 1) * 2 > intern->capacity)
        grow_intern(intern);
    uint64_t hash = hash_text(text, length);
    uint32_t *slot = find_text(intern, text, length, hash);
    if (*slot == 0) {
        intern->texts[intern->count] = (struct sc_intern_text){
            .text = sc_strndup(text, length), .length = length, .hash = hash};
        *slot = ++intern->count;
    }
    return *slot - 1;
}

uint32_t sc_intern_find(const struct sc_intern *intern, const char *text, size_t length)
{
    if (intern->capacity == 0)
        return SC_NONE;
    uint32_t id = *find_text(intern, text, length, hash_text(text, length));
    return id == 0 ? SC_NONE : id - 1;
}

const char *sc_intern_text(const struct sc_intern *intern, uint32_t id)
{
    return intern->texts[id].text;
}

size_t sc_intern_length(const struct sc_intern *intern, uint32_t id)
{
    return intern->texts[id].length;
}

const char *sc_intern_keep(struct sc_intern *intern, const char *text)
{
    uint32_t id = sc_intern_add(intern, text, strlen(text));
    return intern->texts[id].text;
}

void sc_intern_done(struct sc_intern *intern)
{
    for (uint32_t id = 0; id < intern->count; id++)
        free(intern->texts[id].text);
    free(intern->texts);
    free(intern->slots);
    *intern = (struct sc_intern){0};
}
