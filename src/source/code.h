/*
 * source/code.h - the statements, calls and names of a source text, for questions about its lines.
 *
 * Works on any bytes, as source.h does: text that is not Python gives fewer facts, never an error.
 * Nothing here is certain about a program, because Python binds names at run time. A kind is given
 * only where all assignments that can be seen agree, so a caller may rely on SC_NAME_UNKNOWN to
 * stay silent. All work is linear in the text, except that kinds follow names to a small depth.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "source/code_tables.h"

/* Borrows the text. */
void sc_code_init(struct sc_code *code, const char *text, size_t length);
void sc_code_done(struct sc_code *code);

/* Whether the lexeme is exactly this text. Indices behind the last lexeme are allowed. */
bool sc_code_is(const struct sc_code *code, uint32_t lexeme, const char *text);

/* Whether both lexemes have the same text. */
bool sc_code_is_same(const struct sc_code *code, uint32_t left, uint32_t right);

/* The first lexeme of [first, end) that is this text and not within brackets there; end: none is.
 */
uint32_t sc_code_next(const struct sc_code *code, uint32_t first, uint32_t end, const char *text);

/* Whether it is one of these words, with blanks between them. */
bool sc_code_is_one_of(const struct sc_code *code, uint32_t lexeme, const char *words);

/* Whether the name of a call is one of these words; one that begins with a dot stands for a method
 * of anything. */
bool sc_call_is_one_of(const char *name, const char *words);

/* The dotted name that begins at the lexeme, with imports resolved, and where it ends; false when
 * there is none. ret_end may be NULL. */
bool sc_code_dotted(const struct sc_code *code, uint32_t lexeme, uint32_t scope,
                    struct sc_str *name, uint32_t *ret_end);

/* The name of a call; valid until sc_code_done. */
const char *sc_code_call_name(const struct sc_code *code, const struct sc_call *call);

/* The index of the call whose bracket opens at the lexeme, or SC_NONE. */
uint32_t sc_code_call_at(const struct sc_code *code, uint32_t open);

/* The call in a statement that follows another one; NULL behind the last. after NULL: the first. */
const struct sc_call *sc_code_call_in(const struct sc_code *code, uint32_t statement,
                                      const struct sc_call *after);

/* Goes through the calls in a statement. */
#define SC_EACH_CALL(call, code, statement)                                                        \
    for (const struct sc_call *call = sc_code_call_in(code, statement, NULL); call != NULL;        \
         call = sc_code_call_in(code, statement, call))

/* The n-th positional argument of a call as lexemes, or the one of this keyword (n is then not
 * used); false when the call has none. */
bool sc_code_argument(const struct sc_code *code, const struct sc_call *call, uint32_t n,
                      const char *keyword, uint32_t *ret_first, uint32_t *ret_end);

/* Whether the bracket that closes at the lexeme takes a piece of an array of several dimensions:
 * x[i - 1:i + 2, j]. Tables of pandas take such an index behind loc and iloc, other things do not.
 */
bool sc_code_is_array_piece(const struct sc_code *code, uint32_t close);

/* The kind of an expression, or of a name (dotted names: attributes of self) in a statement. */
enum sc_name_kind sc_code_kind(const struct sc_code *code, uint32_t first, uint32_t end,
                               uint32_t statement);
enum sc_name_kind sc_code_kind_of_name(const struct sc_code *code, const char *name,
                                       uint32_t statement);

/* A literal with no more items is searched as fast as a set, and soon gone through. */
#define SC_CODE_SMALL_MAX 12

/* How many items the literal in brackets [first, end) has, at least 1; 0: it is none, or what it
 * has is not in sight. */
uint32_t sc_code_items(const struct sc_code *code, uint32_t first, uint32_t end);

/* Whether the value is a literal with few items, which no assignment elsewhere makes larger. */
bool sc_code_is_small(const struct sc_code *code, const char *name, uint32_t statement);

/* How often the code at a lexeme of a statement runs, as far as its text says. */
struct sc_repeat {
    bool is_repeated;
    uint32_t loop_line; /* of the loop or comprehension around it, in whatever function; 0: none */
    bool has_caller;    /* a call of the function around it is in the text */
};
struct sc_repeat sc_code_repeat(const struct sc_code *code, uint32_t statement, uint32_t lexeme);

/* Whether the statement is a loop over few items, by what is written in or behind its header. */
bool sc_code_is_short_loop(const struct sc_code *code, uint32_t statement);

/* Whether the lexeme is in the part of a comprehension that runs for each of its items. */
bool sc_code_in_comprehension(const struct sc_code *code, uint32_t statement, uint32_t lexeme);

/* Whether the lexeme is in the body of a lambda, which runs when that is called. */
bool sc_code_in_lambda(const struct sc_code *code, uint32_t statement, uint32_t lexeme);

/* Whether an expression in a statement has the same value each time that the loops around it run,
 * those of callers too. Functions are taken to give the same for the same arguments. */
bool sc_code_is_constant(const struct sc_code *code, uint32_t first, uint32_t end,
                         uint32_t statement);

/* The coroutine that runs the statement: the async def around it, or one that calls the function
 * around it directly; SC_NONE when there is none. */
uint32_t sc_code_coroutine(const struct sc_code *code, uint32_t statement);

/* The name of a def or class, in texts, or SC_NONE. */
uint32_t sc_code_name_of(const struct sc_code *code, uint32_t statement);

/* Whether a statement of a function adds to a container that outlives the function, and from which
 * nothing in the text takes anything out; and the lexemes of the container. */
bool sc_code_keeps(const struct sc_code *code, uint32_t statement, uint32_t *ret_first,
                   uint32_t *ret_end);

/* Whether a function keeps all its results by its decorator, and not for calls of itself. */
bool sc_code_is_endless_cache(const struct sc_code *code, uint32_t function);

/* Where a value that was bound to a name is mentioned in the scope of that name. */
struct sc_uses {
    uint32_t count;
    uint32_t last_statement, last_lexeme;
    bool is_rebound; /* the name is bound elsewhere, too, or mentioned in another function */
};
struct sc_uses sc_code_uses(const struct sc_code *code, const struct sc_binding *binding);

/* Whether the expression [first, end) of a statement is gone through item by item, and once each
 * time that the statement runs: by a "for", or by a function such as sum. */
bool sc_code_goes_through(const struct sc_code *code, uint32_t statement, uint32_t first,
                          uint32_t end);

/* What to do in place of making all items of the expression [first, end) at once; NULL: it does not
 * make them, or they cannot be had one by one. */
const char *sc_code_lazy(const struct sc_code *code, uint32_t first, uint32_t end);
