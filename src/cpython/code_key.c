/* cpython/code_key.c - see code_key.h. SPDX-License-Identifier: Apache-2.0 */
#include "cpython/code_key.h"

#include "cpython/load.h"
#include "cpython/text.h"

enum { CHUNK_BYTES = 128 };

/* The most bytes of a text: no path is longer, and the observer keeps less of other names. */
static const uint64_t text_limit = 4096;

/* How much of a line table is hashed: all of it up to limit bytes, else pieces from its start to
 * its end. */
struct extent {
    uint64_t limit;
    uint64_t piece;
};

static const struct extent for_key = {.limit = (uint64_t)1 << 18, .piece = 1024};
static const struct extent for_token = {.limit = 1024, .piece = 64};

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 32);
}

/* The finaliser of splitmix64; never 0. The tool's sc_mix cannot be linked into the agent. */
static uint64_t finished(uint64_t hash)
{
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
    return hash != 0 ? hash : 1;
}

static bool mix_bytes(const struct sc_target *target, uint64_t address, uint64_t length,
                      uint64_t *hash)
{
    uint8_t chunk[CHUNK_BYTES];
    while (length > 0) {
        size_t part = length < CHUNK_BYTES ? (size_t)length : CHUNK_BYTES;
        if (!sc_target_read(target, address, chunk, part))
            return false;
        for (size_t i = part; i % 8 != 0; i++)
            chunk[i] = 0;
        for (size_t i = 0; i < part; i += 8)
            *hash = mixed(*hash, sc_load_u64(chunk + i));
        address += part;
        length -= part;
    }
    return true;
}

static bool mix_text(const struct sc_code_namer *namer, uint64_t object, uint64_t *hash)
{
    struct sc_characters text;
    if (!sc_characters_find(namer->layout, namer->target, object, &text))
        return false;
    uint64_t length = text.count * text.width;
    *hash = mixed(*hash, length << 3 | text.width);
    return mix_bytes(namer->target, text.address, length < text_limit ? length : text_limit, hash);
}

static bool mix_table(const struct sc_code_namer *namer, uint64_t object,
                      const struct extent *extent, uint64_t *hash)
{
    size_t length = 0;
    if (!sc_bytes_size(namer->layout, namer->target, object, &length))
        return false;
    uint64_t address = object + (uint32_t)namer->layout->by_data;
    *hash = mixed(*hash, length);
    if (length <= extent->limit)
        return mix_bytes(namer->target, address, length, hash);
    uint64_t pieces = extent->limit / extent->piece;
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t from = (length - extent->piece) * i / (pieces - 1);
        if (!mix_bytes(namer->target, address + from, extent->piece, hash))
            return false;
    }
    return true;
}

static bool mix_content(const struct sc_code_namer *namer, const struct sc_code_facts *facts,
                        const struct extent *extent, uint64_t *hash)
{
    *hash = mixed(*hash, facts->first_line);
    return mix_text(namer, facts->filename, hash) && mix_text(namer, facts->name, hash) &&
           mix_table(namer, facts->line_table, extent, hash);
}

uint64_t sc_code_token(const struct sc_code_namer *namer, const struct sc_code_facts *facts)
{
    bool has_number = facts->version != 0 && namer->interpreter != 0;
    uint64_t hash = mixed(namer->interpreter ^ namer->epoch, facts->code);
    hash = mixed(hash, facts->filename);
    hash = mixed(hash, facts->name);
    hash = mixed(hash, facts->line_table);
    if (has_number)
        hash = mixed(hash, (uint64_t)facts->version << 32 | facts->first_line);
    else if (!mix_content(namer, facts, &for_token, &hash))
        return 0;
    return finished(hash);
}

/* Names in brackets are no paths. */
static bool is_relative(const struct sc_code_namer *namer, uint64_t filename)
{
    struct sc_characters text;
    uint8_t first = '/';
    return sc_characters_find(namer->layout, namer->target, filename, &text) && text.count > 0 &&
           sc_target_read(namer->target, text.address, &first, sizeof(first)) && first != '/' &&
           first != '<' && first != '[';
}

uint64_t sc_code_key_make(const struct sc_code_namer *namer, const struct sc_code_facts *facts)
{
    uint64_t hash = 0;
    if (namer->directory != 0 && is_relative(namer, facts->filename))
        hash = mixed(hash, namer->directory);
    return mix_content(namer, facts, &for_key, &hash) ? finished(hash) : 0;
}

static struct sc_code_key_slot *slot_of(const struct sc_code_namer *namer, uint64_t token)
{
    return &namer->keys.slots[token & (namer->keys.count - 1)];
}

uint64_t sc_code_key_find(const struct sc_code_namer *namer, uint64_t token)
{
    const struct sc_code_key_slot *slot = slot_of(namer, token);
    uint64_t key = atomic_load_explicit(&slot->key, memory_order_relaxed);
    uint64_t check = atomic_load_explicit(&slot->check, memory_order_relaxed);
    return (check ^ key) == token ? key : 0;
}

void sc_code_key_keep(const struct sc_code_namer *namer, uint64_t token, uint64_t key)
{
    struct sc_code_key_slot *slot = slot_of(namer, token);
    atomic_store_explicit(&slot->key, key, memory_order_relaxed);
    atomic_store_explicit(&slot->check, token ^ key, memory_order_relaxed);
}

uint64_t sc_interpreter_number(const struct sc_layout *layout, const struct sc_target *target,
                               uint64_t interpreter)
{
    uint64_t id = 0;
    if (!sc_is_object_address(interpreter) || !sc_read_u64(target, interpreter, layout->is_id, &id))
        return 0;
    return id + 1;
}

uint64_t sc_thread_interpreter_number(const struct sc_layout *layout,
                                      const struct sc_target *target, uint64_t thread_state)
{
    uint64_t interpreter = 0;
    if (layout->is_id < 0 || !sc_read_u64(target, thread_state, layout->ts_interp, &interpreter))
        return 0;
    return sc_interpreter_number(layout, target, interpreter);
}
