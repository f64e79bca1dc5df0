/*
 * compare/match_side.c - reading the files, functions and lines of one side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <string.h>

#include "compare/match.h"
#include "report/name.h"

/* A profile may come from anywhere: lines beyond have a number, and no text. */
#define LINES_MAX 1000000U

/* Of all files together: lines without a record up to the last that has one. Of a file with more,
 * lines have no text. */
#define MADE_LINES_MAX ((size_t)1000000)

#define DEPTH_MAX 32U

/* A def stands that many lines behind its first decorator, at most. */
#define DECORATORS_MAX 100U

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++)
        hash = hash * 0x100000001b3ULL ^ (unsigned char)text[i];
    return sc_mix(hash, length);
}

static void set_text(struct sc_match_line *line, const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[0])) {
        text++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    line->text = text;
    line->length = length;
    line->hash = hash_of(text, length);
}

/* -------- lines -------- */

/* How many of the file's lines no record of the profile stands for. */
static size_t made_lines(const struct sc_match_file *file)
{
    return file->line_count > file->file->lines.count ? file->line_count - file->file->lines.count
                                                      : 0;
}

static void add_lines(struct sc_match_side *side, struct sc_match_file *into,
                      const struct sc_file *file)
{
    uint32_t last = 0;
    for (size_t i = 0; i < file->lines.count; i++) {
        uint32_t lineno = file->lines.items[i].lineno;
        if (lineno <= LINES_MAX && lineno > last)
            last = lineno;
    }
    into->file = file;
    into->line_count = last;
    if (made_lines(into) > MADE_LINES_MAX - side->made_lines)
        into->line_count = last = 0;
    side->made_lines += made_lines(into);
    into->lines = sc_alloc(last + 1, sizeof(*into->lines));
    for (size_t i = 0; i < last; i++)
        into->lines[i] = (struct sc_match_line){.text = "", .function = SC_NONE};
    SC_EACH(const struct sc_line, line, &file->lines)
        if (line->lineno >= 1 && line->lineno <= last && line->text != NULL)
            set_text(&into->lines[line->lineno - 1], line->text);
}

static void add_file(struct sc_match_side *side, const struct sc_profile *profile,
                     const struct sc_file *file)
{
    SC_AUTO_FREE char *name = sc_shown_name(profile, file->name);
    uint32_t at = sc_intern_add(&side->names, name, strlen(name));
    if (at == side->files.count) {
        sc_vec_push(&side->files, (struct sc_match_file){.other = SC_NONE});
        add_lines(side, &side->files.items[at], file);
        return;
    }
    struct sc_match_file *known = &side->files.items[at];
    if (file->lines.count > known->file->lines.count) {
        side->made_lines -= made_lines(known);
        free(known->lines);
        add_lines(side, known, file);
    }
}

/* -------- functions -------- */

/* Names of functions in functions have no place in them, as before Python 3.11. */
static void add_plain_name(struct sc_str *text, const char *name)
{
    static const char locals[] = "<locals>.";
    const char *found;
    for (; (found = strstr(name, locals)) != NULL; name = found + strlen(locals))
        sc_str_add_bytes(text, name, (size_t)(found - name));
    sc_str_add(text, name);
}

bool sc_match_is_nameless(const char *name)
{
    const char *last = sc_after_last(name, '.');
    return last[0] == '<' && strcmp(last, "<module>") != 0;
}

void sc_match_key(uint32_t file, const char *name, uint32_t lineno, uint32_t number,
                  struct sc_str *key)
{
    sc_str_clear(key);
    sc_str_add_format(key, "%u:%u:%u:", file, sc_match_is_nameless(name) ? lineno : 0, number);
    add_plain_name(key, name);
}

static uint32_t add_function(struct sc_match_side *side, const char *name,
                             struct sc_match_function function)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_match_key(function.file, name, function.start, 0, &text);
    uint32_t first = sc_intern_find(&side->keys, text.data, text.length);
    if (first != SC_NONE)
        function.number = ++side->functions.items[first].namesakes;
    sc_match_key(function.file, name, function.start, function.number, &text);
    uint32_t at = sc_intern_add(&side->keys, text.data, text.length);
    sc_str_clear(&text);
    add_plain_name(&text, name);
    function.name = sc_intern_keep(&side->texts, sc_str_text(&text));
    sc_vec_push(&side->functions, function);
    return at;
}

/* The name that a line defines, behind def or class; 0 when it is none. */
static size_t defined(const struct sc_match_line *line, const char **ret_name)
{
    static const char *const words[] = {"def ", "async def ", "class "};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        if (line->length <= length || strncmp(line->text, words[i], length) != 0)
            continue;
        size_t end = length;
        while (end < line->length && (line->text[end] == '_' || (line->text[end] & 0x80) != 0 ||
                                      isalnum((unsigned char)line->text[end])))
            end++;
        *ret_name = line->text + length;
        return end - length;
    }
    return 0;
}

