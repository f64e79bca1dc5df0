/*
 * build/functions.c - which function a code object's time counts for.
 *
 * A function is a def. Lambdas, comprehensions and class bodies are code objects of their own, but
 * to the reader they are part of the def around them, which is found in the source. The source also
 * gives the class of a method where the interpreter has no qualified names (before 3.11).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/sort.h"
#include "build/builder.h"

/* A function's name is looked for on so many lines, of which the first may be decorators. */
#define HEAD_LINES 10U

static bool is_name_byte(char byte)
{
    return byte == '_' || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || (unsigned char)byte >= 0x80;
}

/* Steps over the word and the blanks behind it, if the text begins with it. */
static bool skip_word(const char **text, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *text) <= length || memcmp(*text, word, length) != 0 ||
        is_name_byte((*text)[length]))
        return false;
    *text += length;
    while (*text < end && strchr(" \t\f\\\r\n", **text) != NULL)
        (*text)++;
    return true;
}

/* Reads "def name" or "class name" on a line, after any blanks; false if neither is there. */
static bool read_header(const struct sc_source *source, uint32_t line,
                        struct sc_builder_scope *scope, const char **ret_name, size_t *ret_length)
{
    const char *text = source->text + source->lines.items[line - 1].start;
    const char *end = text + source->lines.items[line - 1].length;
    while (text < end && strchr(" \t\f", *text) != NULL)
        text++;
    scope->is_async = skip_word(&text, end, "async");
    scope->is_class = skip_word(&text, end, "class");
    if (!scope->is_class && !skip_word(&text, end, "def"))
        return false;
    const char *name = text;
    while (text < end && is_name_byte(*text))
        text++;
    *ret_name = name;
    *ret_length = (size_t)(text - name);
    return text > name;
}

/* "Class.method", "outer.<locals>.inner". */
static char *qualify(const struct sc_builder_file *file, uint32_t parent, const char *name,
                     size_t length)
{
    if (parent == SC_NONE)
        return sc_strndup(name, length);
    const struct sc_builder_scope *around = &file->scopes.items[parent];
    return sc_format("%s.%s%.*s", around->name, around->is_class ? "" : "<locals>.", (int)length,
                     name);
}

/* The innermost of the first count scopes, which begin before the line, that reaches to the line,
 * or SC_NONE: one that does is around the last of them, or is that itself. */
static uint32_t scope_reaching(const struct sc_builder_file *file, size_t count, uint32_t line)
{
    uint32_t at = count > 0 ? (uint32_t)(count - 1) : SC_NONE;
    while (at != SC_NONE && file->scopes.items[at].end < line)
        at = file->scopes.items[at].parent;
    return at;
}

static void add_scope(struct sc_builder_file *file, uint32_t line, const struct sc_region *region)
{
    struct sc_builder_scope scope = {.start = region->start_function_line,
                                     .end = region->end_function_line,
                                     .parent = SC_NONE,
                                     .function = SC_NONE};
    const char *name = NULL;
    size_t length = 0;
    /* the region may begin with decorators; the first line that can be a header is the header */
    uint32_t header = line;
    while (!read_header(&file->source, header, &scope, &name, &length)) {
        if (++header > region->end_function_line || header > file->source.lines.count)
            return;
    }
    scope.parent = scope_reaching(file, file->scopes.count, line);
    scope.name = qualify(file, scope.parent, name, length);
    sc_vec_push(&file->scopes, scope);
}

void sc_builder_find_scopes(struct sc_builder_file *file)
{
    size_t count = file->source.regions.count;
    if (count > file->source.lines.count)
        count = file->source.lines.count;
    for (uint32_t line = 1; line <= count; line++) {
        const struct sc_region *region = &file->source.regions.items[line - 1];
        if (region->start_function_line == line)
            add_scope(file, line, region);
    }
}

void sc_builder_file_done(struct sc_builder_file *file)
{
    for (size_t i = 0; i < file->scopes.count; i++)
        free(file->scopes.items[i].name);
    sc_vec_done(&file->scopes);
    sc_source_done(&file->source);
    free(file->name);
}

/* How many defs and classes begin before the line. */
static size_t scopes_before(const struct sc_builder_file *file, uint32_t line)
{
    size_t count;
    sc_find_first(&count, file->scopes.count, i, file->scopes.items[i].start < line);
    return count;
}

/* The innermost def or class around a line, or SC_NONE. */
static uint32_t scope_around(const struct sc_builder_file *file, uint32_t line)
{
    return scope_reaching(file, scopes_before(file, line + 1), line);
}

bool sc_builder_is_async(const struct sc_builder_file *file, uint32_t start_line)
{
    size_t at = scopes_before(file, start_line);
    return at < file->scopes.count && file->scopes.items[at].start == start_line &&
           file->scopes.items[at].is_async;
}

