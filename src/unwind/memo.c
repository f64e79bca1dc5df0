/*
 * unwind/memo.c - a cache of the unwind rows of return addresses.
 *
 * A row is kept in three words and a check word, a hash of them and of the address that they are
 * for: if another thread is just replacing a word, the check fails, and the row is computed again.
 *
 * We do not notice when a library is unloaded and another is loaded in its place. So a row is kept
 * with the index of its entry in the module's search table and a hash of the part of the record
 * (and of its CIE) that it was computed from. It is used only if that entry of the current table
 * covers the address and the record there still has that hash.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>

#include "unwind/record.h"
#include "unwind/signal_safe.h"

#define ENTRIES 4096 /* 128 KiB, touched only where used */

/* How much of a CIE is hashed: in those that compilers write, these are the length, version,
 * letters and factors, and the first instructions. */
#define COMMON_BYTES 24

#define USED_BITS      11
#define INDEX_BITS     32
#define COLUMN_BITS    5
#define SLOT_SCALE     8 /* saved registers are at multiples of this from the CFA */
#define SLOT_UNDEFINED INT8_MIN

struct entry {
    _Atomic uint64_t check;
    _Atomic uint64_t record; /* index of the record, bytes hashed, CFA column */
    _Atomic uint64_t slots;  /* a signed byte per slot, 0 for a register that was not saved */
    _Atomic uint64_t frame;  /* CFA offset, hash */
};

static struct entry entries[ENTRIES];

SC_SIGNAL_SAFE static uint64_t check_of(uint64_t pc, uint64_t record, uint64_t slots,
                                        uint64_t frame)
{
    return sc_unwind_mix(sc_unwind_mix(sc_unwind_mix(pc, record), slots), frame);
}

SC_SIGNAL_SAFE static struct entry *entry_of(uint64_t pc)
{
    return &entries[(sc_unwind_mix(pc, 1) >> 32) % ENTRIES];
}

/* Adds a word to a hash. The products do not depend on each other: calling sc_unwind_mix for each
 * word took a fifth of the time of an unwinding that finds all its rows here. */
SC_SIGNAL_SAFE static void add(uint64_t *hash, uint64_t *factor, uint64_t word)
{
    *hash += (word ^ (word >> 32)) * *factor;
    *factor += 2 * 0x9e3779b97f4a7c15U; /* stays odd */
}

/* Adds used bytes, at least 8, from words on; the last word overlaps the one before it. */
SC_SIGNAL_SAFE static void add_bytes(uint64_t *hash, uint64_t *factor,
                                     const struct sc_unaligned_word *words, size_t used)
{
    for (size_t i = 0; i < used / 8; i++)
        add(hash, factor, words[i].word);
    if (used % 8 != 0)
        add(hash, factor,
            ((const struct sc_unaligned_word *)((const uint8_t *)words + used - 8))->word);
}

/* Does what hash_record does, if record and CIE can be read in place; false if they cannot. */
SC_SIGNAL_SAFE static bool hash_in_place(const struct sc_unwind_module *module, uint64_t address,
                                         size_t used, uint32_t *ret_hash)
{
    const struct sc_unaligned_word *record = used >= 8 ? sc_unwind_at(module, address, used) : NULL;
    if (record == NULL)
        return false;
    uint32_t common_distance = (uint32_t)(record->word >> 32);
    const struct sc_unaligned_word *common =
        sc_unwind_at(module, address + 4 - common_distance, COMMON_BYTES);
    if (common == NULL)
        return false;
    uint64_t hash = used;
    uint64_t factor = 0xbf58476d1ce4e5b9U;
    add_bytes(&hash, &factor, record, used);
    add_bytes(&hash, &factor, common, COMMON_BYTES);
    *ret_hash = (uint32_t)(hash >> 32);
    return true;
}

/* Hashes what a row was computed from: the first bytes of the record and those of its CIE, which
 * comes before it. Nothing after the record is read, as there may be no memory. */
