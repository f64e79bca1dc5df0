/*
 * tests/fuzz/source_fuzz.c - any bytes as Python text.
 *
 * Checks what must hold for every text: lines and spans cover it, regions lie in it and nest,
 * statements and calls lie in it, and every question about them ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "source/code.h"
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

/* Questions about this many calls of a text: each may take as long as the text is. */
#define ASKED_MAX 20

static void check_code(const char *text, size_t size)
{
    struct sc_code code;
    sc_code_init(&code, text, size);
    for (uint32_t i = 0; i < code.statements.count; i++) {
        const struct sc_statement *each = &code.statements.items[i];
        require(each->first < each->end && each->end <= code.lexemes.count);
        require(each->block_end > i && each->block_end <= code.statements.count);
        require(each->parent == SC_NONE || each->parent < i);
        require(each->function == SC_NONE || each->function < i);
    }
    for (size_t i = 0; i < code.calls.count && i < ASKED_MAX; i++) {
        const struct sc_call *call = &code.calls.items[i];
        uint32_t first = 0;
        uint32_t end = 0;
        require(call->first < call->open && call->open < call->close);
        require(sc_code_call_at(&code, call->open) == i);
        if (sc_code_argument(&code, call, 0, NULL, &first, &end)) {
            require(first < end && end <= call->close);
            (void)sc_code_kind(&code, first, end, call->statement);
        }
        (void)sc_code_repeat(&code, call->statement, call->open);
        (void)sc_code_coroutine(&code, call->statement);
    }
    sc_code_done(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_code((const char *)data, size);
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
