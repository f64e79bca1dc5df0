/*
 * source/literal.h - strings, formatted ones with their replacement fields; for the lexer only.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/lexeme.h"

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
