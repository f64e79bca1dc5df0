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

#include "source/lexeme.h"

/* The text is used in place; at most UINT32_MAX bytes of it. */
void sc_lexer_init(struct sc_lexer *lexer, const char *text, size_t length);
void sc_lexer_done(struct sc_lexer *lexer);

/* The next lexeme; SC_LEXEME_END again and again behind the last one. */
void sc_lexer_next(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme);

/* Whether the lexeme is exactly this text. */
bool sc_lexeme_is(const struct sc_lexer *lexer, const struct sc_lexeme *lexeme, const char *text);
