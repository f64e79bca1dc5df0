/*
 * source/code_statements.c - the statements of a source text, and the blocks that they make.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/code.h"
#include "source/code_parts.h"
#include "source/lexer.h"
#include "source/words.h"

static bool is_bracket(const struct sc_code *code, const struct sc_lexeme *lexeme, const char *any)
{
    return lexeme->kind == SC_LEXEME_OPERATOR && lexeme->end - lexeme->start == 1 &&
           strchr(any, code->text[lexeme->start]) != NULL;
}

/* Keeps all lexemes but comments, and finds the other bracket of each pair and what is directly
 * within. */
static void take_lexemes(struct sc_code *code, size_t length)
{
    SC_AUTO(sc_lexer_done) struct sc_lexer lexer = {0};
    SC_AUTO_FREE SC_VEC(uint32_t) open = {0};
    sc_lexer_init(&lexer, code->text, length);
    for (;;) {
        struct sc_lexeme lexeme;
        sc_lexer_next(&lexer, &lexeme);
        if (lexeme.kind == SC_LEXEME_END)
            break;
        if (lexeme.kind == SC_LEXEME_COMMENT)
            continue;
        uint32_t self = (uint32_t)code->lexemes.count;
        uint32_t match = SC_NONE;
        if (lexeme.kind == SC_LEXEME_NEWLINE) {
            open.count = 0;
        } else if (is_bracket(code, &lexeme, "([{")) {
            sc_vec_push(&open, self);
        } else if (is_bracket(code, &lexeme, ")]}") && open.count > 0) {
            match = open.items[--open.count];
            code->matches.items[match] = self;
        }
        bool is_open = match == SC_NONE && open.count > 0 && open.items[open.count - 1] == self;
        size_t depth = open.count - (is_open ? 1 : 0);
        uint32_t around = depth > 0 ? open.items[depth - 1] : SC_NONE;
        sc_vec_push(&code->lexemes, lexeme);
        sc_vec_push(&code->matches, match);
        sc_vec_push(&code->around, around);
        sc_vec_push(&code->loops, SC_NONE);
        if (around != SC_NONE && code->loops.items[around] == SC_NONE &&
            lexeme.kind == SC_LEXEME_NAME && sc_code_is(code, self, "for"))
            code->loops.items[around] = self;
    }
}

/* The blocks that are open, innermost last: statements. */
struct open_blocks {
    struct open_block {
        uint32_t statement;
        uint32_t column;
    } * items;
    size_t count;
    size_t capacity;
};

static void close_to(struct sc_code *code, struct open_blocks *blocks, size_t count)
{
    while (blocks->count > count) {
        uint32_t self = blocks->items[--blocks->count].statement;
        uint32_t last = (uint32_t)code->statements.count - 1;
        struct sc_statement *block = &code->statements.items[self];
        block->block_end = last + 1;
        block->block_end_line = code->statements.items[last].last_line;
    }
}

static const enum sc_statement_kind kind_of_word[SC_WORD_COUNT_] = {
    [SC_WORD_FOR] = SC_STATEMENT_FOR,         [SC_WORD_WHILE] = SC_STATEMENT_WHILE,
    [SC_WORD_TRY] = SC_STATEMENT_TRY,         [SC_WORD_EXCEPT] = SC_STATEMENT_EXCEPT,
    [SC_WORD_WITH] = SC_STATEMENT_WITH,       [SC_WORD_DEF] = SC_STATEMENT_DEF,
    [SC_WORD_CLASS] = SC_STATEMENT_CLASS,     [SC_WORD_IF] = SC_STATEMENT_BLOCK,
    [SC_WORD_ELIF] = SC_STATEMENT_BLOCK,      [SC_WORD_ELSE] = SC_STATEMENT_BLOCK,
    [SC_WORD_FINALLY] = SC_STATEMENT_BLOCK,   [SC_WORD_SOFT_MATCH] = SC_STATEMENT_BLOCK,
    [SC_WORD_SOFT_CASE] = SC_STATEMENT_BLOCK,
};

static enum sc_statement_kind kind_of(const struct sc_code *code, uint32_t lexeme)
{
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    return at->kind == SC_LEXEME_NAME
               ? kind_of_word[sc_word_of(code->text + at->start, at->end - at->start)]
               : SC_STATEMENT_SIMPLE;
}

