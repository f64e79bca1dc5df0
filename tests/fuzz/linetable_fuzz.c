/*
 * tests/fuzz/linetable_fuzz.c - any bytes as a line table.
 *
 * The first byte chooses the format, two bytes each give the first line and the instruction; the
 * rest is the table. ASan sees a read past its end, UBSan an overflow, libFuzzer a slow input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "cpython/linetable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 5)
        return 0;
    enum sc_line_table_kind kind = (enum sc_line_table_kind)(data[0] % 3);
    uint32_t first_line = data[1] | (uint32_t)data[2] << 24;
    int32_t instruction = (int16_t)(data[3] | data[4] << 8);
    uint32_t line = sc_line_of(kind, data + 5, size - 5, first_line, instruction);
    if (line > INT32_MAX && line != first_line)
        abort();
    (void)sc_line_of(kind, data + 5, size - 5, first_line, INT32_MAX);
    return 0;
}
