/*
 * unwind/unwind.c - reads native return addresses of the interrupted thread, inside a signal
 * handler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unwind/unwind.h"

#include "channel/format.h"
#include "unwind/machine.h"
#include "unwind/record.h"
#include "unwind/signal_safe.h"

struct step {
    bool has_module; /* module and table are those of the previous frame */
    struct sc_unwind_module module;
    struct sc_unwind_table table;
    struct sc_unwind_record record;
    struct sc_unwind_row row;
    uint32_t index;
};

/* If the CFA by an expression is always at the same distance from the stack pointer, as in
 * procedure linkage tables, the expression is replaced by a plain offset, which the memo can store.
 */
SC_SIGNAL_SAFE static bool simplify_frame(struct step *step, const struct sc_target *target,
                                          const struct sc_registers *registers, uint64_t *ret_frame)
{
    bool constant;
    uint64_t expression = step->record.address + (uint64_t)(int64_t)step->row.frame_offset;
    if (!sc_unwind_expression(&step->module, target, registers, expression, false, 0, ret_frame,
                              &constant))
        return false;
    uint64_t stack;
    if (!constant || !sc_unwind_value(target, registers, sc_machine.stack_column, &stack))
        return true;
    int64_t offset = (int64_t)(*ret_frame - stack);
    if (offset >= INT32_MIN && offset <= INT32_MAX) {
        step->row.frame_is_expression = false;
        step->row.frame_column = sc_machine.stack_column;
        step->row.frame_offset = (int32_t)offset;
    }
    return true;
}

/* The frame's address (DWARF's CFA), for a row just computed or from the memo. */
SC_SIGNAL_SAFE static bool find_frame(struct step *step, const struct sc_target *target,
                                      const struct sc_registers *registers, uint64_t *ret_frame)
{
    if (step->row.frame_is_expression)
        return simplify_frame(step, target, registers, ret_frame);
    if (!sc_unwind_value(target, registers, step->row.frame_column, ret_frame))
        return false;
    *ret_frame += (uint64_t)(int64_t)step->row.frame_offset;
    return true;
}

/* Fills step for the code at lookup and computes the frame. */
SC_SIGNAL_SAFE static bool find_row(struct step *step, const struct sc_target *target,
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
        return find_frame(step, target, registers, ret_frame);
    struct sc_unwind_entry entry;
    size_t used;
    if (!sc_unwind_table_search(&step->table, lookup, &step->index, &entry) ||
        !sc_unwind_record_read(&step->module, entry.record, &step->record) ||
        lookup < step->record.start || lookup >= step->record.end || step->record.signal_frame ||
        !sc_unwind_row_find(&step->module, &step->record, lookup, &step->row, &used) ||
        !find_frame(step, target, registers, ret_frame))
        return false;
    sc_unwind_memo_put(&step->table, lookup, step->index, &step->record, used, &step->row);
    return true;
}

/* The caller's values of the slots' registers, kept apart from the callee's values, since a rule
 * may refer to any of the callee's. */
struct brought {
    uint64_t values[SC_SLOTS];
    uint8_t in_memory; /* a bit per slot */
    uint8_t known;
};

SC_SIGNAL_SAFE static bool bring(const struct step *step, const struct sc_target *target,
                                 const struct sc_registers *registers, uint64_t frame, size_t slot,
                                 struct brought *brought)
{
    uint64_t offset = (uint64_t)(int64_t)step->row.values[slot];
    uint64_t *value = &brought->values[slot];
    bool constant;
    switch (step->row.kinds[slot]) {
    case SC_RULE_OFFSET:
        brought->in_memory |= (uint8_t)(1U << slot);
        *value = frame + offset;
        return true;
    case SC_RULE_VALUE_OFFSET:
        *value = frame + offset;
        return true;
    case SC_RULE_COLUMN:
        return sc_unwind_value(target, registers, (uint8_t)offset, value);
    case SC_RULE_EXPRESSION:
        brought->in_memory |= (uint8_t)(1U << slot);
        return sc_unwind_expression(&step->module, target, registers, step->record.address + offset,
                                    true, frame, value, &constant);
    case SC_RULE_VALUE_EXPRESSION:
        return sc_unwind_expression(&step->module, target, registers, step->record.address + offset,
                                    true, frame, value, &constant);
    default:
        return false;
    }
}

