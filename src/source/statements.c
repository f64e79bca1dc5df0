/*
 * source/statements.c - one pass over a text that finds its blocks, imports and colours.
 *
 * A statement line ("logical line" in the Python reference) is followed word by word: its first
 * words say which block it may open, and a colon outside brackets and lambdas says that it does.
 * "match", "case", "type" and "lazy" are names until the statement has shown that they are not;
 * their colour is corrected then.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/statements.h"

#include "base/map.h"
#include "source/blocks.h"
#include "source/imports.h"
#include "source/lexer.h"
#include "source/words.h"

#define MARK_LIMIT ((1u << 28) - 1)

struct statements {
    struct sc_source *source;
    struct sc_lexer lexer;
    struct sc_blocks blocks;

    /* the statement line */
    bool begun;
    uint32_t decorator_line; /* of the first decorator before it, or SC_NONE */
    bool is_decorator;
    struct sc_block_line line;
    uint32_t column;
    uint32_t lambdas; /* whose colon is still to come */
    bool has_colon;
    bool behind_colon; /* something follows it on the same statement line */
    size_t first_mark; /* the mark of the statement's first word, if that may be a keyword */
    size_t lexeme_count;

    /* the statement: a line may have several */
    size_t position; /* lexemes of it so far */
    enum sc_word first_word;
    bool second_is_name;

    enum sc_word previous_word;
    bool behind_dot;
    bool previous_is_builtin;
    bool in_decorator_name;
};

static void add_mark(struct statements *parser, const struct sc_lexeme *lexeme, enum sc_token token)
{
    struct sc_source *source = parser->source;
    size_t start = lexeme->start;
    size_t left = lexeme->end - start;
    if (source->marks.count > 0) {
        struct sc_source_mark *last = &source->marks.items[source->marks.count - 1];
        if (last->start + last->length == start && last->token == token &&
            last->length + left <= MARK_LIMIT) {
            last->length = (last->length + (uint32_t)left) & MARK_LIMIT;
            return;
        }
    }
    while (left > 0) {
        size_t length = left < MARK_LIMIT ? left : MARK_LIMIT;
        sc_vec_push(&source->marks,
                    (struct sc_source_mark){(uint32_t)start, (uint32_t)length & MARK_LIMIT,
                                            (unsigned)token & 15u});
        start += length;
        left -= length;
    }
}

static void colour_last(struct statements *parser, size_t mark, enum sc_token token)
{
    parser->source->marks.items[mark].token = (unsigned)token & 15u;
}

static const enum sc_block_kind block_of_word[SC_WORD_COUNT_] = {
    [SC_WORD_IF] = SC_BLOCK_IF,          [SC_WORD_FOR] = SC_BLOCK_LOOP,
    [SC_WORD_WHILE] = SC_BLOCK_LOOP,     [SC_WORD_TRY] = SC_BLOCK_TRY,
    [SC_WORD_WITH] = SC_BLOCK_WITH,      [SC_WORD_DEF] = SC_BLOCK_DEF,
    [SC_WORD_CLASS] = SC_BLOCK_CLASS,    [SC_WORD_ELIF] = SC_BLOCK_ELIF,
    [SC_WORD_ELSE] = SC_BLOCK_CLAUSE,    [SC_WORD_EXCEPT] = SC_BLOCK_CLAUSE,
    [SC_WORD_FINALLY] = SC_BLOCK_CLAUSE, [SC_WORD_SOFT_MATCH] = SC_BLOCK_MATCH,
    [SC_WORD_SOFT_CASE] = SC_BLOCK_CASE,
};

static void begin_line(struct statements *parser, const struct sc_lexeme *lexeme, enum sc_word word)
{
    enum sc_block_kind kind = block_of_word[word];
    bool is_clause = kind == SC_BLOCK_CLAUSE || kind == SC_BLOCK_ELIF;
    parser->begun = true;
    parser->column = lexeme->column;
    parser->line = (struct sc_block_line){.kind = kind, .first_line = lexeme->first_line};
    parser->is_decorator =
        lexeme->kind == SC_LEXEME_OPERATOR && sc_lexeme_is(&parser->lexer, lexeme, "@");
    parser->in_decorator_name = parser->is_decorator;
    parser->lambdas = 0;
    parser->has_colon = parser->behind_colon = false;
    parser->lexeme_count = 0;
    parser->position = 0;
    parser->previous_word = SC_WORD_NONE;
    parser->behind_dot = parser->previous_is_builtin = false;
    if (parser->decorator_line != SC_NONE)
        return; /* the blocks before it were ended at the first decorator */
    sc_blocks_indent(&parser->blocks, parser->column, is_clause, lexeme->first_line);
    if (parser->is_decorator)
        parser->decorator_line = lexeme->first_line;
}

