/* source/imports.c - see imports.h. SPDX-License-Identifier: Apache-2.0 */
#include "source/imports.h"

#include <stdlib.h>

#include "source/words.h"

static void put(struct sc_str *str, const struct sc_lexer *lexer, const struct sc_lexeme *lexeme)
{
    sc_str_add_bytes(str, lexer->text + lexeme->start, lexeme->end - lexeme->start);
}

static void end_module(struct sc_imports *imports)
{
    sc_vec_push(&imports->modules, sc_strdup(sc_str_text(&imports->module)));
    sc_str_clear(&imports->module);
}

static void clear_statement(struct sc_imports *imports)
{
    for (size_t i = 0; i < imports->modules.count; i++)
        free(imports->modules.items[i]);
    imports->modules.count = 0;
    sc_str_clear(&imports->statement);
    sc_str_clear(&imports->module);
    imports->bracket = false;
    imports->name_count = 0;
    imports->state = SC_IMPORT_IDLE;
}

static enum sc_word word_of(const struct sc_lexer *lexer, const struct sc_lexeme *lexeme)
{
    if (lexeme->kind != SC_LEXEME_NAME)
        return SC_WORD_NONE;
    return sc_word_of(lexer->text + lexeme->start, lexeme->end - lexeme->start);
}

static enum sc_import_state begin(struct sc_imports *imports, enum sc_word word)
{
    if (word == SC_WORD_IMPORT) {
        sc_str_add(&imports->statement, "import ");
        return SC_IMPORT_MODULE;
    }
    if (word == SC_WORD_FROM) {
        sc_str_add(&imports->statement, "from ");
        return SC_IMPORT_FROM;
    }
    return SC_IMPORT_BROKEN;
}

void sc_imports_begin(struct sc_imports *imports, const struct sc_lexer *lexer,
                      const struct sc_lexeme *lexeme)
{
    clear_statement(imports);
    enum sc_word word = word_of(lexer, lexeme);
    if (word == SC_WORD_SOFT_LAZY) {
        sc_str_add(&imports->statement, "lazy ");
        imports->state = SC_IMPORT_LAZY;
    } else {
        imports->state = begin(imports, word);
    }
}

/* After "import". */
static enum sc_import_state add_to_import(struct sc_imports *imports, const struct sc_lexer *lexer,
                                          const struct sc_lexeme *lexeme)
{
    enum sc_word word = word_of(lexer, lexeme);
    bool is_name =
        lexeme->kind == SC_LEXEME_NAME && (word == SC_WORD_NONE || word >= SC_WORD_SOFT_CASE);
    switch (imports->state) {
    case SC_IMPORT_MODULE:
        put(&imports->statement, lexer, lexeme);
        put(&imports->module, lexer, lexeme);
        return is_name ? SC_IMPORT_DOT : SC_IMPORT_BROKEN;
    case SC_IMPORT_DOT:
        if (sc_lexeme_is(lexer, lexeme, ".")) {
            put(&imports->statement, lexer, lexeme);
            put(&imports->module, lexer, lexeme);
            return SC_IMPORT_MODULE;
        }
        end_module(imports);
        if (word == SC_WORD_AS) {
            sc_str_add(&imports->statement, " as ");
            return SC_IMPORT_AS;
        }
        break;
    case SC_IMPORT_AS:
        put(&imports->statement, lexer, lexeme);
        return is_name ? SC_IMPORT_COMMA : SC_IMPORT_BROKEN;
    default:
        break;
    }
    if (!sc_lexeme_is(lexer, lexeme, ","))
        return SC_IMPORT_BROKEN;
    sc_str_add(&imports->statement, ", ");
    return SC_IMPORT_MODULE;
}

/* After "from", up to "import". */
static enum sc_import_state add_to_from(struct sc_imports *imports, const struct sc_lexer *lexer,
                                        const struct sc_lexeme *lexeme)
{
    enum sc_word word = word_of(lexer, lexeme);
    bool is_name =
        lexeme->kind == SC_LEXEME_NAME && (word == SC_WORD_NONE || word >= SC_WORD_SOFT_CASE);
    bool is_dot = sc_lexeme_is(lexer, lexeme, ".");
    bool is_dots = is_dot || sc_lexeme_is(lexer, lexeme, "...");
    bool begun = imports->module.length > 0;
    if (word == SC_WORD_IMPORT && begun && imports->state != SC_IMPORT_FROM_PART) {
        sc_str_add(&imports->statement, " import ");
        end_module(imports);
        return SC_IMPORT_NAMES;
    }
    put(&imports->statement, lexer, lexeme);
    put(&imports->module, lexer, lexeme);
    if (imports->state == SC_IMPORT_FROM && is_dots)
        return SC_IMPORT_FROM;
    if (imports->state == SC_IMPORT_FROM_DOT && is_dot)
        return SC_IMPORT_FROM_PART;
    return is_name && imports->state != SC_IMPORT_FROM_DOT ? SC_IMPORT_FROM_DOT : SC_IMPORT_BROKEN;
}

