/* observer/memory/touched.c - see touched.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/memory/touched.h"

#include <math.h>
#include <string.h>

#define ALL UINT64_MAX

/* No program touches memory faster: twice what one thread can write. */
#define PACE_MAX 32.0 /* bytes a nanosecond */

/* Looks may use BURST_NS of CPU time at first, and then one part in TIME_PARTS of the time. */
#define BURST_NS   20000000
#define TIME_PARTS 200U

#define WALK_MAX      2048U       /* older blocks at one look */
#define WHOLE_LOOK_NS 1000000000U /* between looks at a block that is all present */
#define QUIET_LOOK_NS 250000000U  /* at others, while resident memory stays as it is */
#define QUIET_BYTES   ((uint64_t)256 << 10)

void sc_touched_done(struct sc_touched *touched)
{
    sc_vec_done(&touched->events);
    sc_vec_done(&touched->blocks);
    free(touched->places);
    touched->places = NULL;
}

void sc_touched_add(struct sc_touched *touched, enum sc_record_kind kind, const void *record)
{
    struct sc_touched_event event = {.kind = kind, .touched_bytes = ALL};
    if (touched->memory->ledger == NULL)
        return;
    if (kind == SC_RECORD_ALLOCATION)
        event.record.allocation = *(const struct sc_record_allocation *)record;
    else if (kind == SC_RECORD_FREE)
        event.record.free = *(const struct sc_record_free *)record;
    else
        event.record.cut = *(const struct sc_record_cut *)record;
    sc_vec_push(&touched->events, event);
}

void sc_touched_add_path(struct sc_touched *touched, uint32_t path)
{
    if (touched->events.count > 0)
        touched->events.items[touched->events.count - 1].path = path;
}

void sc_touched_add_label(struct sc_touched *touched, uint64_t span, uint32_t unit)
{
    struct sc_touched_event event = {.record.label = {span, unit}, .kind = SC_RECORD_LABEL};
    if (touched->memory->ledger != NULL)
        sc_vec_push(&touched->events, event);
}

static uint64_t size_of(const struct sc_touched_block *block)
{
    return block->range.end - block->range.start;
}

static struct sc_touched_block *find_block(const struct sc_touched *touched, uint32_t slot)
{
    if (touched->places == NULL || slot >= SC_BLOCK_SLOTS || touched->places[slot] == 0)
        return NULL;
    return &touched->blocks.items[touched->places[slot] - 1];
}

static void remove_block(struct sc_touched *touched, uint32_t slot)
{
    struct sc_touched_block *block = find_block(touched, slot);
    if (block == NULL)
        return;
    *block = touched->blocks.items[--touched->blocks.count];
    touched->places[block->slot] = touched->places[slot];
    touched->places[slot] = 0;
}

static void follow(struct sc_touched *touched, const struct sc_touched_block *block)
{
    if (touched->is_blind || block->slot >= SC_BLOCK_SLOTS || size_of(block) < SC_TOUCHED_MIN_BYTES)
        return;
    if (touched->places == NULL)
        touched->places = sc_alloc(SC_BLOCK_SLOTS, sizeof(*touched->places));
    sc_vec_push(&touched->blocks, *block);
    touched->places[block->slot] = (uint32_t)touched->blocks.count;
}

/* Counts bytes as present for the event's block, and for the blocks that it was part of. */
static void count(const struct sc_touched *touched, uint32_t number, uint64_t bytes)
{
    while (number != 0) {
        struct sc_touched_event *event = &touched->events.items[number - 1];
        event->touched_bytes += bytes;
        number = event->above;
    }
}

static uint64_t at_most(double bytes, uint64_t most)
{
    return bytes < (double)most ? (uint64_t)bytes : most;
}