/* Decides whether the complete line opens a block. */
static void settle_line(struct statements *parser)
{
    struct sc_block_line *line = &parser->line;
    bool soft = line->kind == SC_BLOCK_MATCH || line->kind == SC_BLOCK_CASE;
    bool opens = parser->has_colon && line->kind != SC_BLOCK_NONE;
    if (soft && parser->lexeme_count < 3)
        opens = false; /* "match: int" */
    if (line->kind == SC_BLOCK_MATCH && parser->behind_colon)
        opens = false; /* "match[0]: int = 1" */
    if (line->kind == SC_BLOCK_CASE && !sc_blocks_in_match(&parser->blocks))
        opens = false;
    if (soft && opens)
        colour_last(parser, parser->first_mark, SC_TOKEN_KEYWORD);
    if (!opens)
        line->kind = SC_BLOCK_NONE;
}

static void end_line(struct statements *parser)
{
    if (!parser->begun)
        return;
    parser->begun = false;
    settle_line(parser);
    if (parser->is_decorator)
        return;
    /* a statement that may not be decorated takes the decorators' lines, too, so that every line is
     * in a statement */
    if (parser->decorator_line != SC_NONE)
        parser->line.first_line = parser->decorator_line;
    parser->decorator_line = SC_NONE;
    sc_blocks_add(&parser->blocks, parser->column, &parser->line);
}

static enum sc_token token_of_name(struct statements *parser, const struct sc_lexeme *lexeme,
                                   enum sc_word word)
{
    const char *name = parser->lexer.text + lexeme->start;
    enum sc_word previous = parser->previous_word;
    if (parser->in_decorator_name && !sc_word_is_keyword(word))
        return SC_TOKEN_DECORATOR;
    if ((previous == SC_WORD_DEF || previous == SC_WORD_CLASS) && !sc_word_is_keyword(word))
        return SC_TOKEN_DEFINITION;
    if (sc_word_is_keyword(word))
        return SC_TOKEN_KEYWORD;
    if (!parser->behind_dot && sc_word_is_builtin(name, lexeme->end - lexeme->start))
        return SC_TOKEN_BUILTIN;
    return SC_TOKEN_TEXT;
}

/* The second or third word of a statement may show that the first was a keyword. */
static void settle_soft_keyword(struct statements *parser, const struct sc_lexeme *lexeme,
                                enum sc_word word)
{
    if (parser->position == 1) {
        parser->second_is_name = lexeme->kind == SC_LEXEME_NAME && !sc_word_is_keyword(word);
        if (parser->first_word == SC_WORD_SOFT_LAZY &&
            (word == SC_WORD_IMPORT || word == SC_WORD_FROM))
            colour_last(parser, parser->first_mark, SC_TOKEN_KEYWORD);
        if (parser->first_word == SC_WORD_ASYNC && parser->lexeme_count == 1)
            parser->line.kind = block_of_word[word];
    } else if (parser->position == 2 && parser->first_word == SC_WORD_SOFT_TYPE &&
               parser->second_is_name &&
               (sc_lexeme_is(&parser->lexer, lexeme, "=") ||
                sc_lexeme_is(&parser->lexer, lexeme, "["))) {
        colour_last(parser, parser->first_mark, SC_TOKEN_KEYWORD);
    }
}

static void process_name_token(struct statements *parser, const struct sc_lexeme *lexeme,
                               enum sc_word word)
{
    enum sc_token token = token_of_name(parser, lexeme, word);
    bool soft_first = parser->position == 0 && word >= SC_WORD_SOFT_CASE;
    if (token != SC_TOKEN_TEXT || soft_first)
        add_mark(parser, lexeme, token);
    if (soft_first)
        parser->first_mark = parser->source->marks.count - 1;
    if (parser->position == 0) {
        parser->first_word = word;
        if (word == SC_WORD_IMPORT || word == SC_WORD_FROM || word == SC_WORD_SOFT_LAZY)
            sc_imports_read(parser->source, lexeme->start);
    } else {
        settle_soft_keyword(parser, lexeme, word);
    }
    if (word == SC_WORD_LAMBDA && !lexeme->nested && !parser->has_colon)
        parser->lambdas++;
    parser->previous_is_builtin = token == SC_TOKEN_BUILTIN;
    parser->previous_word = word;
    parser->behind_dot = false;
}

