/* observer/memory/memory.c - see memory.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/memory/memory.h"

/* A sample that stands for more than this is young at first. When blocks are allocated and freed
 * very fast it may stand for a thousand of them, of which few are alive at once. Only if it is
 * still alive at the next sample of its size class are the others taken to be alive, too. */
#define YOUNG_WEIGHT_BYTES (256U << 10)
#define MOVING_NS          1000000U /* between the end of a block and its being sent as moved */
#define STACKS_MAX         ((size_t)1 << 17) /* of one round */
#define SMALL_BITS         14 /* blocks below 2^14 bytes are one kind, then each power of two */

struct sc_live_block {
    bool is_live;
    uint8_t kind; /* while it is young */
    uint64_t size_bytes;
    uint64_t waiting_bytes; /* what it stands for besides itself, while it is young */
    struct sc_ledger_block block;
};

void sc_followed_memory_done(struct sc_followed_memory *memory)
{
    sc_map_done(&memory->stacks);
    sc_map_done(&memory->last_stacks);
    free(memory->blocks);
    memory->blocks = NULL;
    free(memory->successions);
    memory->successions = NULL;
    sc_unit_memory_done(&memory->labels);
}

static uint32_t find_stack(struct sc_followed_memory *memory, uint64_t stack_key)
{
    uint32_t node = sc_map_get(&memory->stacks, stack_key);
    if (node != SC_NONE)
        return node;
    node = sc_map_get(&memory->last_stacks, stack_key);
    if (node != SC_NONE)
        sc_map_put(&memory->stacks, stack_key, node);
    return node;
}

bool sc_memory_wants_stack(struct sc_followed_memory *memory, uint64_t stack_key)
{
    return find_stack(memory, stack_key) == SC_NONE;
}

void sc_memory_add_stack(struct sc_followed_memory *memory, uint64_t stack_key, uint32_t node)
{
    sc_map_put(&memory->stacks, stack_key, node);
}

uint32_t sc_memory_node(struct sc_followed_memory *memory, uint64_t stack_key)
{
    if (stack_key == 0)
        return 0;
    uint32_t node = find_stack(memory, stack_key);
    return node != SC_NONE ? node : 0;
}

bool sc_memory_has_many_stacks(const struct sc_followed_memory *memory)
{
    return memory->stacks.count >= STACKS_MAX;
}

void sc_memory_begin_round(struct sc_followed_memory *memory)
{
    sc_map_done(&memory->last_stacks);
    memory->last_stacks = memory->stacks;
    memory->stacks = (struct sc_map){0};
}

static void drop(struct sc_followed_memory *memory, struct sc_live_block *live, uint64_t time_ns)
{
    if (live->is_live)
        sc_ledger_free(memory->ledger, &live->block, time_ns);
    if (memory->young[live->kind] == live)
        memory->young[live->kind] = NULL;
    *live = (struct sc_live_block){.is_live = false};
}

static uint8_t kind_of(uint64_t size_bytes, bool is_pythons)
{
    if (is_pythons && size_bytes <= SC_SMALL_BLOCK_BYTES)
        return (uint8_t)(SC_MALLOC_KINDS + sc_small_stream(size_bytes));
    uint64_t times = size_bytes >> SMALL_BITS;
    return times == 0 ? 0 : (uint8_t)(64 - __builtin_clzll(times));
}

/* The young block of this size class has lived until the next sample. */
static void grow_up(struct sc_followed_memory *memory, uint8_t kind, uint64_t time_ns)
{
    struct sc_live_block *live = memory->young[kind];
    if (live == NULL)
        return;
    sc_ledger_grow(memory->ledger, &live->block, live->waiting_bytes, time_ns);
    live->waiting_bytes = 0;
    memory->young[kind] = NULL;
}

static struct sc_followed_successions *successions_of(struct sc_followed_memory *memory)
{
    if (memory->successions == NULL)
        memory->successions = sc_alloc(1, sizeof(*memory->successions));
    return memory->successions;
}

/* The part of a block's weight for so many of its bytes. */
static uint64_t share_of(uint64_t weight_bytes, uint64_t bytes, uint64_t size_bytes)
{
    return bytes < size_bytes
               ? (uint64_t)((double)weight_bytes * (double)bytes / (double)size_bytes)
               : weight_bytes;
}

static void add_copy(struct sc_followed_memory *memory, uint64_t stack_key, uint64_t bytes,
                     uint32_t points)
{
    sc_ledger_copy(memory->ledger, &(struct sc_ledger_copied){
                                       .node = sc_memory_node(memory, stack_key),
                                       .bytes = bytes,
                                       .points = points,
                                       .succession = &successions_of(memory)->copies,
                                   });
}

/* A block that realloc moves is sent as the end of the old one, and as the new one right behind it.
 * That is one change: between the two the program has not less memory. */
static bool is_moved(const struct sc_followed_memory *memory,
                     const struct sc_record_allocation *record)
{
    return record->old_bytes > 0 && record->time_ns >= memory->freed_ns &&
           record->time_ns - memory->freed_ns <= MOVING_NS;
}