/* Adds the function that begins at a line, below the one around it; SC_NONE where no line names
 * it. */
static uint32_t begin_function(struct sc_match_side *side, uint32_t file, uint32_t around,
                               const struct sc_line *first)
{
    const struct sc_match_file *in = &side->files.items[file];
    struct sc_match_function function = {.file = file,
                                         .start = first->lineno,
                                         .end = first->region.end_function_line,
                                         .other = SC_NONE};
    if (function.end > in->line_count)
        function.end = (uint32_t)in->line_count;
    const char *name = NULL;
    size_t length = 0;
    for (uint32_t i = function.start;
         i <= function.end && i - function.start < DECORATORS_MAX && length == 0; i++)
        length = defined(&in->lines[i - 1], &name);
    if (length == 0)
        return SC_NONE;
    const char *outer = around != SC_NONE ? side->functions.items[around].name : "";
    SC_AUTO_FREE char *full =
        sc_format("%s%s%.*s", outer, around != SC_NONE ? "." : "", (int)length, name);
    return add_function(side, full, function);
}

/* Names the functions of a file's text, and says of each line which one it is in. */
static void find_functions(struct sc_match_side *side, uint32_t at)
{
    const struct sc_match_file *in = &side->files.items[at];
    uint32_t open[DEPTH_MAX];
    size_t depth = 0;
    SC_EACH(const struct sc_line, line, &in->file->lines) {
        if (line->lineno < 1 || line->lineno > in->line_count)
            continue;
        while (depth > 0 && side->functions.items[open[depth - 1]].end < line->lineno)
            depth--;
        uint32_t around = depth > 0 ? open[depth - 1] : SC_NONE;
        if (line->region.start_function_line == line->lineno && depth < DEPTH_MAX) {
            uint32_t begun = begin_function(side, at, around, line);
            if (begun != SC_NONE)
                open[depth++] = around = begun;
        }
        in->lines[line->lineno - 1].function = around;
    }
}

uint32_t sc_match_file_of(const struct sc_match_side *side, const struct sc_profile *profile,
                          const char *name)
{
    SC_AUTO_FREE char *shown = sc_shown_name(profile, name);
    return sc_intern_find(&side->names, shown, strlen(shown));
}

uint32_t sc_match_function_of(const struct sc_match_side *side, uint32_t file, const char *name,
                              uint32_t lineno)
{
    const struct sc_match_file *in = &side->files.items[file];
    uint32_t at =
        lineno >= 1 && lineno <= in->line_count ? in->lines[lineno - 1].function : SC_NONE;
    if (at != SC_NONE && side->functions.items[at].start == lineno)
        return at;
    SC_AUTO(sc_str_done) struct sc_str key = {0};
    sc_match_key(file, name, lineno, 0, &key);
    at = sc_intern_find(&side->keys, key.data, key.length);
    return at;
}

/* Functions that a profile lists and the text does not name: lambdas, comprehensions, and all where
 * there is no text. */
static void add_listed(struct sc_match_side *side, const struct sc_profile *profile,
                       const struct sc_file *file)
{
    uint32_t at = sc_match_file_of(side, profile, file->name);
    SC_EACH(const struct sc_function, function, &file->functions) {
        struct sc_match_function made = {
            .file = at, .start = function->lineno, .end = function->lineno, .other = SC_NONE};
        if (sc_match_function_of(side, at, function->name, function->lineno) == SC_NONE)
            (void)add_function(side, function->name, made);
    }
}

void sc_match_side_init(struct sc_match_side *side, const struct sc_match_profiles *profiles)
{
    *side = (struct sc_match_side){0};
    for (size_t i = 0; i < profiles->count; i++)
        for (size_t k = 0; k < profiles->items[i].files.count; k++)
            add_file(side, &profiles->items[i], &profiles->items[i].files.items[k]);
    for (uint32_t i = 0; i < side->files.count; i++)
        find_functions(side, i);
    for (size_t i = 0; i < profiles->count; i++)
        for (size_t k = 0; k < profiles->items[i].files.count; k++)
            add_listed(side, &profiles->items[i], &profiles->items[i].files.items[k]);
}

void sc_match_side_done(struct sc_match_side *side)
{
    for (size_t i = 0; i < side->files.count; i++)
        free(side->files.items[i].lines);
    sc_vec_done(&side->files);
    sc_vec_done(&side->functions);
    sc_intern_done(&side->names);
    sc_intern_done(&side->keys);
    sc_intern_done(&side->texts);
}