/* A colon outside brackets. Returns true when it begins the suite of a block. */
static bool process_colon(struct statements *parser, const struct sc_lexeme *lexeme)
{
    if (parser->lambdas > 0) {
        parser->lambdas--;
        return false;
    }
    if (parser->has_colon || parser->line.kind == SC_BLOCK_NONE)
        return false;
    parser->has_colon = true;
    parser->line.colon_line = lexeme->last_line;
    return parser->line.kind != SC_BLOCK_MATCH;
}

static void end_statement(struct statements *parser)
{
    parser->position = 0;
    parser->first_word = SC_WORD_NONE;
}

static void process_operator(struct statements *parser, const struct sc_lexeme *lexeme)
{
    const struct sc_lexer *lexer = &parser->lexer;
    bool is_dot = sc_lexeme_is(lexer, lexeme, ".");
    bool is_at = parser->is_decorator && parser->lexeme_count == 0;
    if (!is_dot && !is_at)
        parser->in_decorator_name = false;
    /* the name of a keyword argument is no builtin */
    if (parser->previous_is_builtin && lexeme->nested && sc_lexeme_is(lexer, lexeme, "="))
        colour_last(parser, parser->source->marks.count - 1, SC_TOKEN_TEXT);
    add_mark(parser, lexeme, parser->in_decorator_name ? SC_TOKEN_DECORATOR : SC_TOKEN_OPERATOR);
    parser->previous_is_builtin = false;
    parser->previous_word = SC_WORD_NONE;
    parser->behind_dot = is_dot;
    if (parser->position > 0)
        settle_soft_keyword(parser, lexeme, SC_WORD_NONE);
}

static void process_other(struct statements *parser, const struct sc_lexeme *lexeme)
{
    if (lexeme->kind == SC_LEXEME_STRING)
        add_mark(parser, lexeme, SC_TOKEN_STRING);
    else if (lexeme->kind == SC_LEXEME_NUMBER)
        add_mark(parser, lexeme, SC_TOKEN_NUMBER);
    parser->previous_is_builtin = false;
    parser->previous_word = SC_WORD_NONE;
    parser->behind_dot = parser->in_decorator_name = false;
    if (parser->position > 0)
        settle_soft_keyword(parser, lexeme, SC_WORD_NONE);
}

static void process_lexeme(struct statements *parser, const struct sc_lexeme *lexeme)
{
    const struct sc_lexer *lexer = &parser->lexer;
    enum sc_word word = SC_WORD_NONE;
    if (lexeme->kind == SC_LEXEME_NAME)
        word = sc_word_of(lexer->text + lexeme->start, lexeme->end - lexeme->start);
    if (!parser->begun)
        begin_line(parser, lexeme, word);
    bool behind_colon = parser->has_colon;
    bool statement_ends = false;
    bool is_semicolon = false;
    if (lexeme->kind == SC_LEXEME_NAME) {
        process_name_token(parser, lexeme, word);
    } else if (lexeme->kind == SC_LEXEME_OPERATOR) {
        process_operator(parser, lexeme);
        is_semicolon = !lexeme->nested && sc_lexeme_is(lexer, lexeme, ";");
        statement_ends = is_semicolon;
        if (!lexeme->nested && sc_lexeme_is(lexer, lexeme, ":"))
            statement_ends = process_colon(parser, lexeme);
    } else {
        process_other(parser, lexeme);
    }
    parser->behind_colon |= behind_colon;
    parser->lexeme_count++;
    parser->position++;
    if (!is_semicolon)
        parser->line.last_line = lexeme->last_line;
    if (statement_ends)
        end_statement(parser);
}

void sc_source_analyse(struct sc_source *source)
{
    struct statements parser = {.source = source, .decorator_line = SC_NONE};
    struct sc_lexeme lexeme;
    sc_lexer_init(&parser.lexer, source->text, source->length);
    do {
        sc_lexer_next(&parser.lexer, &lexeme);
        switch (lexeme.kind) {
        case SC_LEXEME_END:
        case SC_LEXEME_NEWLINE:
            end_line(&parser);
            break;
        case SC_LEXEME_COMMENT:
            add_mark(&parser, &lexeme, SC_TOKEN_COMMENT);
            break;
        default:
            process_lexeme(&parser, &lexeme);
            break;
        }
    } while (lexeme.kind != SC_LEXEME_END);
    sc_blocks_finish(&parser.blocks, source->lines.count, source);
    sc_lexer_done(&parser.lexer);
}