/* Estimates how many bytes of the block were present at a time for which there was no look. */
static uint64_t guess(const struct sc_touched *touched, const struct sc_touched_block *block,
                      uint64_t time_ns)
{
    uint64_t size = size_of(block);
    double passed_ns = time_ns > block->known_ns ? (double)(time_ns - block->known_ns) : 0;
    if (block->birth != 0)
        return block->may_be_filled ? size : at_most(passed_ns * PACE_MAX, size);
    if (touched->still_ns > block->known_ns)
        return block->touched_bytes;
    return at_most((double)block->touched_bytes + passed_ns * block->pace, size);
}

static void foresee_allocation(struct sc_touched *touched, uint32_t number)
{
    struct sc_touched_event *event = &touched->events.items[number - 1];
    const struct sc_record_allocation *record = &event->record.allocation;
    struct sc_touched_block block = {
        .range = {.start = record->address, .end = record->address + record->size_bytes},
        .slot = record->slot,
        .birth = number,
        .may_be_filled = (record->flags & SC_ALLOCATION_FILLED) != 0,
        .is_shared = (record->flags & SC_ALLOCATION_SHARED) != 0,
        .known_ns = record->time_ns,
    };
    remove_block(touched, record->slot);
    if (record->address == 0 || block.range.end < block.range.start)
        return;
    follow(touched, &block);
    if (find_block(touched, record->slot) != NULL)
        event->touched_bytes = 0;
}

static void foresee_free(struct sc_touched *touched, uint32_t number)
{
    struct sc_touched_event *event = &touched->events.items[number - 1];
    const struct sc_touched_block *block = find_block(touched, event->record.free.slot);
    if (block == NULL)
        return;
    uint64_t bytes = guess(touched, block, event->record.free.time_ns);
    if (block->birth != 0)
        count(touched, block->birth, bytes);
    else
        event->touched_bytes = bytes;
    event->is_early = block->birth == 0 && !block->is_cut;
    remove_block(touched, event->record.free.slot);
}

/* Takes a part, at the beginning or the end, off the block's range; returns the part. */
static struct sc_pages_range take_off(struct sc_touched_block *block, uint64_t address,
                                      uint64_t bytes)
{
    struct sc_pages_range part = block->range;
    if (address <= block->range.start)
        block->range.start = part.end = part.start + bytes;
    else
        block->range.end = part.start = part.end - bytes;
    return part;
}

static void foresee_cut(struct sc_touched *touched, uint32_t number)
{
    struct sc_touched_event *event = &touched->events.items[number - 1];
    const struct sc_record_cut *record = &event->record.cut;
    struct sc_touched_block *block = find_block(touched, record->slot);
    if (block == NULL || record->part_slot == record->slot)
        return;
    uint64_t size = size_of(block);
    uint64_t bytes = record->bytes < size ? record->bytes : size;
    uint64_t known = guess(touched, block, record->time_ns);
    uint64_t there = size > 0 ? at_most((double)known * ((double)bytes / (double)size), bytes) : 0;
    block->is_cut = true;
    struct sc_touched_block part = *block;
    part.range = take_off(block, record->address, bytes);
    part.slot = record->part_slot;
    part.touched_bytes = there;
    if (block->birth != 0) {
        part.birth = number;
        event->above = block->birth;
        event->touched_bytes = 0;
    } else {
        block->touched_bytes -= there < block->touched_bytes ? there : block->touched_bytes;
        event->touched_bytes = there;
    }
    remove_block(touched, part.slot);
    follow(touched, &part);
    if (part.birth != 0 && find_block(touched, part.slot) == NULL)
        count(touched, number, there);
}

static void foresee(struct sc_touched *touched)
{
    while (touched->foreseen_count < touched->events.count) {
        uint32_t number = (uint32_t)++touched->foreseen_count;
        enum sc_record_kind kind = touched->events.items[number - 1].kind;
        if (kind == SC_RECORD_ALLOCATION)
            foresee_allocation(touched, number);
        else if (kind == SC_RECORD_FREE)
            foresee_free(touched, number);
        else if (kind == SC_RECORD_CUT)
            foresee_cut(touched, number);
    }
}

