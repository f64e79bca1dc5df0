/*
 * source/lexer.h - cuts Python text into lexemes, tolerating any input.
 *
 * Rules of all Python 3 versions at once: replacement fields of f-strings and t-strings may hold
 * the quotes of the string around them (3.12), and no valid older program reads differently for it.
 * Text that is not Python never stops it: a string that is not closed ends with its line, and a
 * bracket that is not closed ends before a line that begins with a word such as "def".
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
    SC_LEXEME_JUNK,     /* a byte that begins nothing */
};

struct sc_lexeme {
    enum sc_lexeme_kind kind;
    size_t start, end;              /* bytes [start, end) of the text */
    uint32_t first_line, last_line; /* 0-based */
    uint32_t column;                /* indentation of the statement line, tabs to eighths */
    bool nested;                    /* inside brackets or a replacement field, or a bracket */
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

/* The text is used in place; at most UINT32_MAX bytes of it. */
void sc_lexer_init(struct sc_lexer *lexer, const char *text, size_t length);
void sc_lexer_done(struct sc_lexer *lexer);

/* The next lexeme; SC_LEXEME_END again and again behind the last one. */
void sc_lexer_next(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme);

/* Whether the lexeme is exactly this text. */
bool sc_lexeme_is(const struct sc_lexer *lexer, const struct sc_lexeme *lexeme, const char *text);

/* For literal.c and lexer.c only. */

/* Steps over the newline at the current byte: \n, \r or \r\n. */
static inline void sc_lexer_skip_newline(struct sc_lexer *lexer)
{
    bool two = lexer->text[lexer->at] == '\r' && lexer->at + 1 < lexer->length &&
               lexer->text[lexer->at + 1] == '\n';
    lexer->at += two ? 2 : 1;
    lexer->line++;
}

/* What a name directly before a quote makes of the string. */
struct sc_literal_prefix {
    bool valid;
    bool formatted; /* f or t */
    bool raw;
};
struct sc_literal_prefix sc_literal_prefix_of(const char *name, size_t length);

/* Takes a whole string, or the opening quotes of a formatted one; the current byte is the quote. */
void sc_literal_begin(struct sc_lexer *lexer, struct sc_literal_prefix prefix);

/* In the text or format of a formatted string: takes its next part. Returns false, with nothing
 * taken, when the string turned out to have ended. */
bool sc_literal_next(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme);

/* The innermost formatted string's state, or NULL. */
struct sc_literal *sc_literal_top(const struct sc_lexer *lexer);
