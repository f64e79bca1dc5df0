/*
 * source/code_constant.c - whether an expression in a loop has the same value each time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/code.h"
#include "source/code_parts.h"
#include "source/words.h"

#define CALLERS_MAX 4
#define STEPS_MAX   2000000

struct walk {
    const struct sc_code *code;
    unsigned depth;
    unsigned long steps;
};

static bool is_constant(struct walk *walk, uint32_t first, uint32_t end, uint32_t statement);

/* Whether the name is assigned within [first, end) of the statements. */
static bool is_bound_in(struct walk *walk, uint32_t name, uint32_t first, uint32_t end)
{
    const struct sc_code *code = walk->code;
    SC_EACH(const struct sc_binding, binding, &code->bindings) {
        walk->steps++;
        if (binding->name == name && !binding->is_parameter && binding->statement >= first &&
            binding->statement < end)
            return true;
    }
    return false;
}

/* Whether a comprehension in the statement binds the name: "for name in" inside brackets. */
static bool is_bound_by_comprehension(const struct sc_code *code, uint32_t statement,
                                      uint32_t lexeme)
{
    const struct sc_statement *at = &code->statements.items[statement];
    const struct sc_lexeme *name = &code->lexemes.items[lexeme];
    size_t length = name->end - name->start;
    bool is_target = false;
    for (uint32_t i = at->first; i < at->end; i++) {
        const struct sc_lexeme *each = &code->lexemes.items[i];
        if (sc_code_is_one_of(code, i, "for lambda"))
            is_target = true;
        else if (sc_code_is_one_of(code, i, "in :"))
            is_target = false;
        else if (is_target && i != lexeme && each->end - each->start == length &&
                 memcmp(code->text + each->start, code->text + name->start, length) == 0)
            return true;
    }
    return false;
}

/* What the calls in the text pass for a parameter does not change in their loops. */
static bool is_constant_parameter(struct walk *walk, const struct sc_binding *parameter)
{
    const struct sc_code *code = walk->code;
    uint32_t id = sc_code_name_of(code, parameter->statement);
    const char *function = id != SC_NONE ? sc_intern_text(&code->texts, id) : "";
    bool any = false;
    SC_EACH(const struct sc_call, call, &code->calls) {
        const char *name = sc_code_call_name(code, call);
        uint32_t first = 0;
        uint32_t end = 0;
        if (strcmp(sc_after_last(name, '.'), function) != 0)
            continue;
        if (++walk->steps > STEPS_MAX || !sc_code_passed(code, call, parameter, &first, &end))
            return false;
        walk->depth++;
        bool is_same = is_constant(walk, first, end, call->statement);
        walk->depth--;
        if (!is_same)
            return false;
        any = true;
    }
    return any;
}

/* A name at a lexeme, "x" or "self.x". */
static bool is_constant_name(struct walk *walk, uint32_t lexeme, uint32_t statement)
{
    const struct sc_code *code = walk->code;
    const struct sc_statement *at = &code->statements.items[statement];
    const struct sc_lexeme *name = &code->lexemes.items[lexeme];
    uint32_t id = sc_intern_find(&code->texts, code->text + name->start, name->end - name->start);
    if (is_bound_by_comprehension(code, statement, lexeme))
        return false;
    if (id == SC_NONE)
        return true;
    if (at->loop != SC_NONE) {
        const struct sc_statement *loop = &code->statements.items[at->loop];
        if (is_bound_in(walk, id, at->loop, loop->block_end))
            return false;
        /* an outer loop may change it as often */
        for (uint32_t outer = loop->loop; outer != SC_NONE;
             outer = code->statements.items[outer].loop) {
            if (is_bound_in(walk, id, outer, code->statements.items[outer].block_end))
                return false;
        }
    }
    if (at->function == SC_NONE)
        return true;
    SC_EACH(const struct sc_binding, binding, &code->bindings) {
        if (binding->name != id || binding->scope != at->function)
            continue;
        if (binding->is_parameter) {
            const char *text = sc_intern_text(&code->texts, id);
            if (strcmp(text, "self") == 0)
                return true;
            return at->loop != SC_NONE || is_constant_parameter(walk, binding);
        }
        /* made in the function: constant where what it is made from is */
        if (at->loop == SC_NONE &&
            (binding->statement == statement || binding->first >= binding->end ||
             !is_constant(walk, binding->first, binding->end, binding->statement)))
            return false;
    }
    return true;
}

/* Whether a method gives something else each time: x.pop(), or x.read() without arguments. */
static bool takes_next(const struct sc_code *code, uint32_t dot)
{
    if (!sc_code_is(code, dot, "."))
        return false;
    if (sc_code_is(code, dot + 1, "pop"))
        return true;
    return sc_code_is_one_of(code, dot + 1, "read readline get recv") &&
           sc_code_is(code, dot + 2, "(") && sc_code_is(code, dot + 3, ")");
}

static bool is_constant(struct walk *walk, uint32_t first, uint32_t end, uint32_t statement)
{
    const struct sc_code *code = walk->code;
    if (walk->depth > CALLERS_MAX || first >= end)
        return false;
    walk->depth++;
    bool is_same = true;
    for (uint32_t i = first; i < end && is_same; i++) {
        const struct sc_lexeme *at = &code->lexemes.items[i];
        if (++walk->steps > STEPS_MAX) {
            is_same = false;
        } else if (at->kind == SC_LEXEME_NAME && !(i > first && sc_code_is(code, i - 1, "."))) {
            enum sc_word word = sc_word_of(code->text + at->start, at->end - at->start);
            bool is_keyword = sc_code_is(code, i + 1, "=");
            bool is_named = word == SC_WORD_NONE || word >= SC_WORD_SOFT_CASE;
            if (is_named && !is_keyword && at->end - at->start > 0)
                is_same = is_constant_name(walk, i, statement);
        } else {
            is_same = !takes_next(code, i);
        }
    }
    walk->depth--;
    return is_same;
}

bool sc_code_is_constant(const struct sc_code *code, uint32_t first, uint32_t end,
                         uint32_t statement)
{
    struct walk walk = {.code = code};
    return is_constant(&walk, first, end, statement);
}