static uint32_t slot_of(const struct sc_touched_event *event)
{
    if (event->kind == SC_RECORD_LABEL)
        return SC_NO_SLOT;
    if (event->kind == SC_RECORD_ALLOCATION)
        return event->record.allocation.slot;
    return event->kind == SC_RECORD_FREE ? event->record.free.slot : event->record.cut.slot;
}

/* Looks at a block and takes the cost off the allowance. */
static void look_at(struct sc_touched *touched, struct sc_touched_block *block)
{
    bool never = false;
    touched->looks++;
    uint64_t begun_ns = touched->source.now_ns();
    if (block->is_shared && touched->has_forked) {
        block->has_seen = true;
        block->seen_bytes = size_of(block);
        block->seen_ns = begun_ns;
        return;
    }
    uint64_t begun_cpu_ns = touched->source.cpu_ns();
    block->seen_ns = begun_ns;
    block->has_seen =
        touched->source.count(touched->source.context, block->range, &block->seen_bytes, &never);
    touched->is_blind = touched->is_blind || never;
    touched->allowance_ns -= (int64_t)(touched->source.cpu_ns() - begun_cpu_ns);
}

/* Looks at the blocks whose first event waits. */
static void look_at_new(struct sc_touched *touched)
{
    for (size_t i = 0; i < touched->foreseen_count && touched->allowance_ns > 0; i++) {
        const struct sc_touched_event *event = &touched->events.items[i];
        bool is_part = event->kind == SC_RECORD_CUT;
        struct sc_touched_block *block =
            find_block(touched, is_part ? event->record.cut.part_slot : slot_of(event));
        if (block != NULL && block->birth == i + 1)
            look_at(touched, block);
    }
}

static bool is_due(const struct sc_touched *touched, const struct sc_touched_block *block,
                   uint64_t now_ns, bool has_moved)
{
    if (block->birth == 0 && block->is_shared && touched->has_forked)
        return block->touched_bytes < size_of(block);
    bool is_whole = block->touched_bytes >= size_of(block);
    uint64_t interval_ns = is_whole ? WHOLE_LOOK_NS : has_moved ? 0 : QUIET_LOOK_NS;
    return block->birth == 0 && now_ns >= block->known_ns + interval_ns;
}

static void look_at_old(struct sc_touched *touched, uint64_t resident_bytes, uint64_t now_ns)
{
    uint64_t before = touched->resident_bytes;
    uint64_t step = resident_bytes > before ? resident_bytes - before : before - resident_bytes;
    bool has_moved = step >= QUIET_BYTES;
    size_t walked = 0;
    for (; walked < touched->blocks.count && walked < WALK_MAX && touched->allowance_ns > 0;
         walked++) {
        touched->cursor = (touched->cursor + 1) % touched->blocks.count;
        struct sc_touched_block *block = &touched->blocks.items[touched->cursor];
        if (is_due(touched, block, now_ns, has_moved))
            look_at(touched, block);
    }
    if (!has_moved)
        touched->still_ns = now_ns;
    else if (walked == touched->blocks.count)
        touched->resident_bytes = resident_bytes;
}

static void earn(struct sc_touched *touched, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns > touched->looked_ns ? now_ns - touched->looked_ns : 0;
    int64_t earned_ns = touched->has_begun ? (int64_t)(passed_ns / TIME_PARTS) : BURST_NS;
    touched->has_begun = true;
    touched->looked_ns = now_ns;
    touched->allowance_ns += earned_ns;
    if (touched->allowance_ns > BURST_NS)
        touched->allowance_ns = BURST_NS;
}

void sc_touched_measure(struct sc_touched *touched, uint64_t now_ns)
{
    foresee(touched);
    earn(touched, now_ns);
    touched->is_over = false;
    if (touched->blocks.count == 0)
        return;
    uint64_t looks = touched->looks;
    uint64_t resident_bytes = touched->source.resident(touched->source.context);
    look_at_new(touched);
    look_at_old(touched, resident_bytes, now_ns);
    /* a process that has ended meanwhile has no pages */
    if (touched->looks != looks)
        resident_bytes = touched->source.resident(touched->source.context);
    touched->is_over = resident_bytes == 0;
}