SC_SIGNAL_SAFE static bool hash_record(const struct sc_unwind_module *module, uint64_t address,
                                       size_t used, uint32_t *ret_hash)
{
    if (hash_in_place(module, address, used, ret_hash))
        return true;
    uint64_t hash = used;
    uint64_t factor = 0xbf58476d1ce4e5b9U;
    uint32_t common_distance = 0;
    for (size_t done = 0; done < used; done += 32) {
        uint64_t words[4] = {0};
        size_t part = used - done < sizeof(words) ? used - done : sizeof(words);
        if (!sc_unwind_data(module, address + done, words, part))
            return false;
        if (done == 0)
            common_distance = (uint32_t)(words[0] >> 32);
        for (size_t i = 0; i < (part + 7) / 8; i++)
            add(&hash, &factor, words[i]);
    }
    uint64_t common[COMMON_BYTES / 8];
    if (!sc_unwind_data(module, address + 4 - common_distance, common, sizeof(common)))
        return false;
    for (size_t i = 0; i < COMMON_BYTES / 8; i++)
        add(&hash, &factor, common[i]);
    *ret_hash = (uint32_t)(hash >> 32);
    return true;
}

SC_SIGNAL_SAFE bool sc_unwind_memo_get(const struct sc_unwind_table *table, uint64_t pc,
                                       struct sc_unwind_row *ret_row)
{
    struct entry *entry = entry_of(pc);
    uint64_t check = atomic_load_explicit(&entry->check, memory_order_relaxed);
    uint64_t record = atomic_load_explicit(&entry->record, memory_order_relaxed);
    uint64_t slots = atomic_load_explicit(&entry->slots, memory_order_relaxed);
    uint64_t frame = atomic_load_explicit(&entry->frame, memory_order_relaxed);
    if (check != check_of(pc, record, slots, frame))
        return false;
    uint32_t index = (uint32_t)record;
    size_t used = (record >> INDEX_BITS) & ((1U << USED_BITS) - 1);
    struct sc_unwind_entry here;
    uint32_t hash;
    if (!sc_unwind_table_covers(table, index, pc, &here) ||
        !hash_record(table->module, here.record, used, &hash) || hash != (uint32_t)frame)
        return false;
    for (size_t i = 0; i < SC_SLOTS; i++) {
        int8_t slot = (int8_t)(slots >> (8 * i));
        ret_row->kinds[i] = slot == 0                ? SC_RULE_SAME
                            : slot == SLOT_UNDEFINED ? SC_RULE_UNDEFINED
                                                     : SC_RULE_OFFSET;
        ret_row->values[i] = slot * SLOT_SCALE;
    }
    ret_row->is_plain = true;
    ret_row->frame_is_expression = false;
    ret_row->frame_column = (uint8_t)(record >> (INDEX_BITS + USED_BITS));
    ret_row->frame_offset = (int32_t)(frame >> 32);
    return true;
}

/* False when the row has a form that cannot be cached. */
SC_SIGNAL_SAFE static bool pack_slots(const struct sc_unwind_row *row, uint64_t *ret_slots)
{
    *ret_slots = 0;
    for (size_t i = 0; i < SC_SLOTS; i++) {
        int32_t slot = 0;
        if (row->kinds[i] == SC_RULE_UNDEFINED)
            slot = SLOT_UNDEFINED;
        else if (row->kinds[i] == SC_RULE_OFFSET)
            slot = row->values[i] / SLOT_SCALE;
        else if (row->kinds[i] != SC_RULE_SAME)
            return false;
        if (row->kinds[i] == SC_RULE_OFFSET && (slot == 0 || slot * SLOT_SCALE != row->values[i] ||
                                                slot <= INT8_MIN || slot > INT8_MAX))
            return false;
        *ret_slots |= (uint64_t)(uint8_t)slot << (8 * i);
    }
    return true;
}

SC_SIGNAL_SAFE void sc_unwind_memo_put(const struct sc_unwind_table *table, uint64_t pc,
                                       uint32_t index, const struct sc_unwind_record *record,
                                       size_t used, const struct sc_unwind_row *row)
{
    uint64_t slots;
    uint32_t hash;
    if (row->frame_is_expression || used >= 1U << USED_BITS ||
        row->frame_column >= 1U << COLUMN_BITS || !pack_slots(row, &slots) ||
        !hash_record(table->module, record->address, used, &hash))
        return;
    uint64_t which = index | (uint64_t)used << INDEX_BITS |
                     (uint64_t)row->frame_column << (INDEX_BITS + USED_BITS);
    uint64_t frame = (uint64_t)(uint32_t)row->frame_offset << 32 | hash;
    struct entry *entry = entry_of(pc);
    atomic_store_explicit(&entry->record, which, memory_order_relaxed);
    atomic_store_explicit(&entry->slots, slots, memory_order_relaxed);
    atomic_store_explicit(&entry->frame, frame, memory_order_relaxed);
    atomic_store_explicit(&entry->check, check_of(pc, which, slots, frame), memory_order_relaxed);
}
