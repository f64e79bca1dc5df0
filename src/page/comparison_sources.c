/*
 * page/comparison_sources.c - "api/diff?of=files" and "?of=sources": the files of both versions,
 * each line with the one that it is on the other side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "page/comparison.h"
#include "page/write.h"

/* A page is to be small enough to be sent to others. */
#define LINES_MAX 40000U

static const char *const side_keys[] = {"before", "after"};

/* -------- which files -------- */

static const struct sc_match_file *file_of(const struct sc_comparison *comparison, int side,
                                           uint32_t file)
{
    return file != SC_NONE ? &comparison->match.sides[side].files.items[file] : NULL;
}

/* The pair that a file of a side is in; a new one where it is in none. */
static struct sc_page_pair *pair_of(struct sc_page_pairs *pairs,
                                    const struct sc_comparison *comparison, int side, uint32_t file)
{
    if (pairs->number[side][file] == SC_NONE) {
        uint32_t other = file_of(comparison, side, file)->other;
        struct sc_page_pair pair = {.file = {SC_NONE, SC_NONE}};
        pair.file[side] = file;
        pair.file[1 - side] = other;
        pairs->number[side][file] = (uint32_t)pairs->items.count;
        if (other != SC_NONE)
            pairs->number[1 - side][other] = (uint32_t)pairs->items.count;
        for (int one = 0; one < 2; one++)
            if (pair.file[one] != SC_NONE)
                pair.line_count += file_of(comparison, one, pair.file[one])->line_count;
        sc_vec_push(&pairs->items, pair);
    }
    return &pairs->items.items[pairs->number[side][file]];
}

SC_ORDERED_BY(compare_pairs, struct sc_page_pair, SC_FALLING(changed_s), SC_RISING(file[1]),
              SC_RISING(file[0]));

void sc_page_pairs_init(struct sc_page_pairs *pairs, const struct sc_comparison *comparison)
{
    for (int side = 0; side < 2; side++) {
        size_t count = comparison->match.sides[side].files.count;
        pairs->number[side] = sc_alloc(count + 1, sizeof(*pairs->number[side]));
        memset(pairs->number[side], 0xff, count * sizeof(*pairs->number[side]));
    }
    for (int table = SC_COMPARE_LINES; table <= SC_COMPARE_FUNCTIONS; table++)
        for (size_t i = 0; i < comparison->tables[table].count; i++) {
            const struct sc_compared *place = &comparison->tables[table].items[i];
            for (int side = 0; side < 2; side++) {
                if (place->file[side] == SC_NONE)
                    continue;
                struct sc_page_pair *pair = pair_of(pairs, comparison, side, place->file[side]);
                if (table == SC_COMPARE_LINES)
                    pair->changed_s += fabs(place->differences[SC_METRIC_TIME].change);
            }
        }
    sc_vec_sort(&pairs->items, compare_pairs);
    size_t lines = 0;
    while (pairs->kept < pairs->items.count &&
           (lines += pairs->items.items[pairs->kept].line_count) <= LINES_MAX)
        pairs->kept++;
    for (size_t i = 0; i < pairs->items.count; i++)
        for (int side = 0; side < 2; side++)
            if (pairs->items.items[i].file[side] != SC_NONE)
                pairs->number[side][pairs->items.items[i].file[side]] =
                    i < pairs->kept ? (uint32_t)i : SC_NONE;
}

void sc_page_pairs_done(struct sc_page_pairs *pairs)
{
    sc_vec_done(&pairs->items);
    free(pairs->number[0]);
    free(pairs->number[1]);
}

