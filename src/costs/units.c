/* costs/units.c - see units.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/units.h"

#include <math.h>
#include <string.h>

#define PATHS_MAX 65536U
#define OPEN_MAX  4096U /* of a thread, and of the memory of a process */
#define STEP_BITS 4U    /* 2^4 classes of durations in each power of two */

static size_t class_of(uint64_t ns)
{
    if (ns < 1U << STEP_BITS)
        return (size_t)ns;
    unsigned shift = 63U - STEP_BITS - (unsigned)__builtin_clzll(ns);
    return ((size_t)(shift + 1) << STEP_BITS) + ((ns >> shift) & ((1U << STEP_BITS) - 1));
}

/* The middle of a class. */
static uint64_t duration_of(size_t number)
{
    if (number < 1U << STEP_BITS)
        return number;
    unsigned shift = (unsigned)(number >> STEP_BITS) - 1;
    uint64_t least = ((1U << STEP_BITS) + (number & ((1U << STEP_BITS) - 1))) << shift;
    return least + (((uint64_t)1 << shift) >> 1);
}

void sc_spread_add(struct sc_spread *spread, uint64_t ns)
{
    uint32_t *count = &spread->counts[class_of(ns)];
    *count += *count < UINT32_MAX;
}

uint64_t sc_spread_quantile(const struct sc_spread *spread, uint64_t count, double share)
{
    double wanted = ceil(share * (double)count);
    uint64_t seen = 0;
    uint64_t longest_ns = 0; /* where a class is full */
    for (size_t i = 0; i < SC_SPREAD_COUNTS; i++) {
        seen += spread->counts[i];
        if (spread->counts[i] > 0 && (double)seen >= wanted)
            return duration_of(i);
        longest_ns = spread->counts[i] > 0 ? duration_of(i) : longest_ns;
    }
    return longest_ns;
}

void sc_units_done(struct sc_units *units)
{
    for (size_t i = 0; i < units->items.count; i++)
        free(units->items.items[i].spread);
    sc_intern_done(&units->names);
    sc_vec_done(&units->items);
    sc_vec_done(&units->paths);
    sc_map_done(&units->path_index);
    sc_pair_sums_done(&units->spent);
    sc_pair_sums_done(&units->waited);
}

static uint32_t unit_of(struct sc_units *units, const char *name, size_t length)
{
    uint32_t unit = sc_intern_find(&units->names, name, length);
    if (unit == SC_NONE && units->items.count >= SC_UNITS_MAX)
        unit = sc_intern_add(&units->names, SC_UNITS_OTHER, strlen(SC_UNITS_OTHER));
    else if (unit == SC_NONE)
        unit = sc_intern_add(&units->names, name, length);
    if (unit == units->items.count)
        sc_vec_push(&units->items, (struct sc_labelled){.entered = 0});
    return unit;
}

/* The path with one more name. */
static uint32_t path_below(struct sc_units *units, uint32_t outer, uint32_t unit)
{
    if (units->paths.count == 0)
        sc_vec_push(&units->paths, (struct sc_unit_path){.unit = SC_NONE});
    for (uint32_t at = outer; at != 0; at = units->paths.items[at].outer) {
        if (units->paths.items[at].unit == unit)
            return outer;
    }
    uint64_t key = (uint64_t)outer << 32 | unit;
    uint32_t path = sc_map_get(&units->path_index, key);
    if (path != SC_NONE)
        return path;
    uint32_t depth = units->paths.items[outer].depth + 1;
    if (depth > SC_UNIT_DEPTH || units->paths.count >= PATHS_MAX)
        return outer;
    path = (uint32_t)units->paths.count;
    sc_vec_push(&units->paths, (struct sc_unit_path){.outer = outer, .unit = unit, .depth = depth});
    sc_map_put(&units->path_index, key, path);
    return path;
}

uint32_t sc_units_enter(struct sc_units *units, struct sc_unit_thread *thread,
                        const struct sc_unit_open *entered, const char *name, size_t length)
{
    if (thread->open.count >= OPEN_MAX) {
        units->not_followed++;
        return SC_NONE;
    }
    struct sc_unit_open open = *entered;
    open.unit = unit_of(units, name, length);
    open.path_before = thread->path;
    thread->path = path_below(units, thread->path, open.unit);
    units->items.items[open.unit].entered++;
    sc_vec_push(&thread->open, open);
    return open.unit;
}

static void count_duration(struct sc_labelled *unit, uint64_t ns)
{
    if (unit->left == 1) {
        unit->spread = sc_alloc(1, sizeof(*unit->spread));
        sc_spread_add(unit->spread, unit->total_ns);
    }
    if (unit->spread != NULL)
        sc_spread_add(unit->spread, ns);
    unit->min_ns = unit->left == 0 || ns < unit->min_ns ? ns : unit->min_ns;
    unit->max_ns = ns > unit->max_ns ? ns : unit->max_ns;
    unit->total_ns += ns;
    unit->left++;
}

