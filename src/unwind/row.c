/*
 * unwind/row.c - runs a record's call frame instructions up to one address.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unwind/record.h"
#include "unwind/signal_safe.h"

/* Instructions of DWARF 5, section 7.24, and the GNU ones in use. */
enum {
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
};

#define REMEMBERED_MAX 2

/* The longest program that is run in a handler. */
#define PROGRAM_BYTES_MAX 32768

struct run {
    const struct sc_unwind_record *record;
    struct sc_unwind_bytes bytes;
    uint64_t location;
    struct sc_unwind_row row;
    struct sc_unwind_row first; /* as the CIE's program left it, for CFA_RESTORE */
    struct sc_unwind_row remembered[REMEMBERED_MAX];
    uint8_t depth;
    bool bad;
};

SC_SIGNAL_SAFE static uint8_t column_of(uint64_t number)
{
    return number < SC_DWARF_COUNT ? sc_machine.columns[number] : SC_COLUMN_NONE;
}

/* SC_SLOTS when the register is not needed. */
SC_SIGNAL_SAFE static size_t slot_of(uint64_t number)
{
    uint8_t column = column_of(number);
    size_t slot = 0;
    while (slot < SC_SLOTS && (column == SC_COLUMN_NONE || sc_machine.slots[slot] != column))
        slot++;
    return slot;
}

SC_SIGNAL_SAFE static void set_rule(struct run *run, uint64_t number, enum sc_unwind_rule_kind kind,
                                    int64_t value)
{
    size_t slot = slot_of(number);
    if (slot == SC_SLOTS)
        return;
    bool fits = value >= INT32_MIN && value <= INT32_MAX;
    run->row.kinds[slot] = (uint8_t)(fits ? kind : SC_RULE_UNKNOWN);
    run->row.values[slot] = (int32_t)value;
}

/* Reads the next offset, and multiplies it by the data alignment factor. */
SC_SIGNAL_SAFE static int64_t data_offset(struct run *run, bool is_signed)
{
    int64_t factored =
        is_signed ? sc_unwind_sleb(&run->bytes) : (int64_t)sc_unwind_uleb(&run->bytes);
    int64_t offset;
    if (__builtin_mul_overflow(factored, run->record->data_alignment, &offset))
        run->bad = true;
    return run->bad ? 0 : offset;
}

SC_SIGNAL_SAFE static void set_frame(struct run *run, uint64_t number, int64_t offset)
{
    run->row.frame_is_expression = false;
    run->row.frame_column = column_of(number);
    run->row.frame_offset = (int32_t)offset;
    if (run->row.frame_column == SC_COLUMN_NONE || offset < INT32_MIN || offset > INT32_MAX)
        run->bad = true;
}

SC_SIGNAL_SAFE static void set_frame_offset(struct run *run, int64_t offset)
{
    run->row.frame_offset = (int32_t)offset;
    if (offset < INT32_MIN || offset > INT32_MAX)
        run->bad = true;
}

/* The offset of the next expression from the record's address; skips the expression. */
SC_SIGNAL_SAFE static int64_t take_expression(struct run *run)
{
    uint64_t address = sc_unwind_position(&run->bytes);
    uint64_t length = sc_unwind_uleb(&run->bytes);
    uint64_t start = sc_unwind_position(&run->bytes);
    if (run->bytes.failed || length > run->bytes.end - start) {
        run->bad = true;
        return 0;
    }
    sc_unwind_bytes_begin(&run->bytes, run->bytes.module, start + length, run->bytes.end);
    return (int64_t)(address - run->record->address);
}

SC_SIGNAL_SAFE static void remember(struct run *run)
{
    if (run->depth < REMEMBERED_MAX)
        run->remembered[run->depth++] = run->row;
    else
        run->bad = true;
}

SC_SIGNAL_SAFE static void restore_remembered(struct run *run)
{
    if (run->depth > 0)
        run->row = run->remembered[--run->depth];
    else
        run->bad = true;
}

SC_SIGNAL_SAFE static void restore_first(struct run *run, uint64_t number)
{
    size_t slot = slot_of(number);
    if (slot == SC_SLOTS)
        return;
    run->row.kinds[slot] = run->first.kinds[slot];
    run->row.values[slot] = run->first.values[slot];
}

/* Instructions that change a register's rule. */
SC_SIGNAL_SAFE static void run_register_rule(struct run *run, uint8_t opcode)
{
    struct sc_unwind_bytes *bytes = &run->bytes;
    uint64_t number = sc_unwind_uleb(bytes);
    switch (opcode) {
    case CFA_OFFSET_EXTENDED:
    case CFA_OFFSET_EXTENDED_SF:
        set_rule(run, number, SC_RULE_OFFSET, data_offset(run, opcode == CFA_OFFSET_EXTENDED_SF));
        break;
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
        set_rule(run, number, SC_RULE_VALUE_OFFSET, data_offset(run, opcode == CFA_VAL_OFFSET_SF));
        break;
    case CFA_RESTORE_EXTENDED:
        restore_first(run, number);
        break;
    case CFA_UNDEFINED:
        set_rule(run, number, SC_RULE_UNDEFINED, 0);
        break;
    case CFA_SAME_VALUE:
        set_rule(run, number, SC_RULE_SAME, 0);
        break;
    case CFA_REGISTER: {
        uint8_t column = column_of(sc_unwind_uleb(bytes));
        set_rule(run, number, column == SC_COLUMN_NONE ? SC_RULE_UNKNOWN : SC_RULE_COLUMN, column);
        break;
    }
    case CFA_EXPRESSION:
        set_rule(run, number, SC_RULE_EXPRESSION, take_expression(run));
        break;
    case CFA_VAL_EXPRESSION:
        set_rule(run, number, SC_RULE_VALUE_EXPRESSION, take_expression(run));
        break;
    default:
        run->bad = true;
    }
}

