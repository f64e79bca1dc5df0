/*
 * source/highlight.c - the coloured spans of one line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/sort.h"
#include "source/source.h"

/* The first mark that ends behind the offset. */
static size_t first_mark_behind(const struct sc_source *source, size_t offset)
{
    size_t low;
    sc_find_first(&low, source->marks.count, i,
                  (size_t)source->marks.items[i].start + source->marks.items[i].length <= offset);
    return low;
}

/* Adds [*start, end) of the line, joined to the span before it if that is of the same kind. */
static void add_span(struct sc_spans *spans, size_t base, size_t *start, size_t end,
                     enum sc_token token)
{
    if (end <= *start)
        return;
    struct sc_span span = {.start = *start, .length = end - *start, .token = token};
    *start = end;
    if (spans->count > base) {
        struct sc_span *last = &spans->items[spans->count - 1];
        if (last->token == token) {
            last->length += span.length;
            return;
        }
    }
    sc_vec_push(spans, span);
}

void sc_source_highlight(const struct sc_source *source, size_t line, struct sc_spans *ret_spans)
{
    if (line >= source->lines.count)
        return;
    size_t begin = source->lines.items[line].start;
    size_t length = source->lines.items[line].length;
    size_t base = ret_spans->count;
    size_t at = 0;
    for (size_t i = first_mark_behind(source, begin); i < source->marks.count; i++) {
        const struct sc_source_mark *mark = &source->marks.items[i];
        if (mark->start >= begin + length)
            break;
        size_t start = mark->start > begin ? mark->start - begin : 0;
        size_t end = (size_t)mark->start + mark->length - begin;
        add_span(ret_spans, base, &at, start, SC_TOKEN_TEXT);
        add_span(ret_spans, base, &at, end < length ? end : length, (enum sc_token)mark->token);
    }
    add_span(ret_spans, base, &at, length, SC_TOKEN_TEXT);
}