/* Removes a label that others were entered after: tasks and generators leave theirs in any order.
 */
static void remove_inner(struct sc_units *units, struct sc_unit_thread *thread, size_t at)
{
    struct sc_unit_open *open = thread->open.items;
    uint32_t path = open[at].path_before;
    for (size_t i = at; i + 1 < thread->open.count; i++) {
        open[i] = open[i + 1];
        open[i].path_before = path;
        path = path_below(units, path, open[i].unit);
    }
    thread->path = path;
}

bool sc_units_leave(struct sc_units *units, struct sc_unit_thread *thread, uint64_t span,
                    uint64_t time_ns, uint64_t cpu_ns)
{
    size_t at = thread->open.count;
    while (at > 0 && thread->open.items[at - 1].span != span)
        at--;
    if (at == 0)
        return false;
    struct sc_unit_open left = thread->open.items[at - 1];
    remove_inner(units, thread, at - 1);
    thread->open.count--;
    struct sc_labelled *unit = &units->items.items[left.unit];
    count_duration(unit, time_ns > left.since_ns ? time_ns - left.since_ns : 0);
    unit->cpu_ns += cpu_ns > left.since_cpu_ns ? cpu_ns - left.since_cpu_ns : 0;
    return true;
}

void sc_units_spend(struct sc_units *units, uint32_t path, uint32_t node, enum sc_time time,
                    uint64_t ns)
{
    units->paths.items[path].time_ns[time] += ns;
    sc_pair_sums_add(&units->spent, path, node, ns);
}

void sc_units_wait(struct sc_units *units, uint32_t path, uint32_t node, enum sc_wait wait,
                   uint64_t ns)
{
    units->paths.items[path].wait_ns[wait] += ns;
    sc_pair_sums_add(&units->waited, path, node, ns);
}

void sc_units_allocate(struct sc_units *units, uint32_t path, uint64_t bytes, double squares)
{
    units->paths.items[path].allocated_bytes += bytes;
    units->paths.items[path].allocated_squares += squares;
}

void sc_units_copy(struct sc_units *units, uint32_t path, uint64_t bytes)
{
    units->paths.items[path].copied_bytes += bytes;
}

void sc_unit_memory_done(struct sc_unit_memory *memory)
{
    sc_vec_done(&memory->open);
    sc_vec_done(&memory->blocks);
}

void sc_unit_memory_enter(struct sc_unit_memory *memory, uint64_t span, uint32_t unit)
{
    if (memory->open.count >= OPEN_MAX)
        return;
    sc_vec_push(&memory->open, (struct sc_unit_footprint){.span = span,
                                                          .number = memory->entered++,
                                                          .unit = unit,
                                                          .live_bytes = memory->live_bytes,
                                                          .peak_bytes = memory->live_bytes});
}

void sc_unit_memory_leave(struct sc_unit_memory *memory, struct sc_units *units, uint64_t span)
{
    size_t at = memory->open.count;
    while (at > 0 && memory->open.items[at - 1].span != span)
        at--;
    if (at == 0)
        return;
    const struct sc_unit_footprint left = memory->open.items[--at];
    struct sc_labelled *unit = &units->items.items[left.unit];
    double rise = left.peak_bytes - left.live_bytes;
    unit->growth_bytes += memory->live_bytes - left.live_bytes;
    unit->growth_squares += left.squares;
    if (rise > unit->peak_bytes) {
        unit->peak_bytes = rise;
        unit->peak_squares = left.peak_squares;
    }
    memmove(memory->open.items + at, memory->open.items + at + 1,
            (memory->open.count - at - 1) * sizeof(left));
    memory->open.count--;
}

void sc_unit_memory_born(struct sc_unit_memory *memory, uint32_t slot, double square)
{
    while (memory->blocks.count <= slot)
        sc_vec_push(&memory->blocks, (struct sc_unit_block){0});
    sc_unit_memory_gone(memory, slot); /* a block whose end was not seen */
    memory->blocks.items[slot] = (struct sc_unit_block){memory->entered, square};
    for (size_t i = 0; i < memory->open.count; i++)
        memory->open.items[i].squares += square;
}

void sc_unit_memory_gone(struct sc_unit_memory *memory, uint32_t slot)
{
    if (slot >= memory->blocks.count || memory->blocks.items[slot].square == 0)
        return;
    const struct sc_unit_block block = memory->blocks.items[slot];
    memory->blocks.items[slot] = (struct sc_unit_block){0};
    SC_EACH(struct sc_unit_footprint, open, &memory->open)
        open->squares += open->number < block.number ? -block.square : block.square;
}

void sc_unit_memory_change(struct sc_unit_memory *memory, double bytes)
{
    memory->live_bytes += bytes;
    SC_EACH(struct sc_unit_footprint, open, &memory->open) {
        if (memory->live_bytes <= open->peak_bytes)
            continue;
        open->peak_bytes = memory->live_bytes;
        open->peak_squares = open->squares;
    }
}
