/*
 * source/code_uses.c - where a value that was bound to a name is used afterwards, and whether it is
 * gone through once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/code.h"
#include "source/code_parts.h"

static bool is_text(const struct sc_code *code, uint32_t lexeme, const char *text, size_t length)
{
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    return at->kind == SC_LEXEME_NAME && at->end - at->start == length &&
           memcmp(code->text + at->start, text, length) == 0;
}

struct sc_uses sc_code_uses(const struct sc_code *code, const struct sc_binding *binding)
{
    struct sc_uses uses = {.last_statement = binding->statement};
    const char *name = sc_intern_text(&code->texts, binding->name);
    size_t length = sc_intern_length(&code->texts, binding->name);
    bool is_function = binding->scope != SC_NONE;
    uint32_t first = is_function ? binding->scope + 1 : 0;
    uint32_t end = is_function ? code->statements.items[binding->scope].block_end
                               : (uint32_t)code->statements.count;
    SC_EACH(const struct sc_binding, other, &code->bindings)
        if (other->name == binding->name && other->scope == binding->scope && other != binding)
            uses.is_rebound = true;
    for (uint32_t s = first; s < end && s < code->statements.count; s++) {
        const struct sc_statement *at = &code->statements.items[s];
        for (uint32_t i = at->first; i < at->end; i++) {
            bool is_target = s == binding->statement && i < binding->first;
            if (is_target || !is_text(code, i, name, length) ||
                (i > at->first && sc_code_is(code, i - 1, ".")))
                continue;
            uses.count++;
            uses.last_statement = s;
            uses.last_lexeme = i;
            uses.is_rebound = uses.is_rebound || at->function != binding->scope;
        }
    }
    return uses;
}

bool sc_code_is_iterated(const struct sc_code *code, const struct sc_statement *statement,
                         uint32_t lexeme)
{
    unsigned loops = 0;
    for (uint32_t i = statement->first; i < lexeme; i++) {
        loops += sc_code_is(code, i, "for");
        if (!sc_code_is(code, i, "in"))
            continue;
        if (i + 1 == lexeme)
            return loops > 0;
        loops -= loops > 0;
    }
    return false;
}

bool sc_code_goes_through(const struct sc_code *code, uint32_t statement, uint32_t first,
                          uint32_t end)
{
    static const char consumers[] = "sum any all min max set frozenset dict writelines Counter";
    const struct sc_statement *at = &code->statements.items[statement];
    if (sc_code_in_comprehension(code, statement, first))
        return false; /* once for each item of another */
    if (sc_code_is_iterated(code, at, first))
        return sc_code_is_one_of(code, end, ": ) ] } if for");
    if (first < at->first + 2 || !sc_code_is(code, first - 1, "(") || !sc_code_is(code, end, ")"))
        return false;
    return sc_code_is_one_of(code, first - 2, consumers);
}

/* The last method that is called in [first, end), which ends with its call; SC_NONE: none. */
static uint32_t last_method(const struct sc_code *code, uint32_t first, uint32_t end)
{
    uint32_t open =
        end > first && sc_code_is(code, end - 1, ")") ? code->matches.items[end - 1] : SC_NONE;
    bool is_method = open != SC_NONE && open >= first + 3 && sc_code_is(code, open - 2, ".");
    return is_method ? open - 1 : SC_NONE;
}

const char *sc_code_lazy(const struct sc_code *code, uint32_t first, uint32_t end)
{
    if (first >= end)
        return NULL;
    uint32_t method = last_method(code, first, end);
    if (method != SC_NONE) {
        if (sc_code_is(code, method, "readlines"))
            return "go through the file itself, which gives one line after another";
        if (sc_code_is(code, method, "fetchall"))
            return "go through the cursor itself, which gives one row after another";
        uint32_t inner = last_method(code, first, method - 1);
        bool is_read = inner != SC_NONE && sc_code_is_one_of(code, inner, "read read_text");
        return sc_code_is(code, method, "splitlines") && is_read
                   ? "go through the open file itself, which gives one line after another"
                   : NULL;
    }
    bool is_list = sc_code_is(code, first, "list") && sc_code_is(code, first + 1, "(");
    if (is_list && code->matches.items[first + 1] == end - 1 && end > first + 3)
        return "go through what list() is given, without it";
    if (!sc_code_is(code, first, "[") || code->matches.items[first] != end - 1)
        return NULL;
    for (uint32_t i = first + 1; i + 1 < end; i = sc_code_step(code, i)) {
        if (sc_code_is(code, i, "for"))
            return "write it as a generator, with (...) in place of [...]";
    }
    return NULL;
}
