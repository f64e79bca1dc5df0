/*
 * unwind/expression.c - the DWARF expressions that unwind records use: those of procedure
 * linkage tables, of functions that align their stack, and of hand-written libc code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unwind/record.h"
#include "unwind/signal_safe.h"

enum {
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST1S = 0x09,
    OP_CONST2U = 0x0a,
    OP_CONST2S = 0x0b,
    OP_CONST4U = 0x0c,
    OP_CONST4S = 0x0d,
    OP_CONST8U = 0x0e,
    OP_CONST8S = 0x0f,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_DUP = 0x12,
    OP_DROP = 0x13,
    OP_OVER = 0x14,
    OP_SWAP = 0x16,
    OP_AND = 0x1a,
    OP_MINUS = 0x1c,
    OP_MUL = 0x1e,
    OP_NEG = 0x1f,
    OP_NOT = 0x20,
    OP_OR = 0x21,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_SHR = 0x25,
    OP_SHRA = 0x26,
    OP_XOR = 0x27,
    OP_EQ = 0x29,
    OP_GE = 0x2a,
    OP_GT = 0x2b,
    OP_LE = 0x2c,
    OP_LT = 0x2d,
    OP_NE = 0x2e,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92,
    OP_NOP = 0x96,
};

#define STACK_MAX      8
#define OPERATIONS_MAX 64

struct machine {
    const struct sc_target *target;
    const struct sc_registers *registers;
    struct sc_unwind_bytes bytes;
    uint64_t stack[STACK_MAX];
    size_t depth;
    bool constant;
    bool bad;
};

SC_SIGNAL_SAFE static void push(struct machine *machine, uint64_t value)
{
    if (machine->depth < STACK_MAX)
        machine->stack[machine->depth++] = value;
    else
        machine->bad = true;
}

SC_SIGNAL_SAFE static uint64_t pop(struct machine *machine)
{
    if (machine->depth == 0) {
        machine->bad = true;
        return 0;
    }
    return machine->stack[--machine->depth];
}

SC_SIGNAL_SAFE static void push_register(struct machine *machine, uint64_t number)
{
    uint8_t column = number < SC_DWARF_COUNT ? sc_machine.columns[number] : SC_COLUMN_NONE;
    uint64_t value = 0;
    if (!sc_unwind_value(machine->target, machine->registers, column, &value))
        machine->bad = true;
    if (column != sc_machine.stack_column && column != sc_machine.slots[0])
        machine->constant = false;
    push(machine, value + (uint64_t)sc_unwind_sleb(&machine->bytes));
}

SC_SIGNAL_SAFE static void dereference(struct machine *machine)
{
    uint64_t value = 0;
    if (!sc_target_read(machine->target, pop(machine), &value, sizeof(value)))
        machine->bad = true;
    machine->constant = false;
    push(machine, value);
}

SC_SIGNAL_SAFE static bool push_constant(struct machine *machine, uint8_t operation)
{
    struct sc_unwind_bytes *bytes = &machine->bytes;
    if (operation >= OP_LIT0 && operation <= OP_LIT31)
        push(machine, operation - (uint64_t)OP_LIT0);
    else if (operation == OP_CONST1U)
        push(machine, sc_unwind_fixed(bytes, 1));
    else if (operation == OP_CONST1S)
        push(machine, (uint64_t)(int64_t)(int8_t)sc_unwind_fixed(bytes, 1));
    else if (operation == OP_CONST2U)
        push(machine, sc_unwind_fixed(bytes, 2));
    else if (operation == OP_CONST2S)
        push(machine, (uint64_t)(int64_t)(int16_t)sc_unwind_fixed(bytes, 2));
    else if (operation == OP_CONST4U)
        push(machine, sc_unwind_fixed(bytes, 4));
    else if (operation == OP_CONST4S)
        push(machine, (uint64_t)(int64_t)(int32_t)sc_unwind_fixed(bytes, 4));
    else if (operation == OP_CONST8U || operation == OP_CONST8S)
        push(machine, sc_unwind_fixed(bytes, 8));
    else if (operation == OP_CONSTU)
        push(machine, sc_unwind_uleb(bytes));
    else if (operation == OP_CONSTS)
        push(machine, (uint64_t)sc_unwind_sleb(bytes));
    else
        return false;
    return true;
}

/* Two operands; the second is the top of the stack. Comparisons are signed. */
SC_SIGNAL_SAFE static bool combine(uint8_t operation, uint64_t first, uint64_t second,
                                   uint64_t *ret_value)
{
    int64_t signed_first = (int64_t)first;
    int64_t signed_second = (int64_t)second;
    switch (operation) {
    case OP_AND:
        *ret_value = first & second;
        return true;
    case OP_OR:
        *ret_value = first | second;
        return true;
    case OP_XOR:
        *ret_value = first ^ second;
        return true;
    case OP_MINUS:
        *ret_value = first - second;
        return true;
    case OP_PLUS:
        *ret_value = first + second;
        return true;
    case OP_MUL:
        *ret_value = first * second;
        return true;
    case OP_SHL:
        *ret_value = second < 64 ? first << second : 0;
        return true;
    case OP_SHR:
        *ret_value = second < 64 ? first >> second : 0;
        return true;
    case OP_SHRA:
        *ret_value = (uint64_t)(signed_first >> (second < 64 ? second : 63));
        return true;
    case OP_EQ:
        *ret_value = first == second;
        return true;
    case OP_NE:
        *ret_value = first != second;
        return true;
    case OP_GE:
        *ret_value = signed_first >= signed_second;
        return true;
    case OP_GT:
        *ret_value = signed_first > signed_second;
        return true;
    case OP_LE:
        *ret_value = signed_first <= signed_second;
        return true;
    case OP_LT:
        *ret_value = signed_first < signed_second;
        return true;
    default:
        return false;
    }
}

