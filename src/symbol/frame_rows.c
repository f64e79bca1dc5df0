/*
 * symbol/frame_rows.c - how to get from a function's frame to its caller's, by libdw.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/frame_rows.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "symbol/elf_address.h"

struct sc_frame_rows {
    int fd;
    Elf *elf;
    Dwarf_CFI *records;
};

struct sc_frame_rows *sc_frame_rows_open(int fd)
{
    (void)elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    Dwarf_CFI *records = elf != NULL ? dwarf_getcfi_elf(elf) : NULL;
    if (records == NULL) {
        (void)elf_end(elf);
        (void)close(fd);
        return NULL;
    }
    struct sc_frame_rows *rows = sc_alloc(1, sizeof(*rows));
    *rows = (struct sc_frame_rows){.fd = fd, .elf = elf, .records = records};
    return rows;
}

void sc_frame_rows_free(struct sc_frame_rows *rows)
{
    if (rows == NULL)
        return;
    (void)dwarf_cfi_end(rows->records);
    (void)elf_end(rows->elf);
    (void)close(rows->fd);
    free(rows);
}

/* Reads the frame's address as a register and an offset, which libdw gives as one of two
 * operations. */
static bool read_frame(Dwarf_Frame *frame, struct sc_frame_row *ret_row)
{
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count != 1)
        return false;
    const Dwarf_Op *only = &operations[0];
    if (only->atom == DW_OP_bregx) {
        ret_row->frame_register = (uint32_t)only->number;
        ret_row->frame_offset = (int64_t)only->number2;
    } else if (only->atom >= DW_OP_breg0 && only->atom <= DW_OP_breg31) {
        ret_row->frame_register = only->atom - DW_OP_breg0;
        ret_row->frame_offset = (int64_t)only->number;
    } else {
        return false;
    }
    return ret_row->frame_register < SC_FRAME_REGISTERS;
}

/* Where a register's value in the caller is. Only expressions of the form "the frame's address plus
 * an offset" are read; others are rare, and give SC_FRAME_UNKNOWN. So does rbx where a record does
 * not mention it: libdw (0.188) lists it among the registers that functions preserve by a wrong
 * number, 0 instead of 3. No compiler describes frames by rbx. */
static struct sc_frame_rule read_rule(Dwarf_Frame *frame, int number)
{
    struct sc_frame_rule rule = {SC_FRAME_UNKNOWN, 0};
    Dwarf_Op space[3];
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_frame_register(frame, number, space, &operations, &count) != 0)
        return rule;
    if (count == 0) {
        rule.kind = operations == NULL ? SC_FRAME_SAME : SC_FRAME_UNKNOWN;
        return rule;
    }
    size_t next = 1;
    if (next < count && operations[next].atom == DW_OP_plus_uconst)
        rule.offset = (int64_t)operations[next++].number;
    bool is_value = next < count && operations[next].atom == DW_OP_stack_value;
    if (operations[0].atom == DW_OP_call_frame_cfa && next + is_value == count)
        rule.kind = is_value ? SC_FRAME_VALUE : SC_FRAME_SAVED;
    return rule;
}

bool sc_frame_rows_find(struct sc_frame_rows *rows, uint64_t file_offset,
                        struct sc_frame_row *ret_row)
{
    Dwarf_Frame *frame;
    uint64_t address = sc_elf_address(rows->elf, file_offset);
    if (address == 0 || dwarf_cfi_addrframe(rows->records, address, &frame) != 0)
        return false;
    bool is_signal;
    int return_register = dwarf_frame_info(frame, NULL, NULL, &is_signal);
    bool found = return_register >= 0 && return_register < SC_FRAME_REGISTERS && !is_signal &&
                 read_frame(frame, ret_row);
    if (found)
        ret_row->return_register = (uint32_t)return_register;
    for (int i = 0; found && i < SC_FRAME_REGISTERS; i++)
        ret_row->rules[i] = read_rule(frame, i);
    free(frame);
    return found;
}