void sc_page_write_compared_pairs(struct sc_json_out *out, const struct sc_comparison *comparison,
                                  const struct sc_page_pairs *pairs)
{
    sc_json_begin(out, '{');
    sc_json_begin_under(out, "pairs", '[');
    for (size_t i = 0; i < pairs->kept; i++) {
        sc_json_begin(out, '{');
        for (int side = 0; side < 2; side++) {
            uint32_t file = pairs->items.items[i].file[side];
            if (file == SC_NONE)
                continue;
            sc_json_begin_under(out, side_keys[side], '{');
            sc_write_text(out, "file", sc_intern_text(&comparison->match.sides[side].names, file));
            sc_write_text(out, "path", file_of(comparison, side, file)->file->name);
            sc_json_end(out, '}');
        }
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    sc_json_count_under(out, "left_out", pairs->items.count - pairs->kept);
    sc_json_end(out, '}');
}

/* -------- the text of a file -------- */

/* Lines without their blanks would lose the shape of the program: the profile's are taken. */
static struct sc_str text_of(const struct sc_match_file *file)
{
    struct sc_str text = {0};
    size_t at = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        while (at < file->file->lines.count && file->file->lines.items[at].lineno < i + 1)
            at++;
        const struct sc_line *line =
            at < file->file->lines.count ? &file->file->lines.items[at] : NULL;
        const char *its = line != NULL && line->lineno == i + 1 ? line->text : NULL;
        if (its != NULL)
            sc_str_add_bytes(&text, its, strcspn(its, "\r\n"));
        sc_str_add_char(&text, '\n');
    }
    return text;
}

/* [code, pair, line]: the last two of the line that it is on the other side, null in place of a
 * pair that is not on the page. */
static void write_lines(struct sc_json_out *out, const struct sc_match_file *file,
                        const uint32_t *number_of_other)
{
    SC_AUTO(sc_str_done) struct sc_str text = text_of(file);
    SC_AUTO(sc_source_done) struct sc_source source = {0};
    sc_source_init(&source, sc_str_text(&text), text.length);
    sc_json_begin_under(out, "lines", '[');
    for (size_t i = 0; i < file->line_count; i++) {
        const struct sc_match_line *line = &file->lines[i];
        sc_json_begin(out, '{');
        sc_write_code(out, &source, i);
        if (line->other_lineno > 0) {
            uint32_t pair = number_of_other[line->other_file];
            if (pair != SC_NONE)
                sc_json_count_under(out, "pair", pair);
            sc_json_count_under(out, "line", line->other_lineno);
        }
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

/* -------- its functions -------- */

static void write_function(struct sc_json_out *out, const struct sc_comparison *comparison,
                           const struct sc_page_pairs *pairs, const uint32_t function[2])
{
    sc_json_begin(out, '{');
    for (int side = 1; side >= 0; side--) {
        if (function[side] == SC_NONE)
            continue;
        const struct sc_match_function *one =
            &comparison->match.sides[side].functions.items[function[side]];
        uint32_t pair = pairs->number[side][one->file];
        if (side == 1 || function[1] == SC_NONE)
            sc_write_text(out, "name", one->name);
        sc_json_begin_under(out, side_keys[side], '{');
        if (pair != SC_NONE)
            sc_json_count_under(out, "pair", pair);
        sc_json_count_under(out, "start", one->start);
        sc_json_count_under(out, "end", one->end);
        sc_json_end(out, '}');
    }
    sc_json_end(out, '}');
}

/* Those of the file after, with what they were before; then those of the file before that are no
 * more. */
static void write_functions(struct sc_json_out *out, const struct sc_comparison *comparison,
                            const struct sc_page_pairs *pairs, const struct sc_page_pair *pair)
{
    sc_json_begin_under(out, "functions", '[');
    for (int side = 1; side >= 0; side--) {
        const struct sc_match_side *of = &comparison->match.sides[side];
        for (uint32_t i = 0; i < of->functions.count; i++) {
            const struct sc_match_function *one = &of->functions.items[i];
            uint32_t function[2] = {side == 0 ? i : one->other, side == 1 ? i : one->other};
            bool is_text = one->start >= 1 && one->end > one->start;
            if (one->file == pair->file[side] && is_text && (side == 1 || one->other == SC_NONE))
                write_function(out, comparison, pairs, function);
        }
    }
    sc_json_end(out, ']');
}

void sc_page_write_compared_sources(struct sc_json_out *out, const struct sc_comparison *comparison,
                                    const struct sc_page_pairs *pairs, size_t pair)
{
    const struct sc_page_pair *of = &pairs->items.items[pair];
    sc_json_begin(out, '{');
    for (int side = 0; side < 2; side++) {
        const struct sc_match_file *file = file_of(comparison, side, of->file[side]);
        if (file == NULL)
            continue;
        sc_json_begin_under(out, side_keys[side], '{');
        write_lines(out, file, pairs->number[1 - side]);
        sc_json_end(out, '}');
    }
    write_functions(out, comparison, pairs, of);
    sc_json_end(out, '}');
}
