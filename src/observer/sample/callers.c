/* observer/sample/callers.c - see callers.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/callers.h"

#include "observer/stack/native.h"
#include "observer/system/core_registers.h"

#define SIGNALS_MAX 8U /* handlers that have interrupted each other */

static enum sc_symbols_row find_row(struct sc_process *process, uint64_t instruction,
                                    struct sc_unwind_row *ret_row)
{
    struct sc_modules *modules = sc_classifier_modules(process->classifier);
    const struct sc_mapping *mapping = sc_modules_find(modules, instruction);
    if (mapping == NULL)
        return SC_SYMBOLS_NO_ROW;
    return sc_symbols_row(process->stacks.native.symbols,
                          sc_native_file(&process->stacks.native, modules, mapping),
                          mapping->file_offset + (instruction - mapping->start), ret_row);
}

/* Turns the callee's registers into the caller's, as far as they are known. ret_is_exact: that one
 * was interrupted by a signal, so its pc follows no call. */
static enum sc_unwind_caller to_caller(struct sc_process *process, const struct sc_target *stack,
                                       struct sc_registers *registers, bool *ret_is_exact,
                                       bool *ret_is_late)
{
    struct sc_unwind_step step = {0};
    uint64_t frame;
    bool innermost = *ret_is_exact;
    enum sc_symbols_row found = find_row(process, registers->pc - !innermost, &step.row);
    *ret_is_late = found == SC_SYMBOLS_ROW_LATER;
    *ret_is_exact = found == SC_SYMBOLS_NO_ROW && sc_registers_interrupted(stack, registers);
    if (*ret_is_exact)
        return SC_CALLER_FOUND;
    if (found != SC_SYMBOLS_ROW || !sc_unwind_frame(&step, stack, registers, &frame))
        return SC_CALLER_LOST;
    return sc_unwind_caller(&step, stack, frame, innermost, registers);
}

static bool is_in_loop(const struct sc_interpreter_facts *facts, uint64_t address)
{
    for (uint32_t i = 0; i < facts->eval_range_count; i++) {
        if (address >= facts->eval_ranges[i].start && address < facts->eval_ranges[i].end)
            return true;
    }
    return false;
}

static bool is_interpreters(struct sc_process *process, uint64_t address)
{
    const struct sc_mapping *mapping =
        sc_modules_find(sc_classifier_modules(process->classifier), address);
    return mapping != NULL && mapping->class == SC_MODULE_INTERPRETER;
}

/* Whether a stack up to the evaluation loop ends before this address. Where the loop is not known,
 * as in a stripped interpreter whose loop is in parts, it is somewhere in the interpreter's file.
 */
static bool is_at_end(struct sc_process *process, uint64_t address, bool in_loop)
{
    uint64_t loop = process->facts.eval_function;
    if (in_loop || process->facts.eval_range_count > 0)
        return in_loop;
    return loop == 0 || !is_interpreters(process, loop) || is_interpreters(process, address);
}

void sc_callers_find(struct sc_process *process, const struct sc_target *stack,
                     struct sc_registers registers, uint32_t capacity, bool to_loop,
                     struct sc_callers *ret)
{
    enum sc_unwind_caller found = SC_CALLER_FOUND;
    bool is_exact = true;
    unsigned signals = 0;
    ret->count = 0;
    ret->reached_loop = ret->is_whole = ret->is_late = false;
    while (ret->count < capacity && found == SC_CALLER_FOUND) {
        bool innermost = ret->count == 0;
        uint64_t instruction = registers.pc - !is_exact;
        bool in_loop = is_in_loop(&process->facts, instruction);
        ret->reached_loop = ret->reached_loop || in_loop;
        if (to_loop && !innermost && is_at_end(process, instruction, in_loop))
            return;
        /* of all but the first, what is one byte before belongs to the call */
        uint64_t address = registers.pc + (is_exact && !innermost);
        ret->addresses[ret->count++] = address | (in_loop && !to_loop ? SC_ADDRESS_IN_LOOP : 0);
        found = to_caller(process, stack, &registers, &is_exact, &ret->is_late);
        if (is_exact) {
            ret->count--; /* what the handler returns to: no function of anybody's */
            if (++signals > SIGNALS_MAX)
                break; /* forged: the state before the handler is the handler's own */
        }
    }
    ret->is_whole = found == SC_CALLER_NONE;
}