/* Instructions that change how the frame's address is computed, and the rest. */
SC_SIGNAL_SAFE static void run_frame_rule(struct run *run, uint8_t opcode)
{
    struct sc_unwind_bytes *bytes = &run->bytes;
    uint64_t number;
    switch (opcode) {
    case CFA_NOP:
    case CFA_AARCH64_NEGATE_RA_STATE: /* sc_machine_code_address removes the bits anyway */
        break;
    case CFA_REMEMBER_STATE:
        remember(run);
        break;
    case CFA_RESTORE_STATE:
        restore_remembered(run);
        break;
    case CFA_DEF_CFA:
        number = sc_unwind_uleb(bytes);
        set_frame(run, number, (int64_t)sc_unwind_uleb(bytes));
        break;
    case CFA_DEF_CFA_SF:
        number = sc_unwind_uleb(bytes);
        set_frame(run, number, data_offset(run, true));
        break;
    case CFA_DEF_CFA_REGISTER:
        set_frame(run, sc_unwind_uleb(bytes), run->row.frame_offset);
        break;
    case CFA_DEF_CFA_OFFSET:
        set_frame_offset(run, (int64_t)sc_unwind_uleb(bytes));
        break;
    case CFA_DEF_CFA_OFFSET_SF:
        set_frame_offset(run, data_offset(run, true));
        break;
    case CFA_DEF_CFA_EXPRESSION:
        set_frame_offset(run, take_expression(run));
        run->row.frame_is_expression = true;
        break;
    case CFA_GNU_ARGS_SIZE:
        (void)sc_unwind_uleb(bytes);
        break;
    default:
        run_register_rule(run, opcode);
    }
}

/* True when the opcode moved the location, by ret_delta bytes of code. */
SC_SIGNAL_SAFE static bool advances(struct run *run, uint8_t opcode, uint64_t *ret_delta)
{
    if ((opcode & 0xc0) == CFA_ADVANCE_LOC)
        *ret_delta = opcode & 0x3f;
    else if (opcode == CFA_ADVANCE_LOC1)
        *ret_delta = sc_unwind_fixed(&run->bytes, 1);
    else if (opcode == CFA_ADVANCE_LOC2)
        *ret_delta = sc_unwind_fixed(&run->bytes, 2);
    else if (opcode == CFA_ADVANCE_LOC4)
        *ret_delta = sc_unwind_fixed(&run->bytes, 4);
    else
        return false;
    *ret_delta *= run->record->code_alignment;
    return true;
}

/* Runs to the end, or until the location is past pc. */
SC_SIGNAL_SAFE static bool run_program(struct run *run, const struct sc_unwind_module *module,
                                       uint64_t start, uint64_t end, uint64_t pc)
{
    bool whole = end - start <= PROGRAM_BYTES_MAX;
    if (!whole)
        end = start + PROGRAM_BYTES_MAX;
    sc_unwind_bytes_begin(&run->bytes, module, start, end);
    while (!run->bad && !run->bytes.failed && sc_unwind_position(&run->bytes) < end) {
        uint8_t opcode = sc_unwind_byte(&run->bytes);
        uint64_t delta;
        if (advances(run, opcode, &delta)) {
            if (delta > pc - run->location)
                return !run->bytes.failed;
            run->location += delta;
        } else if (opcode == CFA_SET_LOC) {
            uint64_t location = sc_unwind_pointer(&run->bytes, run->record->encoding);
            if (location > pc || location < run->location)
                return !run->bytes.failed && location > pc;
            run->location = location;
        } else if ((opcode & 0xc0) == CFA_OFFSET) {
            set_rule(run, opcode & 0x3f, SC_RULE_OFFSET, data_offset(run, false));
        } else if ((opcode & 0xc0) == CFA_RESTORE) {
            restore_first(run, opcode & 0x3f);
        } else {
            run_frame_rule(run, opcode);
        }
    }
    return whole && !run->bad && !run->bytes.failed;
}

SC_SIGNAL_SAFE bool sc_unwind_row_find(const struct sc_unwind_module *module,
                                       const struct sc_unwind_record *record, uint64_t pc,
                                       struct sc_unwind_row *ret_row, size_t *ret_used)
{
    struct run run;
    run.record = record;
    run.location = record->start;
    run.depth = 0;
    run.bad = false;
    for (size_t i = 0; i < SC_SLOTS; i++) {
        run.row.kinds[i] = SC_RULE_SAME;
        run.row.values[i] = 0;
    }
    run.row.is_plain = false;
    run.row.frame_is_expression = false;
    run.row.frame_column = SC_COLUMN_NONE;
    run.row.frame_offset = 0;
    run.first = run.row;
    if (!run_program(&run, module, record->common_program, record->common_program_end, UINT64_MAX))
        return false;
    run.first = run.row;
    run.location = record->start;
    if (!run_program(&run, module, record->program, record->program_end, pc))
        return false;
    if (run.row.frame_column == SC_COLUMN_NONE && !run.row.frame_is_expression)
        return false;
    *ret_row = run.row;
    *ret_used = (size_t)(sc_unwind_position(&run.bytes) - record->address);
    return true;
}
