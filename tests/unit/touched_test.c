/*
 * tests/unit/touched_test.c - how much of large blocks is there, as tables.
 *
 * Each row is what comes from the agent, in its order, with looks between. The block of slot n
 * begins at n GB.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/memory/touched.h"

#include "sc_test.h"

#define MB        ((uint64_t)1 << 20)
#define GB_BITS   30U
#define SLOTS     4U
#define STEPS_MAX 8U
#define US        ((uint64_t)1000)

enum op {
    DONE,
    GIVE,   /* a block of mb, at at_us */
    FILLED, /* the same of one that may hold something */
    SHARED, /* and of one that children share */
    END,
    CUT,   /* the first mb, freed */
    TAIL,  /* the last mb, freed; or of part from now on, if that is not 0 */
    LOOK,  /* mb of the slot's block is there now */
    STILL, /* the same, and resident memory has not changed */
    LATE,  /* the slot's block ends at at_us, which is reported after the next look */
    FORK,
    LEAVE, /* the process is gone */
    REFUSE,
};

struct step {
    enum op op;
    uint64_t at_us;
    uint64_t mb;
    uint32_t slot;
    uint32_t part;
};

struct row {
    const char *name;
    struct step steps[STEPS_MAX];
    double peak_mb;
    double live_mb;
    double held_peak_mb;
    unsigned questions; /* how often pages were asked about; 0: any number */
};

/* 32 bytes a nanosecond */
#define PACE_MB_US (32e3 / (1 << 20))

static const struct row rows[] = {
    {"one that nobody touches", {{GIVE, 0, 64}, {LOOK, 10000, 0}}, 0, 0, 64, 0},
    {"one that is touched in part", {{GIVE, 0, 64}, {LOOK, 10000, 16}}, 16, 16, 64, 0},
    ROW("one that is touched bit by bit", {{GIVE, 0, 64}, {LOOK, 10000, 16}, {LOOK, 20000, 48}}, 48,
        48, 64, 0),
    ROW("one that comes and goes between looks", {{GIVE, 0, 64}, {END, 5000}, {LOOK, 10000}}, 64, 0,
        64, 0),
    ROW("one that had no time to be touched", {{GIVE, 0, 64}, {END, 100}, {LOOK, 10000}},
        100 * PACE_MB_US, 0, 64, 0),
    ROW("the same of what another one has become", {{FILLED, 0, 64}, {END, 100}, {LOOK, 10000}}, 64,
        0, 64, 0),
    ROW("aligned by giving both ends back",
        {{GIVE, 0, 64}, {CUT, 100, 16}, {TAIL, 100, 16}, {LOOK, 10000, 8}},
        8 + 100 * PACE_MB_US * (16.0 / 64 + 16.0 / 48), 8, 64, 0),
    ROW("touched on at the same pace until it is freed",
        {{GIVE, 0, 64}, {LOOK, 10000, 16}, {LOOK, 20000, 24}, {END, 30000}, {LOOK, 40000}}, 32, 0,
        64, 0),
    ROW("no longer touched when it was freed",
        {{GIVE, 0, 64}, {LOOK, 10000, 16}, {STILL, 400000, 16}, {END, 410000}, {LOOK, 420000}}, 16,
        0, 64, 0),
    ROW("gone when it was looked at, which is reported later",
        {{GIVE, 0, 64}, {LATE, 9000}, {LOOK, 10000, 0}, {LOOK, 20000, 0}}, 64, 0, 64, 0),
    ROW("met before it was filled, and then freed",
        {{GIVE, 0, 64}, {LOOK, 10000, 0}, {END, 19000}, {LOOK, 20000}}, 64, 0, 64, 0),
    {"nothing may be asked", {{REFUSE}, {GIVE, 0, 64}, {LOOK, 10000}}, 64, 64, 64, 0},
    ROW("nothing may be asked any more",
        {{GIVE, 0, 64}, {LOOK, 10000, 16}, {REFUSE}, {LOOK, 20000, 16}}, 64, 64, 64, 0),
    ROW("the process ends between looks",
        {{GIVE, 0, 64}, {LOOK, 10000, 16}, {LOOK, 20000, 24}, {LEAVE}, {LOOK, 30000, 0}}, 32, 32,
        64, 0),
    ROW("shared with a child that may touch it", {{SHARED, 0, 64}, {FORK}, {LOOK, 10000, 16}}, 64,
        64, 64, 0),
    ROW("shared with a child that comes later and touches it, unseen in our resident memory",
        {{SHARED, 0, 64}, {LOOK, 10000, 0}, {FORK}, {STILL, 20000, 0}}, 64, 64, 64, 0),
    {"shared with nobody yet", {{SHARED, 0, 64}, {LOOK, 10000, 16}}, 16, 16, 64, 0},
    ROW("emptied by madvise",
        {{GIVE, 0, 64}, {LOOK, 10000, 64}, {LOOK, 20000, 0}, {LOOK, 1100000, 0}}, 64, 0, 64, 2),
    ROW("left alone while nothing changes",
        {{GIVE, 0, 64},
         {LOOK, 10000, 16},
         {STILL, 20000, 16},
         {STILL, 30000, 16},
         {STILL, 300000, 16}},
        16, 16, 64, 2),
    ROW("cut in two after a look",
        {{GIVE, 0, 64},
         {LOOK, 10000, 32},
         {STILL, 11000, 32},
         {TAIL, 12000, 16, 0, 1},
         {END, 13000, 0, 1},
         {STILL, 14000, 24}},
        32, 24, 64, 0),
    ROW("filled, and then another one is given and the first freed",
        {{GIVE, 0, 64},
         {LOOK, 10000, 16},
         {LOOK, 20000, 48},
         {GIVE, 25000, 64, 1},
         {END, 28000},
         {LOOK, 30000, 64, 1}},
        128, 64, 128, 0),
    ROW("the same of one that stays",
        {{GIVE, 0, 64},
         {LOOK, 10000, 16},
         {GIVE, 15000, 32, 1},
         {END, 18000, 0, 1},
         {LOOK, 20000, 64}},
        96, 64, 96, 0),
    ROW("cut in two before the first look",
        {{GIVE, 0, 64}, {TAIL, 100, 16, 0, 1}, {LOOK, 10000, 8}, {STILL, 300000, 8}}, 16, 16, 64,
        0),
    ROW("a slot that is given out again, its end unseen",
        {{GIVE, 0, 64}, {LOOK, 10000, 64}, {GIVE, 20000, 32}, {LOOK, 30000, 8}}, 64, 8, 64, 0),
    {"small ones are not looked at", {{GIVE, 0, 0}, {LOOK, 10000, 0}}, 0.0625, 0.0625, 0.0625, 0},
};