/* The def or class whose code object begins on the line: decorators come before the def. */
static uint32_t scope_begun(const struct sc_builder_file *file, uint32_t first_line,
                            const char *name)
{
    size_t at = scopes_before(file, first_line);
    bool is_it = at < file->scopes.count &&
                 strcmp(sc_after_last(file->scopes.items[at].name, '.'), name) == 0;
    return is_it ? (uint32_t)at : SC_NONE;
}

/* Whether the name is a word on the line. Lisps write "-" where Python has "_". */
static bool has_word(const struct sc_source *source, uint32_t line, const char *name)
{
    const char *text = source->text + source->lines.items[line - 1].start;
    size_t length = source->lines.items[line - 1].length;
    size_t same = 0; /* bytes of the name before i, SIZE_MAX behind another word's beginning */
    for (size_t i = 0; i <= length; i++) {
        char byte = i == length ? ' ' : text[i] == '-' ? '_' : text[i];
        if (!is_name_byte(byte)) {
            if (same != SIZE_MAX && same > 0 && name[same] == '\0')
                return true;
            same = 0;
        } else if (same != SIZE_MAX) {
            same = byte == name[same] ? same + 1 : SIZE_MAX;
        }
    }
    return false;
}

static bool begins_in(const struct sc_source *source, uint32_t first_line, const char *name)
{
    for (uint32_t i = 0; i < HEAD_LINES; i++) {
        uint32_t line = first_line + i;
        if (line >= 1 && line <= source->lines.count && has_word(source, line, name))
            return true;
    }
    return false;
}

bool sc_builder_source_fits(const struct sc_builder *builder, const struct sc_builder_file *file)
{
    uint32_t file_at = (uint32_t)(file - builder->files.items);
    const char *suffix = strrchr(file->name, '.');
    bool has_names = false;
    if (suffix != NULL && sc_is_among(suffix, ".py .pyw"))
        return true;
    if (file->last_line > file->source.lines.count)
        return false;
    for (uint32_t i = 0; i < builder->collect->codes.count; i++) {
        const struct sc_code *code = &builder->collect->codes.items[i];
        if (builder->codes[i].file != file_at || sc_code_is_native(code))
            continue;
        const char *name =
            sc_after_last(sc_intern_text(&builder->collect->names, code->qualified_name), '.');
        if (name[0] == '<')
            continue;
        if (begins_in(&file->source, code->first_line, name))
            return true;
        has_names = true;
    }
    return !has_names;
}

static uint32_t add_function(struct sc_builder *builder, uint32_t file, const char *name,
                             uint32_t line)
{
    struct sc_total function = {.file = file, .line = line, .name = sc_strdup(name)};
    sc_vec_push(&builder->functions, function);
    return (uint32_t)(builder->functions.count - 1);
}

/* The function of a scope: its own if it is a def, else that of the def around it. */
static uint32_t function_of_scope(struct sc_builder *builder, uint32_t file_at, uint32_t scope_at)
{
    struct sc_builder_file *file = &builder->files.items[file_at];
    while (scope_at != SC_NONE && file->scopes.items[scope_at].is_class)
        scope_at = file->scopes.items[scope_at].parent;
    if (scope_at == SC_NONE)
        return SC_NONE;
    struct sc_builder_scope *scope = &file->scopes.items[scope_at];
    if (scope->function == SC_NONE) {
        scope->function = add_function(builder, file_at, scope->name, scope->start);
        builder->functions.items[scope->function].is_async = scope->is_async;
    }
    return scope->function;
}

static uint32_t function_of_code(struct sc_builder *builder, const struct sc_code *code,
                                 uint32_t file_at)
{
    const struct sc_builder_file *file = &builder->files.items[file_at];
    const char *name = sc_intern_text(&builder->collect->names, code->qualified_name);
    const char *last = sc_after_last(name, '.');
    if (strcmp(last, "<module>") == 0)
        return SC_NONE;
    if (last[0] == '<')
        return function_of_scope(builder, file_at, scope_around(file, code->first_line));
    uint32_t scope = scope_begun(file, code->first_line, last);
    /* the text on disk is not what ran, or the code was renamed: use what the code object has */
    if (scope == SC_NONE)
        return add_function(builder, file_at, name, code->first_line);
    uint32_t at = function_of_scope(builder, file_at, scope);
    if (at != SC_NONE && !file->scopes.items[scope].is_class) {
        struct sc_total *function = &builder->functions.items[at];
        if (code->first_line < function->line)
            function->line = code->first_line;
    }
    return at;
}

void sc_builder_find_functions(struct sc_builder *builder)
{
    for (uint32_t i = 0; i < builder->collect->codes.count; i++) {
        struct sc_builder_code *code = &builder->codes[i];
        code->function = SC_NONE;
        if (builder->files.items[code->file].is_shown)
            code->function =
                function_of_code(builder, &builder->collect->codes.items[i], code->file);
    }
}
