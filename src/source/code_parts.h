/*
 * source/code_parts.h - the steps of sc_code_init; for src/source/code*.c alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/code_tables.h"

void sc_code_take_imports(struct sc_code *code);
void sc_code_take_calls(struct sc_code *code);
void sc_code_take_bindings(struct sc_code *code);

static inline bool sc_code_is_name(const struct sc_code *code, uint32_t lexeme)
{
    return lexeme < code->lexemes.count && code->lexemes.items[lexeme].kind == SC_LEXEME_NAME;
}

/* Whether it is a name, and no keyword. */
bool sc_code_is_plain_name(const struct sc_code *code, uint32_t lexeme);

/* What a call passes for a parameter, as lexemes; false when it passes nothing. */
bool sc_code_passed(const struct sc_code *code, const struct sc_call *call,
                    const struct sc_binding *parameter, uint32_t *ret_first, uint32_t *ret_end);

/* Whether the lexemes before it are "for ... in", and so what follows is gone through. */
bool sc_code_is_iterated(const struct sc_code *code, const struct sc_statement *statement,
                         uint32_t lexeme);

/* The id of a lexeme's text, added if new. */
static inline uint32_t sc_code_add_text(struct sc_code *code, uint32_t lexeme)
{
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    return sc_intern_add(&code->texts, code->text + at->start, at->end - at->start);
}
