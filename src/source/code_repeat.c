/*
 * source/code_repeat.c - how often a part of a source text runs, and in which coroutine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/code.h"
#include "source/code_parts.h"

/* Callers are followed as far, and no more of them. */
#define CALLERS_MAX   5
#define FUNCTIONS_MAX 64

/* And no more lexemes are looked at: a text may be long. */
#define STEPS_MAX 2000000

bool sc_code_in_comprehension(const struct sc_code *code, uint32_t statement, uint32_t lexeme)
{
    uint32_t first = code->statements.items[statement].first;
    uint32_t inner = lexeme;
    for (;;) {
        uint32_t open = code->around.items[inner];
        if (open == SC_NONE || open < first)
            return false;
        uint32_t loop = code->loops.items[open];
        uint32_t close = code->matches.items[open];
        if (loop != SC_NONE && close != SC_NONE) {
            /* only what the first "for" goes over runs once */
            uint32_t over = sc_code_next(code, loop, close, "in");
            uint32_t over_end = over;
            while (over_end < close && !sc_code_is_one_of(code, over_end, "for if"))
                over_end = sc_code_step(code, over_end);
            if (inner < over || inner >= over_end)
                return true;
        }
        inner = open;
    }
}

/* Whether a lambda among [first, lexeme) goes on at the lexeme. */
static bool is_behind_lambda(const struct sc_code *code, uint32_t first, uint32_t lexeme)
{
    bool is_in = false;
    bool has_colon = false;
    for (uint32_t i = first; i < lexeme; i = sc_code_step(code, i)) {
        bool begins = sc_code_is(code, i, "lambda");
        has_colon = !begins && (has_colon || sc_code_is(code, i, ":"));
        is_in = begins || (is_in && !(has_colon && sc_code_is(code, i, ",")));
    }
    return is_in;
}

bool sc_code_in_lambda(const struct sc_code *code, uint32_t statement, uint32_t lexeme)
{
    uint32_t first = code->statements.items[statement].first;
    for (uint32_t inner = lexeme;; inner = code->around.items[inner]) {
        uint32_t open = code->around.items[inner];
        bool is_outer = open == SC_NONE || open < first;
        if (is_behind_lambda(code, is_outer ? first : open + 1, inner))
            return true;
        if (is_outer)
            return false;
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
    uint32_t first = code->statements.items[statement].first;
    bool is_argument = sc_code_is_one_of(code, lexeme + 1, ", )");
    for (uint32_t inner = lexeme;; is_argument = false) {
        uint32_t open = code->around.items[inner];
        if (open == SC_NONE || open < first)
            return false;
        uint32_t call = sc_code_call_at(code, open);
        if (call != SC_NONE && is_repeater(sc_code_call_name(code, &code->calls.items[call])) &&
            (is_argument || sc_code_next(code, open + 1, lexeme, "lambda") < lexeme))
            return true;
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

/* Functions whose callers are looked for, each once, nearest ones first. */
struct callers {
    struct {
        uint32_t function;
        unsigned depth;
    } items[FUNCTIONS_MAX];
    size_t count;
    unsigned long steps;
};

static void add_caller(struct callers *callers, uint32_t function, unsigned depth)
{
    for (size_t i = 0; i < callers->count; i++) {
        if (callers->items[i].function == function)
            return;
    }
    if (function == SC_NONE || depth > CALLERS_MAX || callers->count >= FUNCTIONS_MAX)
        return;
    callers->items[callers->count].function = function;
    callers->items[callers->count++].depth = depth;
}

/* Looks for mentions of a function in others, which call it or pass it on. */
static void find_callers(const struct sc_code *code, struct callers *callers, size_t which,
                         struct sc_repeat *ret)
{
    uint32_t function = callers->items[which].function;
    uint32_t id = called_name(code, function);
    if (id == SC_NONE)
        return;
    const char *name = sc_intern_text(&code->texts, id);
    size_t length = sc_intern_length(&code->texts, id);
    for (uint32_t s = 0; s < code->statements.count && ret->loop_line == 0; s++) {
        const struct sc_statement *each = &code->statements.items[s];
        callers->steps += each->end - each->first;
        if (callers->steps > STEPS_MAX)
            return;
        if (s == function || each->function == function)
            continue;
        for (uint32_t i = each->first; i < each->end && ret->loop_line == 0; i++) {
            const struct sc_lexeme *at = &code->lexemes.items[i];
            if (at->kind != SC_LEXEME_NAME || at->end - at->start != length ||
                memcmp(code->text + at->start, name, length) != 0)
                continue;
            if (!sc_code_is(code, i + 1, "(") && !is_passed_on(code, s, i))
                continue;
            ret->has_caller = true;
            ret->loop_line = loop_line(code, s, i);
            add_caller(callers, each->function, callers->items[which].depth + 1);
        }
    }
}

struct sc_repeat sc_code_repeat(const struct sc_code *code, uint32_t statement, uint32_t lexeme)
{
    struct sc_repeat repeat = {.loop_line = loop_line(code, statement, lexeme)};
    struct callers callers = {.count = 0};
    add_caller(&callers, code->statements.items[statement].function, 1);
    for (size_t i = 0; i < callers.count && repeat.loop_line == 0; i++)
        find_callers(code, &callers, i, &repeat);
    repeat.is_repeated = repeat.loop_line != 0;
    return repeat;
}

uint32_t sc_code_coroutine(const struct sc_code *code, uint32_t statement)
{
    struct callers callers = {.count = 0};
    add_caller(&callers, code->statements.items[statement].function, 0);
    for (size_t i = 0; i < callers.count; i++) {
        uint32_t function = callers.items[i].function;
        uint32_t id = called_name(code, function);
        if (code->statements.items[function].is_async)
            return function;
        if (id == SC_NONE)
            continue;
        const char *name = sc_intern_text(&code->texts, id);
        SC_EACH(const struct sc_call, call, &code->calls) {
            if (++callers.steps > STEPS_MAX)
                return SC_NONE;
            if (strcmp(sc_after_last(sc_code_call_name(code, call), '.'), name) == 0)
                add_caller(&callers, code->statements.items[call->statement].function,
                           callers.items[i].depth + 1);
        }
    }
    return SC_NONE;
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
