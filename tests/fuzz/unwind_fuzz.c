/*
 * tests/fuzz/unwind_fuzz.c - unwind data of any content.
 *
 * The input is a module: 8 bytes that choose an address and a stack, then its bytes, which begin
 * with .eh_frame_hdr. Nothing outside it may be read, and everything must end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/record.h"
#include "unwind/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *data;
    uint64_t length;
};

static bool read_bytes(void *context, uint64_t address, void *bytes, size_t length)
{
    const struct bytes *from = context;
    uint64_t start = (uint64_t)from->data;
    if (address < start || address > start + from->length ||
        length > start + from->length - address)
        return false;
    memcpy(bytes, (const void *)address, length);
    return true;
}

static void evaluate(const struct sc_unwind_module *module, const struct sc_target *target,
                     const struct sc_unwind_record *record, const struct sc_unwind_row *row,
                     uint64_t pc)
{
    struct sc_registers registers = {.known = UINT32_MAX};
    for (size_t i = 0; i < SC_COLUMNS; i++)
        registers.values[i] = module->start + 8 * i;
    registers.pc = pc;
    uint64_t value;
    bool constant;
    for (size_t i = 0; i < SC_SLOTS; i++) {
        if (row->kinds[i] == SC_RULE_EXPRESSION || row->kinds[i] == SC_RULE_VALUE_EXPRESSION)
            (void)sc_unwind_expression(module, target, &registers,
                                       record->address + (uint64_t)(int64_t)row->values[i], true,
                                       pc, &value, &constant);
    }
    if (row->frame_is_expression)
        (void)sc_unwind_expression(module, target, &registers,
                                   record->address + (uint64_t)(int64_t)row->frame_offset, false, 0,
                                   &value, &constant);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t choice[2];
    if (size < sizeof(choice) + 16)
        return 0;
    memcpy(choice, data, sizeof(choice));
    struct bytes bytes = {data + sizeof(choice), size - sizeof(choice)};
    struct sc_target target = {read_bytes, &bytes};
    uint64_t start = (uint64_t)bytes.data;
    uint64_t end = start + bytes.length;
    struct sc_unwind_module module = {.start = start,
                                      .end = end,
                                      .header = start,
                                      .plain_start = choice[1] % 2 ? end : start,
                                      .plain_end = end,
                                      .target = &target};
    struct sc_unwind_table table;
    struct sc_unwind_entry entry;
    struct sc_unwind_record record;
    struct sc_unwind_row row;
    uint32_t index;
    size_t used;
    uint64_t pc = start + choice[0] % (bytes.length + 64);
    if (!sc_unwind_table_open(&module, &table) ||
        !sc_unwind_table_search(&table, pc, &index, &entry) ||
        !sc_unwind_record_read(&module, entry.record, &record) || pc < record.start ||
        pc >= record.end || !sc_unwind_row_find(&module, &record, pc, &row, &used))
        return 0;
    evaluate(&module, &target, &record, &row, pc);
    sc_unwind_memo_put(&table, pc, index, &record, used, &row);
    struct sc_unwind_row remembered;
    if (sc_unwind_memo_get(&table, pc, &remembered) &&
        memcmp(remembered.kinds, row.kinds, sizeof(row.kinds)) != 0)
        abort();
    return 0;
}
