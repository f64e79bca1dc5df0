/*
 * tests/layout/frame_text.c - a frame of another process as a line of text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frame_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "cpython/linetable.h"

enum { TEXT_BYTES = 4096 };

static bool print_text(const struct sc_layout *layout, const struct sc_target *target,
                       uint64_t object)
{
    char text[TEXT_BYTES];
    size_t length = 0;
    if (!sc_unicode_read(layout, target, object, text, sizeof(text), &length))
        return false;
    return fwrite(text, 1, length, stdout) == length;
}

bool print_frame(const struct sc_layout *layout, const struct sc_target *target,
                 const struct sc_py_frame *frame)
{
    struct sc_code_facts facts;
    size_t length = 0;
    if (!sc_code_read(layout, target, frame->code, &facts) ||
        !sc_bytes_size(layout, target, facts.line_table, &length))
        return false;
    uint8_t *table = malloc(length + 1);
    bool good = table && sc_bytes_read(layout, target, facts.line_table, table, length) &&
                print_text(layout, target, facts.filename);
    if (good)
        (void)printf("\t%u\t", sc_line_of(layout->line_table_kind, table, length, facts.first_line,
                                          frame->instruction));
    free(table);
    good = good && print_text(layout, target, facts.name);
    (void)putchar('\n');
    return good;
}
