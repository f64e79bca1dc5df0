/*
 * source/lexeme.h - a lexeme of Python text, and where the lexer stands in that text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum sc_lexeme_kind {
    SC_LEXEME_END,
    SC_LEXEME_NEWLINE, /* ends a statement line, however many physical lines it has */
    SC_LEXEME_NAME,    /* keywords too */
    SC_LEXEME_NUMBER,
    SC_LEXEME_STRING, /* a whole string, or a literal part of an f-string */
    SC_LEXEME_COMMENT,
    SC_LEXEME_OPERATOR, /* brackets and other punctuation too */
    SC_LEXEME_JUNK,     /* a byte that begins no other lexeme */
};

struct sc_lexeme {
    enum sc_lexeme_kind kind;
    size_t start, end;              /* bytes [start, end) of the text */
    uint32_t first_line, last_line; /* 0-based */
    uint32_t column; /* indentation of the statement line; a tab goes to the next multiple of 8 */
    bool nested;     /* inside brackets or a replacement field, or a bracket */
};

/* Where the lexer stands in an f-string. */
enum sc_literal_mode {
    SC_LITERAL_TEXT,  /* between the quotes */
    SC_LITERAL_FIELD, /* in { } */
    SC_LITERAL_SPEC,  /* behind the colon of a field */
};

struct sc_literal {
    enum sc_literal_mode mode;
    char quote;
    bool triple;
    bool raw;
    uint32_t base_depth; /* open brackets outside of it */
};

struct sc_lexer {
    const char *text;
    size_t length;
    size_t at;
    uint32_t line;
    uint32_t column;
    uint32_t depth;    /* open brackets */
    bool fresh;        /* the indentation of a line comes next */
    bool empty;        /* the statement line has no lexeme yet */
    size_t inner_line; /* begin of a line inside brackets without a lexeme so far, or SIZE_MAX */
    SC_VEC(struct sc_literal) literals; /* innermost last */
};

/* Steps over the newline at the current byte: \n, \r or \r\n. */
static inline void sc_lexer_skip_newline(struct sc_lexer *lexer)
{
    bool two = lexer->text[lexer->at] == '\r' && lexer->at + 1 < lexer->length &&
               lexer->text[lexer->at + 1] == '\n';
    lexer->at += two ? 2 : 1;
    lexer->line++;
}