static uint64_t time_of(const struct sc_touched_event *event)
{
    if (event->kind == SC_RECORD_ALLOCATION)
        return event->record.allocation.time_ns;
    return event->kind == SC_RECORD_FREE ? event->record.free.time_ns : event->record.cut.time_ns;
}

/* Replaces what a look saw of blocks that were gone, at least in part, when they were looked at. */
static void doubt(struct sc_touched *touched)
{
    for (size_t i = touched->foreseen_count; i < touched->events.count; i++) {
        const struct sc_touched_event *event = &touched->events.items[i];
        struct sc_touched_block *block = find_block(touched, slot_of(event));
        if (block == NULL || !block->has_seen || time_of(event) > block->seen_ns)
            continue;
        block->has_seen = block->birth != 0;
        block->seen_bytes = guess(touched, block, time_of(event));
    }
}

static void learn(struct sc_touched *touched, struct sc_touched_block *block, uint64_t bytes,
                  uint64_t now_ns)
{
    uint64_t before = block->birth != 0 ? 0 : block->touched_bytes;
    double passed_ns = now_ns > block->known_ns ? (double)(now_ns - block->known_ns) : 0;
    block->pace = bytes > before && passed_ns > 0 ? (double)(bytes - before) / passed_ns : 0;
    if (block->birth != 0) {
        block->pace = PACE_MAX; /* the look may have come just before the block was filled */
        count(touched, block->birth, bytes);
    }
    block->birth = 0;
    block->touched_bytes = bytes;
    block->known_ns = now_ns;
}

/* Updates new blocks: their bytes must be known when the events are applied. */
static void learn_new(struct sc_touched *touched, uint64_t now_ns)
{
    SC_EACH(struct sc_touched_block, block, &touched->blocks) {
        uint64_t bytes = size_of(block);
        if (block->birth == 0)
            continue;
        bool is_known = block->has_seen || touched->is_over;
        if (touched->is_over)
            bytes = guess(touched, block, now_ns);
        else if (block->has_seen)
            bytes = block->seen_bytes;
        learn(touched, block, bytes, is_known ? now_ns : 0);
        block->has_seen = false;
    }
}

/* A program that was filling a block at one look is taken to finish that before it does other
 * things: so bytes touched since are entered before the events, and bytes given back after them. */
static void learn_old(struct sc_touched *touched, uint64_t now_ns, bool has_grown)
{
    SC_EACH(struct sc_touched_block, block, &touched->blocks) {
        uint64_t before = block->touched_bytes;
        uint64_t since_ns = block->known_ns;
        if (has_grown &&
            (block->birth != 0 || block->is_cut || (block->has_seen && block->seen_bytes < before)))
            continue;
        if (touched->is_blind)
            learn(touched, block, size_of(block), now_ns);
        else if (touched->is_over)
            learn(touched, block, guess(touched, block, now_ns), now_ns);
        else if (block->has_seen)
            learn(touched, block, block->seen_bytes, now_ns);
        block->has_seen = false;
        bool was_cut = block->is_cut;
        block->is_cut = false;
        if (block->touched_bytes != before || was_cut)
            sc_memory_touch(touched->memory, block->slot, block->touched_bytes,
                            has_grown ? since_ns : now_ns,
                            has_grown ? touched->settled_ns : now_ns);
    }
}

/* Enters, before the events, what was touched of the old blocks that they free. */
static void grow_freed(const struct sc_touched *touched)
{
    for (size_t i = 0; i < touched->foreseen_count; i++) {
        const struct sc_touched_event *event = &touched->events.items[i];
        if (event->is_early)
            sc_memory_touch(touched->memory, event->record.free.slot, event->touched_bytes,
                            touched->settled_ns, touched->settled_ns);
    }
}