/* Operations that only move or change the top of the stack. */
SC_SIGNAL_SAFE static bool rearrange(struct machine *machine, uint8_t operation)
{
    uint64_t top = pop(machine);
    uint64_t below;
    switch (operation) {
    case OP_DUP:
        push(machine, top);
        push(machine, top);
        return true;
    case OP_DROP:
        return true;
    case OP_OVER:
        below = pop(machine);
        push(machine, below);
        push(machine, top);
        push(machine, below);
        return true;
    case OP_SWAP:
        below = pop(machine);
        push(machine, top);
        push(machine, below);
        return true;
    case OP_NEG:
        push(machine, 0 - top);
        return true;
    case OP_NOT:
        push(machine, ~top);
        return true;
    case OP_PLUS_UCONST:
        push(machine, top + sc_unwind_uleb(&machine->bytes));
        return true;
    default:
        push(machine, top);
        return false;
    }
}

SC_SIGNAL_SAFE static void run_operation(struct machine *machine, uint8_t operation)
{
    if (push_constant(machine, operation) || operation == OP_NOP)
        return;
    if (operation >= OP_BREG0 && operation <= OP_BREG31) {
        push_register(machine, operation - (uint64_t)OP_BREG0);
    } else if (operation == OP_BREGX) {
        push_register(machine, sc_unwind_uleb(&machine->bytes));
    } else if (operation == OP_DEREF) {
        dereference(machine);
    } else if (!rearrange(machine, operation)) {
        uint64_t second = pop(machine);
        uint64_t first = pop(machine);
        uint64_t value = 0;
        if (!combine(operation, first, second, &value))
            machine->bad = true;
        push(machine, value);
    }
}

SC_SIGNAL_SAFE bool sc_unwind_expression(const struct sc_unwind_module *module,
                                         const struct sc_target *target,
                                         const struct sc_registers *registers, uint64_t address,
                                         bool has_push, uint64_t initial, uint64_t *ret_value,
                                         bool *ret_constant)
{
    struct machine machine;
    machine.target = target;
    machine.registers = registers;
    machine.depth = 0;
    machine.constant = !has_push;
    machine.bad = false;
    sc_unwind_bytes_begin(&machine.bytes, module, address, module->end);
    uint64_t length = sc_unwind_uleb(&machine.bytes);
    uint64_t start = sc_unwind_position(&machine.bytes);
    if (machine.bytes.failed || length > module->end - start)
        return false;
    sc_unwind_bytes_begin(&machine.bytes, module, start, start + length);
    if (has_push)
        push(&machine, initial);
    for (size_t i = 0; sc_unwind_position(&machine.bytes) < start + length; i++) {
        uint8_t operation = sc_unwind_byte(&machine.bytes);
        run_operation(&machine, operation);
        if (machine.bad || machine.bytes.failed || i == OPERATIONS_MAX)
            return false;
    }
    *ret_value = pop(&machine);
    *ret_constant = machine.constant;
    return !machine.bad;
}
