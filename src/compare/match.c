/* compare/match.c - see match.h. SPDX-License-Identifier: Apache-2.0 */
#include "compare/match.h"

#include <string.h>

#include "base/sort.h"
#include "source/diff.h"

/* Texts are alike from this part of their lines on that both have (the coefficient of Dice). */
#define ALIKE 0.6

/* Fewer lines that both have say nothing: "return self" is in many functions. */
#define COMMON_LEAST 2U

/* What makes one of two equally like functions the better one. */
#define SAME_NAME 0.2
#define SAME_FILE 0.1

/* Files and functions of one side that are compared by content; what is beyond has no match. */
#define FILES_MAX     300U
#define FUNCTIONS_MAX 2000U

/* Lines shorter than this are in every program: "else:", "try:", "pass". */
#define SHORT_LINE 6U

/* The lines of a file or a function, as sorted hashes. */
struct content {
    uint32_t index;
    SC_VEC(uint64_t) hashes;
};

struct candidate {
    uint32_t index[2];
    double likeness;
};

struct candidates SC_VEC_OF(struct candidate);

struct contents SC_VEC_OF(struct content);

/* The best first; equal ones in the order of the first side, then of the second. */
SC_ORDERED_BY(compare_candidates, struct candidate, SC_FALLING(likeness), SC_RISING(index[0]),
              SC_RISING(index[1]));

static void add_content(struct contents *contents, uint32_t index,
                        const struct sc_match_line *lines, size_t count)
{
    struct content content = {.index = index};
    for (size_t i = 0; i < count; i++)
        if (lines[i].length >= SHORT_LINE)
            sc_vec_push(&content.hashes, lines[i].hash);
    sc_vec_sort(&content.hashes, sc_by_count);
    sc_vec_push(contents, content);
}

static void contents_done(struct contents *contents)
{
    for (size_t i = 0; i < contents->count; i++)
        sc_vec_done(&contents->items[i].hashes);
    sc_vec_done(contents);
}

static double likeness_of(const struct content *one, const struct content *other)
{
    size_t counts[2] = {one->hashes.count, other->hashes.count};
    size_t fewer = counts[0] < counts[1] ? counts[0] : counts[1];
    double both = (double)(counts[0] + counts[1]);
    if (fewer < COMMON_LEAST || 2.0 * (double)fewer < ALIKE * both)
        return 0.0;
    size_t common = 0;
    for (size_t i = 0, k = 0; i < counts[0] && k < counts[1];) {
        uint64_t a = one->hashes.items[i];
        uint64_t b = other->hashes.items[k];
        common += a == b;
        i += a <= b;
        k += b <= a;
    }
    return common >= COMMON_LEAST ? 2.0 * (double)common / both : 0.0;
}

/* -------- files and functions -------- */

enum kind { FILES, FUNCTIONS };

static uint32_t *other_of(struct sc_matching *match, int side, enum kind kind, uint32_t index)
{
    struct sc_match_side *of = &match->sides[side];
    return kind == FILES ? &of->files.items[index].other : &of->functions.items[index].other;
}

/* Links two that have no match yet. */
static void link_two(struct sc_matching *match, enum kind kind, uint32_t one, uint32_t other)
{
    uint32_t *others[2] = {other_of(match, 0, kind, one), other_of(match, 1, kind, other)};
    if (*others[0] == SC_NONE && *others[1] == SC_NONE) {
        *others[0] = other;
        *others[1] = one;
    }
}

/* What is to be added to the likeness of two functions. */
static double bonus(const struct sc_matching *match, uint32_t one, uint32_t other)
{
    const struct sc_match_function *a = &match->sides[0].functions.items[one];
    const struct sc_match_function *b = &match->sides[1].functions.items[other];
    return (strcmp(a->name, b->name) == 0 ? SAME_NAME : 0.0) +
           (match->sides[0].files.items[a->file].other == b->file ? SAME_FILE : 0.0);
}

/* Of a function all but its first line, which has its name. */
static void add_unmatched(struct sc_matching *match, int side, enum kind kind,
                          struct contents *contents)
{
    struct sc_match_side *of = &match->sides[side];
    size_t count = kind == FILES ? of->files.count : of->functions.count;
    size_t most = kind == FILES ? FILES_MAX : FUNCTIONS_MAX;
    for (uint32_t i = 0; i < count && contents->count < most; i++) {
        if (*other_of(match, side, kind, i) != SC_NONE)
            continue;
        uint32_t file = kind == FILES ? i : of->functions.items[i].file;
        uint32_t first = kind == FILES ? 0 : of->functions.items[i].start;
        uint32_t end =
            kind == FILES ? (uint32_t)of->files.items[i].line_count : of->functions.items[i].end;
        if (end > first)
            add_content(contents, i, of->files.items[file].lines + first, end - first);
    }
}

