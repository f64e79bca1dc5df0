/* build/sent_code.c - see sent_code.h. SPDX-License-Identifier: Apache-2.0 */
#include "build/sent_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/helper.h"
#include "build/builder.h"

/* The most files that are read, and the most text that they may have in all: the observer reads
 * them while the program runs. */
#define FILES_MAX      256
#define TEXT_BYTES_MAX ((size_t)16 << 20)

#define QUESTIONS_MAX 4096

static void read_file(struct sc_sent_code *sent, const char *path)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct stat status;
    uint32_t known = sent->names.count;
    (void)sc_intern_add(&sent->names, path, strlen(path));
    if (sent->names.count == known || sent->files.count >= FILES_MAX || path[0] != '/')
        return;
    size_t limit = TEXT_BYTES_MAX - sent->text_bytes;
    if (limit > 0 && sc_scope_of_code(sent->scope, path) == SC_SCOPE_IN &&
        sc_helper_read(sent->scope->helper, path, limit, &status, &text) == SC_HELPER_READ) {
        struct sc_builder_file *added = sc_alloc(1, sizeof(*added));
        added->name = sc_strdup(path);
        sc_source_init(&added->source, sc_str_text(&text), text.length);
        sc_builder_find_scopes(added);
        sc_vec_push(&sent->files, added);
        sent->text_bytes += text.length;
    }
}

void sc_sent_code_init(struct sc_sent_code *sent, const struct sc_collect *collect,
                       const struct sc_scope *scope, const char *program)
{
    *sent = (struct sc_sent_code){.collect = collect, .scope = scope, .program = program};
}

void sc_sent_code_done(struct sc_sent_code *sent)
{
    for (size_t i = 0; i < sent->files.count; i++) {
        sc_builder_file_done(sent->files.items[i]);
        free(sent->files.items[i]);
    }
    sc_vec_done(&sent->files);
    sc_vec_done(&sent->answers);
    sc_intern_done(&sent->names);
    sc_intern_done(&sent->questions);
}

/* Reads the files of all code that has been met by now. */
static void read_new(struct sc_sent_code *sent)
{
    const struct sc_collect *collect = sent->collect;
    if (sent->program != NULL)
        read_file(sent, sent->program);
    for (; sent->codes_seen < collect->codes.count; sent->codes_seen++) {
        const struct sc_code *code = &collect->codes.items[sent->codes_seen];
        if (!sc_code_is_native(code))
            read_file(sent, sc_intern_text(&collect->names, code->file));
    }
}

/* Before 3.11 a code object has only the last part of its qualified name. */
static bool is_name(const char *scope, const char *asked)
{
    bool is_whole = strchr(asked, '.') != NULL;
    return strcmp(is_whole ? scope : sc_after_last(scope, '.'), asked) == 0;
}

static bool has_function(const struct sc_builder_file *file, const char *name, uint32_t first_line)
{
    SC_EACH(const struct sc_builder_scope, scope, &file->scopes)
        if (scope->start == first_line && !scope->is_class && is_name(scope->name, name))
            return true;
    return false;
}

static bool line_has(const struct sc_source *source, uint32_t line, const char *word)
{
    if (line == 0 || line > source->lines.count)
        return false;
    const struct sc_source_line *at = &source->lines.items[line - 1];
    return memmem(source->text + at->start, at->length, word, strlen(word)) != NULL;
}

/* Whether the file may have the lambda or comprehension ("<lambda>", "outer.<locals>.<listcomp>"):
 * the line is inside of the outer function, and has the word "lambda" or "for". A comprehension may
 * have its "for" on a later line, so none is required where the outer function is known. */
static bool has_expression(const struct sc_builder_file *file, const char *name,
                           uint32_t first_line)
{
    static const char locals[] = ".<locals>.";
    size_t around = (size_t)(sc_after_last(name, '.') - name);
    bool is_inside = around > strlen(locals);
    SC_AUTO_FREE char *outer = sc_strndup(name, is_inside ? around - strlen(locals) : 0);
    bool is_found = !is_inside;
    for (size_t i = 0; i < file->scopes.count && !is_found; i++) {
        const struct sc_builder_scope *scope = &file->scopes.items[i];
        is_found = scope->start <= first_line && first_line <= scope->end &&
                   strcmp(scope->name, outer) == 0;
    }
    bool is_lambda = strcmp(sc_after_last(name, '.'), "<lambda>") == 0;
    const char *word = is_lambda ? "lambda" : is_inside ? "" : " for ";
    return is_found && line_has(&file->source, first_line, word);
}

static uint32_t find_source_file(const struct sc_sent_code *sent, const char *name,
                                 uint32_t first_line)
{
    uint32_t found = SC_NONE;
    bool is_expression = sc_after_last(name, '.')[0] == '<';
    for (uint32_t i = 0; i < sent->files.count; i++) {
        const struct sc_builder_file *file = sent->files.items[i];
        bool has_it = is_expression ? has_expression(file, name, first_line)
                                    : has_function(file, name, first_line);
        if (has_it && found != SC_NONE)
            return SC_NONE;
        found = has_it ? i : found;
    }
    return found;
}

const char *sc_sent_code_file(struct sc_sent_code *sent, const char *name, uint32_t first_line)
{
    read_new(sent);
    if (sent->files_asked < sent->files.count) { /* it may be in a new file */
        sc_intern_done(&sent->questions);
        sc_vec_done(&sent->answers);
        sent->files_asked = sent->files.count;
    }
    SC_AUTO_FREE char *question = sc_format("%s:%u", name, first_line);
    uint32_t at = sc_intern_find(&sent->questions, question, strlen(question));
    uint32_t file = at < sent->answers.count ? sent->answers.items[at] : SC_NONE;
    if (at == SC_NONE && sent->answers.count < QUESTIONS_MAX) {
        file = find_source_file(sent, name, first_line);
        (void)sc_intern_add(&sent->questions, question, strlen(question));
        sc_vec_push(&sent->answers, file);
    }
    return file < sent->files.count ? sent->files.items[file]->name : NULL;
}
