/*
 * tests/fuzz/source_fuzz.c - any bytes as Python text.
 *
 * Checks what must hold for every text: lines and spans cover it, regions lie in it and nest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "source/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_region(const struct sc_region *region, size_t lineno, size_t count)
{
    require(region->start_region_line <= lineno && lineno <= region->end_region_line);
    require(region->start_outermost_loop <= lineno && lineno <= region->end_outermost_loop);
    require(region->end_region_line <= count && region->end_outermost_loop <= count);
    if (region->start_function_line != 0)
        require(region->start_function_line <= lineno && lineno <= region->end_function_line &&
                region->end_function_line <= count);
    else
        require(region->end_function_line == 0);
}

static void check_spans(const struct sc_source *source, size_t line, struct sc_spans *spans)
{
    size_t at = 0;
    spans->count = 0;
    sc_source_highlight(source, line, spans);
    for (size_t i = 0; i < spans->count; i++) {
        require(spans->items[i].start == at && spans->items[i].length > 0);
        at += spans->items[i].length;
    }
    require(at == source->lines.items[line].length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_source source;
    struct sc_spans spans = {0};
    sc_source_init(&source, (const char *)data, size);
    size_t count = source.lines.count;
    size_t at = 0;
    require(source.regions.count == count);
    for (size_t line = 0; line < count; line++) {
        require(source.lines.items[line].start == at && source.lines.items[line].length > 0);
        at += source.lines.items[line].length;
        check_region(&source.regions.items[line], line + 1, count);
        check_spans(&source, line, &spans);
    }
    require(at == size);
    sc_vec_done(&spans);
    sc_source_done(&source);
    return 0;
}