SC_SIGNAL_SAFE static void set_column(struct sc_registers *registers, uint8_t column,
                                      uint64_t value, bool known, bool in_memory)
{
    uint32_t bit = 1U << column;
    registers->values[column] = value;
    registers->known = known ? registers->known | bit : registers->known & ~bit;
    registers->in_memory = in_memory ? registers->in_memory | bit : registers->in_memory & ~bit;
}

/* For rows like those of nearly all compiled code, and all in the memo: no rule needs a register of
 * the callee. */
SC_SIGNAL_SAFE static void set_saved(const struct sc_unwind_row *row, uint64_t frame,
                                     struct sc_registers *registers)
{
    uint32_t saved = 0;
    uint32_t unknown = ~sc_machine.preserved;
    set_column(registers, sc_machine.stack_column, frame, true, false);
    for (size_t i = 0; i < SC_SLOTS; i++) {
        uint32_t bit = 1U << sc_machine.slots[i];
        saved |= row->kinds[i] == SC_RULE_OFFSET ? bit : 0;
        unknown |= row->kinds[i] == SC_RULE_UNDEFINED ? bit : 0;
        if (row->kinds[i] == SC_RULE_OFFSET)
            registers->values[sc_machine.slots[i]] = frame + (uint64_t)(int64_t)row->values[i];
    }
    registers->known = (registers->known & ~unknown) | saved;
    registers->in_memory |= saved;
}

SC_SIGNAL_SAFE static void bring_all(const struct step *step, const struct sc_target *target,
                                     uint64_t frame, struct sc_registers *registers)
{
    struct brought brought = {.in_memory = 0, .known = 0};
    for (size_t i = 0; i < SC_SLOTS; i++) {
        if (step->row.kinds[i] != SC_RULE_SAME &&
            bring(step, target, registers, frame, i, &brought))
            brought.known |= (uint8_t)(1U << i);
    }
    registers->known &= sc_machine.preserved;
    set_column(registers, sc_machine.stack_column, frame, true, false);
    for (size_t i = 0; i < SC_SLOTS; i++) {
        uint32_t bit = 1U << i;
        if (step->row.kinds[i] != SC_RULE_SAME)
            set_column(registers, sc_machine.slots[i], brought.values[i], brought.known & bit,
                       brought.in_memory & bit);
    }
}

/* Turns the callee's registers into the caller's; false when the return address is not known. */
SC_SIGNAL_SAFE static bool to_caller(const struct step *step, const struct sc_target *target,
                                     uint64_t frame, struct sc_registers *registers)
{
    if (step->row.is_plain)
        set_saved(&step->row, frame, registers);
    else
        bring_all(step, target, frame, registers);
    uint64_t pc;
    if (!sc_unwind_value(target, registers, sc_machine.slots[0], &pc))
        return false;
    registers->pc = sc_machine_code_address(pc);
    set_column(registers, sc_machine.slots[0], registers->pc, true, false);
    return true;
}

enum advance { ADVANCED, AT_ROOT, LOST };

/* From a frame to its caller. */
SC_SIGNAL_SAFE static enum advance advance(const struct sc_target *target,
                                           struct sc_registers *registers, struct step *step,
                                           bool innermost)
{
    uint64_t frame;
    uint64_t stack;
    if (!find_row(step, target, registers, innermost ? registers->pc : registers->pc - 1, &frame) ||
        !sc_unwind_value(target, registers, sc_machine.stack_column, &stack))
        return LOST;
    if (step->row.kinds[0] == SC_RULE_UNDEFINED)
        return AT_ROOT;
    /* Each frame must be above the one before, which also bounds the walk. */
    bool leaf = innermost && sc_machine.link_register && step->row.kinds[0] == SC_RULE_SAME;
    if (frame < stack || (frame == stack && !leaf) || frame % sizeof(uint64_t) != 0)
        return LOST;
    if (step->row.kinds[0] == SC_RULE_SAME && !leaf)
        return LOST;
    if (!to_caller(step, target, frame, registers))
        return LOST;
    return registers->pc == 0 ? AT_ROOT : ADVANCED;
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
    struct step step;
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
        enum advance advanced = advance(target, registers, &step, innermost);
        if (advanced != ADVANCED)
            return advanced == AT_ROOT ? SC_UNWIND_ROOT : SC_UNWIND_LOST;
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