void sc_memory_add_allocation(struct sc_followed_memory *memory,
                              const struct sc_record_allocation *record, uint64_t touched_bytes)
{
    if (memory->ledger == NULL)
        return;
    uint8_t kind = kind_of(record->size_bytes, (record->flags & SC_ALLOCATION_PYTHON) != 0);
    if (memory->blocks == NULL)
        memory->blocks = sc_alloc(SC_BLOCK_SLOTS, sizeof(*memory->blocks));
    struct sc_live_block *live =
        record->slot < SC_BLOCK_SLOTS ? &memory->blocks[record->slot] : NULL;
    if (live != NULL) /* the record that frees the slot's last block was lost */
        drop(memory, live, record->time_ns);
    uint64_t old_bytes =
        record->old_bytes < record->size_bytes ? record->old_bytes : record->size_bytes;
    bool moves = is_moved(memory, record);
    struct sc_ledger_allocation allocation = {
        .time_ns = moves ? memory->freed_ns : record->time_ns,
        .moved_bytes = moves ? memory->freed_bytes : 0,
        .moved_line = memory->freed_line,
        .node = sc_memory_node(memory, record->stack_key),
        .size_bytes = record->size_bytes,
        .old_bytes = old_bytes,
        .untouched_bytes =
            touched_bytes < record->size_bytes ? record->size_bytes - touched_bytes : 0,
        .weight_bytes = record->weight_bytes,
        .is_pythons = (record->flags & SC_ALLOCATION_PYTHON) != 0,
        .is_exact = (record->flags & SC_ALLOCATION_EXACT) != 0,
        .is_young =
            record->weight_bytes > YOUNG_WEIGHT_BYTES && record->weight_bytes > record->size_bytes,
        .points = record->points,
        .succession = &successions_of(memory)->blocks[kind],
    };
    grow_up(memory, kind, record->time_ns);
    struct sc_ledger_block block = sc_ledger_allocate(memory->ledger, &allocation, live != NULL);
    if ((record->flags & SC_ALLOCATION_COPIED) != 0)
        add_copy(memory, record->stack_key,
                 share_of(record->weight_bytes, old_bytes, record->size_bytes), record->points);
    if (live == NULL)
        return;
    *live = (struct sc_live_block){
        .is_live = true, .kind = kind, .size_bytes = record->size_bytes, .block = block};
    if (allocation.is_young) {
        live->waiting_bytes = record->weight_bytes - block.weight_bytes;
        memory->young[kind] = live;
    }
}

void sc_memory_add_free(struct sc_followed_memory *memory, const struct sc_record_free *record)
{
    bool is_known = memory->blocks != NULL && record->slot < SC_BLOCK_SLOTS;
    const struct sc_live_block *live = is_known ? &memory->blocks[record->slot] : NULL;
    memory->freed_ns = record->time_ns;
    memory->freed_bytes = is_known && live->is_live ? live->block.weight_bytes : 0;
    memory->freed_line = is_known ? live->block.line : 0;
    if (is_known)
        drop(memory, &memory->blocks[record->slot], record->time_ns);
}

void sc_memory_touch(struct sc_followed_memory *memory, uint32_t slot, uint64_t touched_bytes,
                     uint64_t since_ns, uint64_t time_ns)
{
    if (memory->blocks == NULL || slot >= SC_BLOCK_SLOTS || !memory->blocks[slot].is_live)
        return;
    struct sc_live_block *live = &memory->blocks[slot];
    sc_ledger_touch(memory->ledger, &live->block,
                    share_of(live->block.weight_bytes, touched_bytes, live->size_bytes), since_ns,
                    time_ns);
}

void sc_memory_add_cut(struct sc_followed_memory *memory, const struct sc_record_cut *record,
                       uint64_t touched_bytes)
{
    if (memory->blocks == NULL || record->slot >= SC_BLOCK_SLOTS ||
        record->part_slot == record->slot || !memory->blocks[record->slot].is_live)
        return;
    struct sc_live_block *live = &memory->blocks[record->slot];
    uint64_t bytes = record->bytes < live->size_bytes ? record->bytes : live->size_bytes;
    uint64_t weight_bytes = live->block.weight_bytes;
    struct sc_ledger_block part =
        sc_ledger_cut(memory->ledger, &live->block, share_of(weight_bytes, bytes, live->size_bytes),
                      share_of(weight_bytes, touched_bytes, live->size_bytes), record->time_ns);
    live->waiting_bytes -= share_of(live->waiting_bytes, bytes, live->size_bytes);
    live->size_bytes -= bytes;
    if (record->part_slot >= SC_BLOCK_SLOTS) {
        sc_ledger_free(memory->ledger, &part, record->time_ns);
        return;
    }
    struct sc_live_block *other = &memory->blocks[record->part_slot];
    drop(memory, other, record->time_ns);
    *other = (struct sc_live_block){.is_live = true, .size_bytes = bytes, .block = part};
}

void sc_memory_add_copy(struct sc_followed_memory *memory, const struct sc_record_copy *record)
{
    if (memory->ledger != NULL)
        add_copy(memory, record->stack_key, record->weight_bytes, record->points);
}

void sc_memory_add_label(struct sc_followed_memory *memory, uint64_t span, uint32_t unit)
{
    if (unit != SC_NONE)
        sc_unit_memory_enter(&memory->labels, span, unit);
    else
        sc_unit_memory_leave(&memory->labels, memory->units, span);
}

void sc_memory_finish(struct sc_followed_memory *memory, uint64_t time_ns)
{
    for (unsigned kind = 0; kind < SC_MEMORY_KINDS; kind++)
        grow_up(memory, (uint8_t)kind, time_ns);
}

void sc_memory_drop(struct sc_followed_memory *memory, uint64_t time_ns)
{
    /* nothing is written to slots that were never used: their pages do not exist yet */
    for (size_t i = 0; memory->blocks != NULL && i < SC_BLOCK_SLOTS; i++) {
        if (memory->blocks[i].is_live)
            drop(memory, &memory->blocks[i], time_ns);
    }
    free(memory->blocks);
    memory->blocks = NULL;
}
