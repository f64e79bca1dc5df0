/* unwind/unwind.c - see unwind.h. SPDX-License-Identifier: Apache-2.0 */
#include "unwind/unwind.h"

#include "channel/format.h"
#include "unwind/machine.h"
#include "unwind/record.h"
#include "unwind/signal_safe.h"

/* Fills step for the code at lookup and computes the frame. */
SC_SIGNAL_SAFE static bool find_row(struct sc_unwind_step *step, const struct sc_target *target,
                                    const struct sc_registers *registers, uint64_t lookup,
                                    uint64_t *ret_frame)
{
    bool same_module =
        step->has_module && lookup >= step->module.start && lookup < step->module.end;
    step->has_module = same_module || (sc_unwind_module_find(lookup, target, &step->module) &&
                                       sc_unwind_table_open(&step->module, &step->table));
    if (!step->has_module)
        return false;
    if (sc_unwind_memo_get(&step->table, lookup, &step->row))
        return sc_unwind_frame(step, target, registers, ret_frame);
    struct sc_unwind_entry entry;
    size_t used;
    if (!sc_unwind_table_search(&step->table, lookup, &step->index, &entry) ||
        !sc_unwind_record_read(&step->module, entry.record, &step->record) ||
        lookup < step->record.start || lookup >= step->record.end || step->record.signal_frame ||
        !sc_unwind_row_find(&step->module, &step->record, lookup, &step->row, &used) ||
        !sc_unwind_frame(step, target, registers, ret_frame))
        return false;
    sc_unwind_memo_put(&step->table, lookup, step->index, &step->record, used, &step->row);
    return true;
}

/* From a frame to its caller. */
SC_SIGNAL_SAFE static enum sc_unwind_caller advance(const struct sc_target *target,
                                                    struct sc_registers *registers,
                                                    struct sc_unwind_step *step, bool innermost)
{
    uint64_t frame;
    if (!find_row(step, target, registers, innermost ? registers->pc : registers->pc - 1, &frame))
        return SC_CALLER_LOST;
    return sc_unwind_caller(step, target, frame, innermost, registers);
}

SC_SIGNAL_SAFE bool sc_eval_ranges_hold(const struct sc_eval_ranges *ranges, uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = ranges->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (address < ranges->ranges[middle].start)
            high = middle;
        else if (address >= ranges->ranges[middle].end)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

/* Where a walk ends, if not at the outermost frame. */
struct limits {
    const struct sc_eval_ranges *ranges;
    size_t loops; /* in the loops-th evaluation loop, counted from the innermost; 0: in none */
    bool marks;   /* set SC_ADDRESS_IN_LOOP */
    size_t capacity;
};

SC_SIGNAL_SAFE static enum sc_unwind_end walk(struct sc_registers *registers,
                                              const struct sc_target *target,
                                              const struct limits *limits, uint64_t *ret_addresses,
                                              size_t *ret_count)
{
    struct sc_unwind_step step;
    step.has_module = false;
    size_t loops = 0;
    bool in_loop = false;
    *ret_count = 0;
    while (*ret_count < limits->capacity) {
        bool innermost = *ret_count == 0;
        bool was_in_loop = in_loop;
        in_loop =
            sc_eval_ranges_hold(limits->ranges, innermost ? registers->pc : registers->pc - 1);
        /* where opcodes have functions of their own, one loop has two adjacent frames */
        if (in_loop && !was_in_loop)
            loops++;
        ret_addresses[(*ret_count)++] =
            registers->pc | (in_loop && limits->marks ? SC_ADDRESS_IN_LOOP : 0);
        if (in_loop && loops == limits->loops)
            return SC_UNWIND_EVAL;
        enum sc_unwind_caller caller = advance(target, registers, &step, innermost);
        if (caller != SC_CALLER_FOUND)
            return caller == SC_CALLER_NONE ? SC_UNWIND_ROOT : SC_UNWIND_LOST;
    }
    return SC_UNWIND_LIMIT;
}

SC_SIGNAL_SAFE enum sc_unwind_end sc_unwind(const void *ucontext, const struct sc_target *target,
                                            const struct sc_eval_ranges *ranges,
                                            uint64_t *ret_addresses, size_t capacity,
                                            size_t *ret_count)
{
    struct sc_registers registers;
    struct limits limits = {.ranges = ranges, .loops = 1, .capacity = capacity};
    sc_machine_load(ucontext, &registers);
    return walk(&registers, target, &limits, ret_addresses, ret_count);
}

SC_SIGNAL_SAFE enum sc_unwind_end sc_unwind_past_loops(struct sc_registers *registers,
                                                       const struct sc_target *target,
                                                       const struct sc_eval_ranges *ranges,
                                                       size_t loops, uint64_t *ret_addresses,
                                                       size_t capacity, size_t *ret_count)
{
    struct limits limits = {.ranges = ranges, .loops = loops, .marks = true, .capacity = capacity};
    return walk(registers, target, &limits, ret_addresses, ret_count);
}
