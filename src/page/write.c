/* page/write.c - see write.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/write.h"

#include <string.h>

#include "base/utf8.h"
#include "base/visible.h"
#include "report/number.h"

/* More digits than any view shows; sizes of memory need a few more than percentages. */
enum { DIGITS = 9, CELL_DIGITS = 6 };

/* The most bytes written of one line: nobody reads more, and its colours are many times its
 * size. */
#define CODE_BYTES_MAX ((size_t)20000)

void sc_write_text(struct sc_json_out *out, const char *key, const char *text)
{
    if (text == NULL)
        return;
    sc_json_key(out, key);
    sc_write_source(out, text, strlen(text));
}

void sc_write_name(struct sc_json_out *out, const char *key, const char *name)
{
    sc_json_key(out, key);
    sc_json_string(out, name);
}

void sc_write_number(struct sc_json_out *out, const char *key, double number)
{
    sc_json_key(out, key);
    sc_json_rounded(out, number, DIGITS);
}

void sc_write_shares(struct sc_json_out *out, const char *key, const struct sc_shares *shares)
{
    sc_json_begin_under(out, key, '[');
    for (size_t i = 0; i < shares->count; i++) {
        sc_json_begin(out, '{');
        sc_write_text(out, "name", shares->items[i].name);
        sc_write_number(out, "percent", shares->items[i].percent);
        sc_write_number(out, "seconds", shares->items[i].seconds);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

void sc_write_range(struct sc_json_out *out, const char *key, uint32_t first, uint32_t last)
{
    sc_json_begin_under(out, key, '[');
    sc_json_count(out, first);
    sc_json_count(out, last);
    sc_json_end(out, ']');
}

void sc_write_points(struct sc_json_out *out, const char *key, const struct sc_footprint *points,
                     size_t count)
{
    sc_json_begin_under(out, key, '[');
    for (size_t i = 0; i < count; i++) {
        sc_json_begin(out, '[');
        sc_json_rounded(out, (double)points[i].time_ns / 1e9, CELL_DIGITS);
        sc_json_rounded(out, points[i].mb, CELL_DIGITS);
        sc_json_end(out, ']');
    }
    sc_json_end(out, ']');
}

void sc_write_curve(struct sc_json_out *out, const char *key, const struct sc_footprint *points,
                    size_t count)
{
    if (count >= 2)
        sc_write_points(out, key, points, count);
}

void sc_write_kinds(struct sc_json_out *out, const char *key, const double kinds[SC_KIND_COUNT_])
{
    sc_json_begin_under(out, key, '{');
    for (int i = 0; i < SC_KIND_COUNT_; i++) {
        sc_json_key(out, sc_columns[SC_COLUMN_PYTHON + i].id);
        sc_json_rounded(out, kinds[i], CELL_DIGITS);
    }
    sc_json_end(out, '}');
}

const char *sc_heat_name(enum sc_heat heat)
{
    static const char *const names[SC_HEAT_COUNT_] = {
        [SC_HEAT_NONE] = "none",
        [SC_HEAT_MILD] = "mild",
        [SC_HEAT_WARM] = "warm",
        [SC_HEAT_HOT] = "hot",
    };
    return names[heat];
}

void sc_write_cells(struct sc_json_out *out, const struct sc_parts *parts,
                    const struct sc_cost *cost)
{
    sc_json_begin_under(out, "cells", '{');
    for (int i = 0; i < SC_COLUMN_COUNT_; i++) {
        const struct sc_column *column = &sc_columns[i];
        if (column->value == NULL || (column->shown != NULL && !column->shown(parts)) ||
            sc_column_text(column, cost).text[0] == '\0')
            continue;
        sc_json_key(out, column->id);
        sc_json_rounded(out, sc_clamp(column->value(cost), 0.0, 1e15), CELL_DIGITS);
    }
    sc_json_end(out, '}');
}

static const char *style_name(enum sc_token token)
{
    static const char *const names[] = {
        [SC_TOKEN_TEXT] = "",
        [SC_TOKEN_KEYWORD] = "keyword",
        [SC_TOKEN_BUILTIN] = "builtin",
        [SC_TOKEN_STRING] = "string",
        [SC_TOKEN_NUMBER] = "number",
        [SC_TOKEN_COMMENT] = "comment",
        [SC_TOKEN_DECORATOR] = "decorator",
        [SC_TOKEN_DEFINITION] = "name",
        [SC_TOKEN_OPERATOR] = "operator",
    };
    return (size_t)token < sizeof(names) / sizeof(names[0]) ? names[token] : "";
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == '\f';
}

void sc_write_source(struct sc_json_out *out, const char *text, size_t length)
{
    SC_AUTO(sc_str_done) struct sc_str shown = {0};
    size_t size;
    for (size_t at = 0; at < length; at += size) {
        uint32_t character;
        size = sc_utf8_read(text + at, length - at, &character);
        size = size > 0 ? size : 1;
        if (sc_turns_text(character))
            sc_str_add_format(&shown, "<U+%04X>", (unsigned)character);
        else
            sc_str_add_bytes(&shown, text + at, size);
    }
    sc_json_text(out, sc_str_text(&shown), shown.length);
}

static void write_span(struct sc_json_out *out, const char *style, const char *text, size_t length)
{
    sc_json_begin(out, '[');
    sc_json_string(out, style);
    sc_write_source(out, text, length);
    sc_json_end(out, ']');
}

void sc_write_code(struct sc_json_out *out, const struct sc_source *source, size_t line)
{
    SC_AUTO_FREE struct sc_spans spans = {0};
    sc_json_begin_under(out, "code", '[');
    if (line < source->lines.count) {
        const char *text = source->text + source->lines.items[line].start;
        size_t length = source->lines.items[line].length;
        while (length > 0 && is_blank(text[length - 1]))
            length--;
        size_t shown = sc_utf8_fit(text, length, CODE_BYTES_MAX);
        sc_source_highlight(source, line, &spans);
        for (size_t i = 0; i < spans.count && spans.items[i].start < shown; i++) {
            const struct sc_span *span = &spans.items[i];
            size_t left = shown - span->start;
            write_span(out, style_name(span->token), text + span->start,
                       span->length < left ? span->length : left);
        }
        if (shown < length) {
            SC_AUTO_FREE char *rest = sc_format(" ... (%zu bytes more)", length - shown);
            write_span(out, style_name(SC_TOKEN_COMMENT), rest, strlen(rest));
        }
    }
    sc_json_end(out, ']');
}