/* Links what has no match yet by content, the most alike first. */
static void match_by_content(struct sc_matching *match, enum kind kind)
{
    struct contents left[2] = {{0}, {0}};
    struct candidates found = {0};
    add_unmatched(match, 0, kind, &left[0]);
    add_unmatched(match, 1, kind, &left[1]);
    for (size_t i = 0; i < left[0].count; i++)
        for (size_t k = 0; k < left[1].count; k++) {
            double likeness = likeness_of(&left[0].items[i], &left[1].items[k]);
            struct candidate one = {{left[0].items[i].index, left[1].items[k].index}, likeness};
            if (likeness < ALIKE)
                continue;
            one.likeness += kind == FUNCTIONS ? bonus(match, one.index[0], one.index[1]) : 0.0;
            sc_vec_push(&found, one);
        }
    sc_vec_sort(&found, compare_candidates);
    for (size_t i = 0; i < found.count; i++)
        link_two(match, kind, found.items[i].index[0], found.items[i].index[1]);
    sc_vec_done(&found);
    contents_done(&left[0]);
    contents_done(&left[1]);
}

static void match_file_names(struct sc_matching *match)
{
    const struct sc_intern *names = &match->sides[0].names;
    for (uint32_t i = 0; i < match->sides[0].files.count; i++) {
        uint32_t other = sc_intern_find(&match->sides[1].names, sc_intern_text(names, i),
                                        sc_intern_length(names, i));
        if (other != SC_NONE)
            link_two(match, FILES, i, other);
    }
}

/* The file of the program itself, of the first run that has it; SC_NONE where none does. */
static uint32_t main_file(const struct sc_matching *match, int side,
                          const struct sc_match_profiles *profiles)
{
    uint32_t found = SC_NONE;
    for (size_t i = 0; i < profiles->count && found == SC_NONE; i++)
        if (profiles->items[i].program != NULL)
            found = sc_match_file_of(&match->sides[side], &profiles->items[i],
                                     profiles->items[i].program);
    return found;
}

/* Programs of other names are two versions of one as well: a.py and b.py. */
static void match_main_files(struct sc_matching *match, const struct sc_match_profiles sides[2])
{
    uint32_t before = main_file(match, 0, &sides[0]);
    uint32_t after = main_file(match, 1, &sides[1]);
    if (before != SC_NONE && after != SC_NONE)
        link_two(match, FILES, before, after);
}

/* Those of one name in files that match; of several with one name, the first is the first. Where
 * the name says nothing ("<lambda>"), those at lines that match. */
static void match_function_names(struct sc_matching *match)
{
    for (uint32_t i = 0; i < match->sides[0].functions.count; i++) {
        const struct sc_match_function *function = &match->sides[0].functions.items[i];
        const struct sc_match_line *line =
            sc_match_line_of(match, 0, function->file, function->start);
        bool is_named = !sc_match_is_nameless(function->name);
        uint32_t file = match->sides[0].files.items[function->file].other;
        if (!is_named)
            file = line != NULL && line->other_lineno > 0 ? line->other_file : SC_NONE;
        if (file == SC_NONE)
            continue;
        SC_AUTO(sc_str_done) struct sc_str key = {0};
        sc_match_key(file, function->name, is_named || line == NULL ? 0 : line->other_lineno,
                     function->number, &key);
        uint32_t other = sc_intern_find(&match->sides[1].keys, key.data, key.length);
        if (other != SC_NONE)
            link_two(match, FUNCTIONS, i, other);
    }
}

/* -------- lines -------- */

/* Lines of a file, by number. */
struct part {
    uint32_t file;
    SC_VEC(uint32_t) linenos;
    struct sc_str text;
};

static void add_line(struct part *part, const struct sc_match_file *file, uint32_t lineno)
{
    const struct sc_match_line *line = &file->lines[lineno - 1];
    sc_vec_push(&part->linenos, lineno);
    sc_str_add_bytes(&part->text, line->text, line->length);
    sc_str_add_char(&part->text, '\n');
}

/* The file's lines in a function, without those in functions in it; SC_NONE: in none. */
static void part_init(struct part *part, const struct sc_match_side *side, uint32_t file,
                      uint32_t function)
{
    const struct sc_match_file *in = &side->files.items[file];
    uint32_t start = 1;
    uint32_t end = (uint32_t)in->line_count;
    *part = (struct part){.file = file};
    if (function != SC_NONE) {
        start = side->functions.items[function].start;
        end = side->functions.items[function].end;
    }
    for (uint32_t i = start; i >= 1 && i <= end && i <= in->line_count; i++)
        if (in->lines[i - 1].function == function)
            add_line(part, in, i);
}

