/*
 * source/code_repeat.c - how often a part of a source text runs, and in which coroutine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/code.h"
#include "source/code_parts.h"

/* Callers are followed as far. */
#define CALLERS_MAX 5

/* And no more lexemes are looked at: a text may have thousands of functions of one name. */
#define STEPS_MAX 2000000

static bool is_for(const struct sc_code *code, uint32_t lexeme)
{
    return sc_code_is_name(code, lexeme) && sc_code_is(code, lexeme, "for");
}

/* The bracket directly around the lexeme, in its statement; SC_NONE: none. */
static uint32_t bracket_around(const struct sc_code *code, uint32_t first, uint32_t lexeme)
{
    for (uint32_t i = lexeme; i-- > first;) {
        uint32_t match = code->matches.items[i];
        if (match == SC_NONE)
            continue;
        if (match > lexeme)
            return i;
        if (match < i) {
            if (match < first)
                return SC_NONE;
            i = match;
        }
    }
    return SC_NONE;
}

bool sc_code_in_comprehension(const struct sc_code *code, uint32_t statement, uint32_t lexeme)
{
    const struct sc_statement *at = &code->statements.items[statement];
    uint32_t inner = lexeme;
    for (;;) {
        uint32_t open = bracket_around(code, at->first, inner);
        if (open == SC_NONE)
            return false;
        uint32_t close = code->matches.items[open];
        /* only what the first "for" goes over runs once */
        uint32_t loop = SC_NONE;
        uint32_t over = SC_NONE;
        uint32_t over_end = close;
        for (uint32_t i = open + 1; i < close; i = sc_code_step(code, i)) {
            if (loop == SC_NONE && is_for(code, i))
                loop = i;
            else if (loop != SC_NONE && over == SC_NONE && sc_code_is(code, i, "in"))
                over = i;
            else if (over != SC_NONE && over_end == close &&
                     (is_for(code, i) || sc_code_is(code, i, "if")))
                over_end = i;
        }
        if (loop != SC_NONE && (over == SC_NONE || inner < over || inner >= over_end))
            return true;
        inner = open;
    }
}

/* The functions that call one of their arguments again and again. */
static bool is_repeater(const char *name)
{
    return sc_call_is_one_of(name, "map filter sorted max min functools.reduce asyncio.gather "
                                   "timeit.timeit itertools.starmap .sort .map .apply .imap "
                                   ".starmap .submit .applymap .transform .agg .imap_unordered");
}

/* Whether the lexeme is the body of a lambda that is passed to such a function, or its name. */
static bool is_passed_on(const struct sc_code *code, uint32_t statement, uint32_t lexeme)
{
    const struct sc_statement *at = &code->statements.items[statement];
    uint32_t inner = lexeme;
    bool is_first = true;
    for (;;) {
        uint32_t open = bracket_around(code, at->first, inner);
        if (open == SC_NONE)
            return false;
        uint32_t call = sc_code_call_at(code, open);
        bool has_lambda = false;
        for (uint32_t i = open + 1; i < lexeme; i = sc_code_step(code, i))
            has_lambda = has_lambda || sc_code_is(code, i, "lambda");
        bool is_argument = is_first && sc_code_is_one_of(code, lexeme + 1, ", )");
        if (call != SC_NONE && (has_lambda || is_argument) &&
            is_repeater(sc_code_call_name(code, &code->calls.items[call])))
            return true;
        is_first = false;
        inner = open;
    }
}

/* The loop that runs the lexeme of a statement, in its function. */
static uint32_t loop_line(const struct sc_code *code, uint32_t statement, uint32_t lexeme)
{
    const struct sc_statement *at = &code->statements.items[statement];
    if (sc_code_in_comprehension(code, statement, lexeme) ||
        is_passed_on(code, statement, lexeme) || at->kind == SC_STATEMENT_WHILE)
        return at->first_line;
    if (at->loop == SC_NONE)
        return 0;
    return code->statements.items[at->loop].first_line;
}

/* The name that a function is called by: __init__ by that of its class. */
static uint32_t called_name(const struct sc_code *code, uint32_t function)
{
    uint32_t id = sc_code_name_of(code, function);
    uint32_t class_statement = code->statements.items[function].class_statement;
    bool is_init = id != SC_NONE && class_statement != SC_NONE &&
                   strcmp(sc_intern_text(&code->texts, id), "__init__") == 0;
    return is_init ? sc_code_name_of(code, class_statement) : id;
}