struct world {
    struct sc_collect collect;
    struct sc_scope scope;
    struct sc_owners owners;
    struct sc_ledger ledger;
    struct sc_followed_memory memory;
    struct sc_touched touched;
    struct sc_pages_range ranges[SLOTS];
    uint64_t there_bytes[SLOTS];
    uint64_t resident_bytes;
    uint64_t late_us; /* + 1; 0: nothing is reported late */
    uint32_t late_slot;
    unsigned questions;
    bool is_refused;
};

static bool count(void *context, struct sc_pages_range range, uint64_t *ret_bytes, bool *ret_never)
{
    struct world *world = context;
    uint64_t there = world->there_bytes[range.start >> GB_BITS];
    world->questions++;
    *ret_never = world->is_refused;
    *ret_bytes = there < range.end - range.start ? there : range.end - range.start;
    return !world->is_refused;
}

static uint64_t resident(void *context)
{
    const struct world *world = context;
    return world->resident_bytes;
}

static uint64_t clock_ns;

static uint64_t read_clock(void)
{
    return clock_ns;
}

static void give(struct world *world, const struct step *step)
{
    uint64_t address = (uint64_t)step->slot << GB_BITS;
    uint64_t size = step->mb > 0 ? step->mb * MB : 64 << 10;
    struct sc_record_allocation record = {
        .time_ns = step->at_us * US,
        .address = address + MB,
        .size_bytes = size,
        .weight_bytes = size,
        .slot = step->slot,
        .flags = SC_ALLOCATION_EXACT | (step->op == FILLED ? SC_ALLOCATION_FILLED : 0U) |
                 (step->op == SHARED ? SC_ALLOCATION_SHARED : 0U),
    };
    world->ranges[step->slot] = (struct sc_pages_range){address + MB, address + MB + size};
    sc_touched_add(&world->touched, SC_RECORD_ALLOCATION, &record);
}