static void part_done(struct part *part)
{
    sc_vec_done(&part->linenos);
    sc_str_done(&part->text);
}

static void link_lines(struct sc_matching *match, const struct part parts[2], uint32_t old_row,
                       uint32_t new_row)
{
    uint32_t lineno[2] = {parts[0].linenos.items[old_row - 1], parts[1].linenos.items[new_row - 1]};
    for (int side = 0; side < 2; side++) {
        struct sc_match_line *line =
            &match->sides[side].files.items[parts[side].file].lines[lineno[side] - 1];
        line->other_file = parts[1 - side].file;
        line->other_lineno = lineno[1 - side];
    }
}

static void match_lines(struct sc_matching *match, const struct part parts[2])
{
    SC_AUTO(sc_diff_done) struct sc_diff diff = {0};
    sc_diff_init(&diff, sc_str_text(&parts[0].text), parts[0].text.length,
                 sc_str_text(&parts[1].text), parts[1].text.length);
    const struct sc_diff_row *rows = diff.rows.items;
    for (size_t i = 0; i < diff.rows.count;) {
        if (rows[i].kind == SC_DIFF_SAME) {
            link_lines(match, parts, rows[i].old_lineno, rows[i].new_lineno);
            i++;
            continue;
        }
        size_t added = i;
        while (added < diff.rows.count && rows[added].kind == SC_DIFF_REMOVED)
            added++;
        size_t end = added;
        while (end < diff.rows.count && rows[end].kind == SC_DIFF_ADDED)
            end++;
        for (size_t k = 0; added - i == end - added && k < added - i; k++)
            link_lines(match, parts, rows[i + k].old_lineno, rows[added + k].new_lineno);
        i = end;
    }
}

static void match_parts(struct sc_matching *match, const uint32_t files[2],
                        const uint32_t functions[2])
{
    struct part parts[2];
    for (int side = 0; side < 2; side++)
        part_init(&parts[side], &match->sides[side], files[side], functions[side]);
    if (parts[0].linenos.items != NULL && parts[1].linenos.items != NULL)
        match_lines(match, parts);
    part_done(&parts[0]);
    part_done(&parts[1]);
}

/* Lines of a text are matched once all functions are; functions without one once lines are. */
void sc_match_init(struct sc_matching *match, const struct sc_match_profiles sides[2])
{
    sc_match_side_init(&match->sides[0], &sides[0]);
    sc_match_side_init(&match->sides[1], &sides[1]);
    match_file_names(match);
    match_by_content(match, FILES);
    match_main_files(match, sides);
    match_function_names(match);
    match_by_content(match, FUNCTIONS);
    for (uint32_t i = 0; i < match->sides[0].files.count; i++) {
        uint32_t other = match->sides[0].files.items[i].other;
        if (other != SC_NONE)
            match_parts(match, (uint32_t[2]){i, other}, (uint32_t[2]){SC_NONE, SC_NONE});
    }
    for (uint32_t i = 0; i < match->sides[0].functions.count; i++) {
        const struct sc_match_function *function = &match->sides[0].functions.items[i];
        if (function->other != SC_NONE)
            match_parts(match,
                        (uint32_t[2]){function->file,
                                      match->sides[1].functions.items[function->other].file},
                        (uint32_t[2]){i, function->other});
    }
    match_function_names(match);
}

void sc_match_done(struct sc_matching *match)
{
    sc_match_side_done(&match->sides[0]);
    sc_match_side_done(&match->sides[1]);
}

const struct sc_match_line *sc_match_line_of(const struct sc_matching *match, int side,
                                             uint32_t file, uint32_t lineno)
{
    const struct sc_match_file *in = &match->sides[side].files.items[file];
    return lineno >= 1 && lineno <= in->line_count ? &in->lines[lineno - 1] : NULL;
}

uint32_t sc_match_other_line(const struct sc_matching *match, int side, uint32_t file,
                             uint32_t lineno, uint32_t *ret_file)
{
    const struct sc_match_line *line = sc_match_line_of(match, side, file, lineno);
    uint32_t other = match->sides[side].files.items[file].other;
    if (line != NULL) {
        *ret_file = line->other_file;
        return line->other_lineno;
    }
    *ret_file = other;
    return other != SC_NONE && sc_match_line_of(match, 1 - side, other, lineno) == NULL ? lineno
                                                                                        : 0;
}