static void follow(const struct sc_code *code, uint32_t statement, uint32_t lexeme, unsigned depth,
                   unsigned long *steps, struct sc_repeat *ret)
{
    uint32_t line = loop_line(code, statement, lexeme);
    if (line != 0) {
        ret->is_repeated = true;
        ret->loop_line = line;
        return;
    }
    uint32_t function = code->statements.items[statement].function;
    if (function == SC_NONE || depth >= CALLERS_MAX)
        return;
    uint32_t id = called_name(code, function);
    if (id == SC_NONE)
        return;
    const char *name = sc_intern_text(&code->texts, id);
    size_t length = strlen(name);
    for (uint32_t s = 0; s < code->statements.count && !ret->is_repeated; s++) {
        const struct sc_statement *each = &code->statements.items[s];
        *steps += each->end - each->first;
        if (*steps > STEPS_MAX)
            return;
        if (s == function || each->function == function)
            continue;
        for (uint32_t i = each->first; i < each->end && !ret->is_repeated; i++) {
            const struct sc_lexeme *at = &code->lexemes.items[i];
            if (at->kind != SC_LEXEME_NAME || at->end - at->start != length ||
                memcmp(code->text + at->start, name, length) != 0)
                continue;
            if (!sc_code_is(code, i + 1, "(") && !is_passed_on(code, s, i))
                continue;
            ret->has_caller = true;
            follow(code, s, i, depth + 1, steps, ret);
        }
    }
}

struct sc_repeat sc_code_repeat(const struct sc_code *code, uint32_t statement, uint32_t lexeme)
{
    struct sc_repeat repeat = {0};
    unsigned long steps = 0;
    follow(code, statement, lexeme, 0, &steps, &repeat);
    return repeat;
}

static uint32_t coroutine_of(const struct sc_code *code, uint32_t statement, unsigned depth,
                             unsigned long *steps)
{
    uint32_t function = code->statements.items[statement].function;
    if (function == SC_NONE)
        return SC_NONE;
    if (code->statements.items[function].is_async)
        return function;
    uint32_t id = called_name(code, function);
    if (depth >= CALLERS_MAX || id == SC_NONE)
        return SC_NONE;
    const char *name = sc_intern_text(&code->texts, id);
    SC_EACH(const struct sc_call, call, &code->calls) {
        const char *called = sc_code_call_name(code, call);
        if (++*steps > STEPS_MAX)
            return SC_NONE;
        if (strcmp(sc_after_last(called, '.'), name) != 0 ||
            code->statements.items[call->statement].function == function)
            continue;
        uint32_t found = coroutine_of(code, call->statement, depth + 1, steps);
        if (found != SC_NONE)
            return found;
    }
    return SC_NONE;
}

uint32_t sc_code_coroutine(const struct sc_code *code, uint32_t statement)
{
    unsigned long steps = 0;
    return coroutine_of(code, statement, 0, &steps);
}

/* The range of a few numbers, with at most one argument: "range(4)". */
static bool is_short_range(const struct sc_code *code, uint32_t first, uint32_t end)
{
    const struct sc_lexeme *count = &code->lexemes.items[first + 2];
    return end == first + 4 && sc_code_is(code, first, "range") &&
           sc_code_is(code, first + 1, "(") && count->kind == SC_LEXEME_NUMBER &&
           count->end - count->start == 1;
}

bool sc_code_is_short_loop(const struct sc_code *code, uint32_t statement)
{
    const struct sc_statement *loop = &code->statements.items[statement];
    if (loop->kind != SC_STATEMENT_FOR)
        return false;
    uint32_t first = sc_code_next(code, loop->first, loop->end, "in") + 1;
    uint32_t end = loop->end - 1; /* of the colon */
    if (first >= end)
        return false;
    uint32_t items = sc_code_items(code, first, end);
    if (items > 0)
        return items <= SC_CODE_SMALL_MAX;
    if (end != first + 1)
        return is_short_range(code, first, end);
    const struct sc_lexeme *name = &code->lexemes.items[first];
    SC_AUTO_FREE char *text = sc_strndup(code->text + name->start, name->end - name->start);
    return sc_code_is_small(code, text, statement);
}
