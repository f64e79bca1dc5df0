/*
 * source/words.h - the keywords and builtin names of Python.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Keywords, and names that are keywords only where a statement begins. Those without a use of their
 * own share SC_WORD_OTHER. */
enum sc_word {
    SC_WORD_NONE, /* any other name */
    SC_WORD_AS,
    SC_WORD_ASYNC,
    SC_WORD_CLASS,
    SC_WORD_DEF,
    SC_WORD_ELIF,
    SC_WORD_ELSE,
    SC_WORD_EXCEPT,
    SC_WORD_FINALLY,
    SC_WORD_FOR,
    SC_WORD_FROM,
    SC_WORD_IF,
    SC_WORD_IMPORT,
    SC_WORD_LAMBDA,
    SC_WORD_TRY,
    SC_WORD_WHILE,
    SC_WORD_WITH,
    SC_WORD_STATEMENT, /* assert, break, continue, del, global, nonlocal, pass, raise, return */
    SC_WORD_OTHER,
    SC_WORD_SOFT_CASE, /* from here on: keywords only at some places */
    SC_WORD_SOFT_LAZY,
    SC_WORD_SOFT_MATCH,
    SC_WORD_SOFT_TYPE,
    SC_WORD_COUNT_,
};

enum sc_word sc_word_of(const char *name, size_t length);

/* Whether it is a keyword everywhere. */
static inline bool sc_word_is_keyword(enum sc_word word)
{
    return word != SC_WORD_NONE && word < SC_WORD_SOFT_CASE;
}

/* Whether a line that begins with this word begins a statement, whatever stood before it. */
bool sc_word_begins_statement(enum sc_word word);

/* Whether Python has a builtin function, type or exception of this name. */
bool sc_word_is_builtin(const char *name, size_t length);
