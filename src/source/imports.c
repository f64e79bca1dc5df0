/* source/imports.c - see imports.h. SPDX-License-Identifier: Apache-2.0 */
#include "source/imports.h"

#include "base/str.h"
#include "source/lexer.h"
#include "source/words.h"

struct reader {
    struct sc_lexer lexer;
    struct sc_lexeme next;
    struct sc_str statement; /* what was taken, normalised */
    SC_VEC(char *) modules;
};

static void step(struct reader *reader)
{
    do
        sc_lexer_next(&reader->lexer, &reader->next);
    while (reader->next.kind == SC_LEXEME_COMMENT);
}

/* Takes the next lexeme if it is this text, which is written so in the statement. */
static bool take(struct reader *reader, const char *text, const char *written)
{
    if (!sc_lexeme_is(&reader->lexer, &reader->next, text))
        return false;
    sc_str_add(&reader->statement, written);
    step(reader);
    return true;
}

static bool take_name(struct reader *reader)
{
    const char *name = reader->lexer.text + reader->next.start;
    size_t length = reader->next.end - reader->next.start;
    if (reader->next.kind != SC_LEXEME_NAME || sc_word_is_keyword(sc_word_of(name, length)))
        return false;
    sc_str_add_bytes(&reader->statement, name, length);
    step(reader);
    return true;
}

/* "a.b" */
static bool take_dotted(struct reader *reader)
{
    do {
        if (!take_name(reader))
            return false;
    } while (take(reader, ".", "."));
    return true;
}

/* "as a", or nothing. */
static bool take_as(struct reader *reader)
{
    return !take(reader, "as", " as ") || take_name(reader);
}

/* start: of the module in the statement, at whose end it stands. */
static void add_module(struct reader *reader, size_t start)
{
    sc_vec_push(&reader->modules, sc_strdup(sc_str_text(&reader->statement) + start));
}

/* "a.b as c, d", behind import. */
static bool read_import(struct reader *reader)
{
    do {
        size_t start = reader->statement.length;
        if (!take_dotted(reader))
            return false;
        add_module(reader, start);
        if (!take_as(reader))
            return false;
    } while (take(reader, ",", ", "));
    return true;
}

/* "a as b, c", "(a, b,)" or "*", behind from ... import. */
static bool read_names(struct reader *reader)
{
    if (take(reader, "*", "*"))
        return true;
    bool has_bracket = take(reader, "(", "");
    if (!take_name(reader) || !take_as(reader))
        return false;
    while (take(reader, ",", "")) {
        if (has_bracket && take(reader, ")", ""))
            return true;
        sc_str_add(&reader->statement, ", ");
        if (!take_name(reader) || !take_as(reader))
            return false;
    }
    return !has_bracket || take(reader, ")", "");
}

/* "..a.b import c", behind from. */
static bool read_from(struct reader *reader)
{
    size_t start = reader->statement.length;
    while (take(reader, ".", ".") || take(reader, "...", "..."))
        ;
    bool is_relative = reader->statement.length > start;
    bool has_name = !is_relative || !sc_lexeme_is(&reader->lexer, &reader->next, "import");
    if (has_name && !take_dotted(reader))
        return false;
    add_module(reader, start);
    return take(reader, "import", " import ") && read_names(reader);
}

static bool read_statement(struct reader *reader)
{
    (void)take(reader, "lazy", "lazy ");
    bool is_read = take(reader, "import", "import ")
                       ? read_import(reader)
                       : take(reader, "from", "from ") && read_from(reader);
    if (!is_read)
        return false;
    return reader->next.kind == SC_LEXEME_END || reader->next.kind == SC_LEXEME_NEWLINE ||
           (!reader->next.nested && sc_lexeme_is(&reader->lexer, &reader->next, ";"));
}

void sc_imports_read(struct sc_source *source, size_t start)
{
    struct reader reader = {.modules = {0}};
    sc_lexer_init(&reader.lexer, source->text + start, source->length - start);
    step(&reader);
    if (read_statement(&reader)) {
        char *statement = sc_str_take(&reader.statement);
        sc_vec_push(&source->import_statements, statement);
        for (size_t i = 0; i < reader.modules.count; i++)
            sc_vec_push(&source->imports, (struct sc_import){statement, reader.modules.items[i]});
        reader.modules.count = 0;
    }
    sc_vec_free(&reader.modules);
    sc_str_done(&reader.statement);
    sc_lexer_done(&reader.lexer);
}