/* The colon that ends the header of a block in [first, end), or end. */
static uint32_t header_colon(const struct sc_code *code, uint32_t first, uint32_t end)
{
    unsigned lambdas = 0;
    for (uint32_t i = first; i < end; i++) {
        if (code->matches.items[i] != SC_NONE && code->matches.items[i] > i &&
            code->matches.items[i] < end) {
            i = code->matches.items[i];
        } else if (sc_code_is(code, i, "lambda")) {
            lambdas++;
        } else if (!code->lexemes.items[i].nested && sc_code_is(code, i, ":")) {
            if (lambdas == 0)
                return i;
            lambdas--;
        }
    }
    return end;
}

static uint32_t add_statement(struct sc_code *code, const struct open_blocks *blocks,
                              enum sc_statement_kind kind, uint32_t first, uint32_t end)
{
    struct sc_statement statement = {
        .kind = kind,
        .first = first,
        .end = end,
        .first_line = code->lexemes.items[first].first_line + 1,
        .last_line = code->lexemes.items[end - 1].last_line + 1,
        .parent = SC_NONE,
        .loop = SC_NONE,
        .function = SC_NONE,
        .class_statement = SC_NONE,
    };
    uint32_t self = (uint32_t)code->statements.count;
    statement.block_end = self + 1;
    statement.block_end_line = statement.last_line;
    if (blocks->count > 0) {
        uint32_t parent = blocks->items[blocks->count - 1].statement;
        const struct sc_statement *around = &code->statements.items[parent];
        statement.parent = parent;
        statement.loop = around->loop;
        statement.function = around->function;
        statement.class_statement = around->class_statement;
        if (around->kind == SC_STATEMENT_FOR || around->kind == SC_STATEMENT_WHILE) {
            statement.loop = parent;
        } else if (around->kind == SC_STATEMENT_DEF) {
            statement.loop = SC_NONE;
            statement.function = parent;
        } else if (around->kind == SC_STATEMENT_CLASS) {
            statement.class_statement = parent;
            statement.function = SC_NONE;
            statement.loop = SC_NONE;
        }
    }
    sc_vec_push(&code->statements, statement);
    return self;
}

/* The simple statements of [first, end), which semicolons separate. */
static void add_simple(struct sc_code *code, const struct open_blocks *blocks, uint32_t first,
                       uint32_t end)
{
    uint32_t begin = first;
    for (uint32_t i = first; i <= end; i++) {
        bool ends = i == end || (!code->lexemes.items[i].nested && sc_code_is(code, i, ";"));
        if (!ends)
            continue;
        if (i > begin)
            add_statement(code, blocks, SC_STATEMENT_SIMPLE, begin, i);
        begin = i + 1;
    }
}

/* One statement line, [first, end). */
static void add_line(struct sc_code *code, struct open_blocks *blocks, uint32_t first, uint32_t end)
{
    uint32_t column = code->lexemes.items[first].column;
    size_t kept = blocks->count;
    while (kept > 0 && blocks->items[kept - 1].column >= column)
        kept--;
    close_to(code, blocks, kept);
    bool is_async = sc_code_is(code, first, "async") && first + 1 < end;
    enum sc_statement_kind kind = kind_of(code, first + (is_async ? 1 : 0));
    uint32_t colon = kind == SC_STATEMENT_SIMPLE ? end : header_colon(code, first, end);
    bool is_annotated = colon == first + 1 && sc_code_is_one_of(code, first, "match case");
    if (colon == end || is_annotated) {
        add_simple(code, blocks, first, end);
        return;
    }
    uint32_t self = add_statement(code, blocks, kind, first, colon + 1);
    code->statements.items[self].is_async = is_async;
    struct open_block block = {self, column};
    sc_vec_push(blocks, block);
    if (colon + 1 < end)
        add_simple(code, blocks, colon + 1, end);
}

static void take_statements(struct sc_code *code)
{
    SC_AUTO_FREE struct open_blocks blocks = {0};
    uint32_t first = 0;
    for (uint32_t i = 0; i <= code->lexemes.count; i++) {
        if (i < code->lexemes.count && code->lexemes.items[i].kind != SC_LEXEME_NEWLINE)
            continue;
        if (i > first)
            add_line(code, &blocks, first, i);
        first = i + 1;
    }
    close_to(code, &blocks, 0);
}

void sc_code_init(struct sc_code *code, const char *text, size_t length)
{
    *code = (struct sc_code){.text = text};
    take_lexemes(code, length);
    take_statements(code);
    sc_code_take_imports(code);
    sc_code_take_calls(code);
    sc_code_take_bindings(code);
}