static void end(struct world *world, uint32_t slot, uint64_t at_us)
{
    struct sc_record_free record = {.time_ns = at_us * US, .slot = slot};
    sc_touched_add(&world->touched, SC_RECORD_FREE, &record);
}

static void cut(struct world *world, const struct step *step)
{
    struct sc_pages_range *range = &world->ranges[step->slot];
    uint64_t bytes = step->mb * MB;
    struct sc_record_cut record = {
        .time_ns = step->at_us * US,
        .address = step->op == CUT ? range->start : range->end - bytes,
        .bytes = bytes,
        .slot = step->slot,
        .part_slot = step->part != 0 ? step->part : SC_NO_SLOT,
    };
    if (step->op == CUT)
        range->start += bytes;
    else
        range->end -= bytes;
    sc_touched_add(&world->touched, SC_RECORD_CUT, &record);
}

static void look(struct world *world, const struct step *step)
{
    world->there_bytes[step->slot] = step->mb * MB;
    if (step->op == LOOK && world->resident_bytes > 0)
        world->resident_bytes += 64 * MB;
    clock_ns = step->at_us * US;
    sc_touched_measure(&world->touched, clock_ns);
    if (world->late_us > 0)
        end(world, world->late_slot, world->late_us - 1);
    world->late_us = 0;
    sc_touched_flush(&world->touched, clock_ns);
}

static void do_step(struct world *world, const struct step *step)
{
    if (step->op == GIVE || step->op == FILLED || step->op == SHARED) {
        give(world, step);
    } else if (step->op == END) {
        end(world, step->slot, step->at_us);
    } else if (step->op == CUT || step->op == TAIL) {
        cut(world, step);
    } else if (step->op == LOOK || step->op == STILL) {
        look(world, step);
    } else if (step->op == LATE) {
        world->late_us = step->at_us + 1;
        world->late_slot = step->slot;
    } else if (step->op == FORK) {
        world->touched.has_forked = true;
    } else if (step->op == LEAVE) {
        world->resident_bytes = 0;
    } else if (step->op == REFUSE) {
        world->is_refused = true;
    }
}

static bool is_near(uint64_t bytes, double mb)
{
    double difference = (double)bytes / (double)MB - mb;
    return difference < 0.01 && difference > -0.01;
}

static void check_row(const struct row *row)
{
    struct world world = {.scope = {.root_dir = "/nowhere"}, .resident_bytes = MB};
    sc_collect_init(&world.collect, 0, 0);
    sc_owners_init(&world.owners, &world.collect, &world.scope);
    sc_ledger_init(&world.ledger, &world.owners);
    world.memory.ledger = &world.ledger;
    world.touched = (struct sc_touched){
        .memory = &world.memory,
        .source = {.context = &world,
                   .count = count,
                   .resident = resident,
                   .now_ns = read_clock,
                   .cpu_ns = read_clock},
    };
    for (size_t i = 0; i < STEPS_MAX && row->steps[i].op != DONE; i++)
        do_step(&world, &row->steps[i]);
    const struct sc_ledger_account *all = &world.ledger.all;
    if (!is_near(all->peak_bytes, row->peak_mb) || !is_near(all->live_bytes, row->live_mb) ||
        !is_near(all->held_peak_bytes, row->held_peak_mb) ||
        (row->questions != 0 && world.questions != row->questions))
        fail_msg("%s: peak %g, alive %g, held %g MB; %u questions", row->name,
                 (double)all->peak_bytes / (double)MB, (double)all->live_bytes / (double)MB,
                 (double)all->held_peak_bytes / (double)MB, world.questions);
    sc_touched_done(&world.touched);
    sc_followed_memory_done(&world.memory);
    sc_ledger_done(&world.ledger);
    sc_owners_done(&world.owners);
    sc_collect_done(&world.collect);
}

TEST(what_is_there_counts)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(&rows[i]);
}