/* After "from ... import". */
static enum sc_import_state add_to_names(struct sc_imports *imports, const struct sc_lexer *lexer,
                                         const struct sc_lexeme *lexeme)
{
    enum sc_word word = word_of(lexer, lexeme);
    bool is_name =
        lexeme->kind == SC_LEXEME_NAME && (word == SC_WORD_NONE || word >= SC_WORD_SOFT_CASE);
    enum sc_import_state state = imports->state;
    if (state == SC_IMPORT_NAMES && sc_lexeme_is(lexer, lexeme, "(")) {
        imports->bracket = true;
        return SC_IMPORT_NAME;
    }
    if (state == SC_IMPORT_NAMES && sc_lexeme_is(lexer, lexeme, "*")) {
        put(&imports->statement, lexer, lexeme);
        return SC_IMPORT_ALL;
    }
    bool wants_name =
        state == SC_IMPORT_NAMES || state == SC_IMPORT_NAME || state == SC_IMPORT_NAME_AS;
    if (wants_name && is_name) {
        /* the comma is written before a name, because the last one may be followed by one */
        if (imports->name_count > 0 && state == SC_IMPORT_NAME)
            sc_str_add(&imports->statement, ", ");
        put(&imports->statement, lexer, lexeme);
        imports->name_count++;
        return state == SC_IMPORT_NAME_AS ? SC_IMPORT_NAME_COMMA : SC_IMPORT_NAME_END;
    }
    if (state == SC_IMPORT_NAME_END && word == SC_WORD_AS) {
        sc_str_add(&imports->statement, " as ");
        return SC_IMPORT_NAME_AS;
    }
    bool behind_name = state == SC_IMPORT_NAME_END || state == SC_IMPORT_NAME_COMMA;
    if (behind_name && sc_lexeme_is(lexer, lexeme, ","))
        return SC_IMPORT_NAME;
    if (imports->bracket && (behind_name || (state == SC_IMPORT_NAME && imports->name_count > 0)) &&
        sc_lexeme_is(lexer, lexeme, ")"))
        return SC_IMPORT_ALL;
    return SC_IMPORT_BROKEN;
}

void sc_imports_add(struct sc_imports *imports, const struct sc_lexer *lexer,
                    const struct sc_lexeme *lexeme)
{
    switch (imports->state) {
    case SC_IMPORT_IDLE:
    case SC_IMPORT_BROKEN:
        break;
    case SC_IMPORT_LAZY:
        imports->state = begin(imports, word_of(lexer, lexeme));
        break;
    case SC_IMPORT_MODULE:
    case SC_IMPORT_DOT:
    case SC_IMPORT_AS:
    case SC_IMPORT_COMMA:
        imports->state = add_to_import(imports, lexer, lexeme);
        break;
    case SC_IMPORT_FROM:
    case SC_IMPORT_FROM_PART:
    case SC_IMPORT_FROM_DOT:
        imports->state = add_to_from(imports, lexer, lexeme);
        break;
    default:
        imports->state = add_to_names(imports, lexer, lexeme);
        break;
    }
}

void sc_imports_end(struct sc_imports *imports, struct sc_source *source)
{
    enum sc_import_state state = imports->state;
    if (state == SC_IMPORT_IDLE)
        return;
    if (state == SC_IMPORT_DOT)
        end_module(imports);
    bool complete = state == SC_IMPORT_DOT || state == SC_IMPORT_COMMA || state == SC_IMPORT_ALL ||
                    state == SC_IMPORT_NAME_END || state == SC_IMPORT_NAME_COMMA;
    if (complete && (!imports->bracket || state == SC_IMPORT_ALL)) {
        char *statement = sc_strdup(sc_str_text(&imports->statement));
        sc_vec_push(&source->import_statements, statement);
        for (size_t i = 0; i < imports->modules.count; i++)
            sc_vec_push(&source->imports, (struct sc_import){statement, imports->modules.items[i]});
        imports->modules.count = 0;
    }
    clear_statement(imports);
}

void sc_imports_done(struct sc_imports *imports)
{
    clear_statement(imports);
    sc_str_done(&imports->statement);
    sc_str_done(&imports->module);
    sc_vec_done(&imports->modules);
}
