/*
 * unwind/caller.c - from a frame's registers to its caller's, by the frame's row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unwind/record.h"
#include "unwind/signal_safe.h"

/* If the CFA by an expression is always at the same distance from the stack pointer, as in
 * procedure linkage tables, the expression is replaced by a plain offset, which the memo can store.
 */
SC_SIGNAL_SAFE static bool simplify_frame(struct sc_unwind_step *step,
                                          const struct sc_target *target,
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

SC_SIGNAL_SAFE bool sc_unwind_frame(struct sc_unwind_step *step, const struct sc_target *target,
                                    const struct sc_registers *registers, uint64_t *ret_frame)
{
    if (step->row.frame_is_expression)
        return simplify_frame(step, target, registers, ret_frame);
    if (!sc_unwind_value(target, registers, step->row.frame_column, ret_frame))
        return false;
    *ret_frame += (uint64_t)(int64_t)step->row.frame_offset;
    return true;
}

/* The caller's values of the slots' registers, kept apart from the callee's values, since a rule
 * may refer to any of the callee's. */
struct brought {
    uint64_t values[SC_SLOTS];
    uint8_t in_memory; /* a bit per slot */
    uint8_t known;
};

SC_SIGNAL_SAFE static bool bring(const struct sc_unwind_step *step, const struct sc_target *target,
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

SC_SIGNAL_SAFE static void bring_all(const struct sc_unwind_step *step,
                                     const struct sc_target *target, uint64_t frame,
                                     struct sc_registers *registers)
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

/* False when the return address is not known. */
SC_SIGNAL_SAFE static bool to_caller(const struct sc_unwind_step *step,
                                     const struct sc_target *target, uint64_t frame,
                                     struct sc_registers *registers)
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

SC_SIGNAL_SAFE enum sc_unwind_caller sc_unwind_caller(const struct sc_unwind_step *step,
                                                      const struct sc_target *target,
                                                      uint64_t frame, bool innermost,
                                                      struct sc_registers *registers)
{
    uint64_t stack;
    if (!sc_unwind_value(target, registers, sc_machine.stack_column, &stack))
        return SC_CALLER_LOST;
    if (step->row.kinds[0] == SC_RULE_UNDEFINED)
        return SC_CALLER_NONE;
    /* Each frame must be above the one before, which also bounds the walk. */
    bool leaf = innermost && sc_machine.link_register && step->row.kinds[0] == SC_RULE_SAME;
    if (frame < stack || (frame == stack && !leaf) || frame % sizeof(uint64_t) != 0)
        return SC_CALLER_LOST;
    if (step->row.kinds[0] == SC_RULE_SAME && !leaf)
        return SC_CALLER_LOST;
    if (!to_caller(step, target, frame, registers))
        return SC_CALLER_LOST;
    return registers->pc == 0 ? SC_CALLER_NONE : SC_CALLER_FOUND;
}