static void apply(struct sc_touched *touched, const struct sc_touched_event *event)
{
    if (event->kind == SC_RECORD_ALLOCATION) {
        sc_memory_add_allocation(touched->memory, &event->record.allocation, event->touched_bytes);
    } else if (event->kind == SC_RECORD_CUT) {
        sc_memory_add_cut(touched->memory, &event->record.cut, event->touched_bytes);
    } else if (event->kind == SC_RECORD_LABEL) {
        sc_memory_add_label(touched->memory, event->record.label.span, event->record.label.unit);
    } else {
        const struct sc_record_free *record = &event->record.free;
        if (event->touched_bytes != ALL && !event->is_early)
            sc_memory_touch(touched->memory, record->slot, event->touched_bytes, record->time_ns,
                            record->time_ns);
        sc_memory_add_free(touched->memory, record);
    }
}

/* The ledger's sums that units of work are charged with the changes of. */
struct sums {
    uint64_t live_bytes, allocated_bytes, copied_bytes;
};

static struct sums sums_of(const struct sc_touched *touched)
{
    const struct sc_ledger *ledger = touched->memory->ledger;
    if (ledger == NULL)
        return (struct sums){0};
    return (struct sums){ledger->all.live_bytes, ledger->all.allocated_bytes,
                         ledger->all.copied_bytes};
}

/* Charges labels what has changed since before: by an event, or by looks where it is NULL. */
static void charge_labels(const struct sc_touched *touched, const struct sums *before,
                          const struct sc_touched_event *event)
{
    struct sc_followed_memory *memory = touched->memory;
    struct sums now = sums_of(touched);
    double square = 0;
    if (event != NULL && event->kind == SC_RECORD_ALLOCATION &&
        (event->record.allocation.flags & SC_ALLOCATION_EXACT) == 0) {
        square = pow((double)event->record.allocation.weight_bytes, 2);
        if (event->record.allocation.slot < SC_BLOCK_SLOTS)
            sc_unit_memory_born(&memory->labels, event->record.allocation.slot, square);
    } else if (event != NULL && event->kind == SC_RECORD_FREE) {
        sc_unit_memory_gone(&memory->labels, event->record.free.slot);
    }
    sc_unit_memory_change(&memory->labels, (double)now.live_bytes - (double)before->live_bytes);
    if (event == NULL || event->path == 0)
        return;
    if (now.allocated_bytes >
        before->allocated_bytes) /* less: a block that was there is gone, too */
        sc_units_allocate(memory->units, event->path, now.allocated_bytes - before->allocated_bytes,
                          square);
    sc_units_copy(memory->units, event->path, now.copied_bytes - before->copied_bytes);
}

void sc_touched_flush(struct sc_touched *touched, uint64_t now_ns)
{
    size_t count = touched->foreseen_count;
    if (touched->events.count == 0 && touched->blocks.count == 0) {
        touched->settled_ns = now_ns;
        return;
    }
    struct sums before = sums_of(touched);
    doubt(touched);
    learn_old(touched, now_ns, true);
    grow_freed(touched);
    learn_new(touched, now_ns);
    charge_labels(touched, &before, NULL);
    for (size_t i = 0; i < count; i++) {
        before = sums_of(touched);
        apply(touched, &touched->events.items[i]);
        charge_labels(touched, &before, &touched->events.items[i]);
    }
    before = sums_of(touched);
    learn_old(touched, now_ns, false);
    charge_labels(touched, &before, NULL);
    touched->settled_ns = now_ns;
    touched->events.count -= count;
    if (touched->events.count > 0)
        memmove(touched->events.items, touched->events.items + count,
                touched->events.count * sizeof(touched->events.items[0]));
    touched->foreseen_count = 0;
    while (touched->blocks.count > 0 && (touched->is_over || touched->is_blind))
        remove_block(touched, touched->blocks.items[touched->blocks.count - 1].slot);
}
