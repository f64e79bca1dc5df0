/*
 * source/code_calls.c - what is imported under which name, and what is called with what.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/sort.h"
#include "source/code.h"
#include "source/code_parts.h"
#include "source/words.h"

/* Longer dotted names are cut. */
#define PARTS_MAX 12

static void add_lexeme(struct sc_str *str, const struct sc_code *code, uint32_t lexeme)
{
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    sc_str_add_bytes(str, code->text + at->start, at->end - at->start);
}

static void add_alias(struct sc_code *code, uint32_t scope, uint32_t name, const char *target)
{
    struct sc_alias alias = {.name = sc_code_add_text(code, name),
                             .target = sc_intern_add(&code->texts, target, strlen(target)),
                             .scope = scope};
    sc_vec_push(&code->aliases, alias);
}

/* Reads "a.b" from the lexeme on, and returns where it ends. */
static uint32_t read_module(const struct sc_code *code, uint32_t at, uint32_t end,
                            struct sc_str *module)
{
    for (; at < end && !sc_code_is_one_of(code, at, "import as ,"); at++)
        add_lexeme(module, code, at);
    return at;
}

/* "import a.b as c, d", behind import: only a module under another name needs an alias. */
static void take_import(struct sc_code *code, const struct sc_statement *statement, uint32_t at)
{
    while (at < statement->end) {
        SC_AUTO(sc_str_done) struct sc_str module = {0};
        at = read_module(code, at, statement->end, &module);
        if (sc_code_is(code, at, "as") && at + 1 < statement->end &&
            sc_code_is_name(code, at + 1)) {
            add_alias(code, statement->function, at + 1, sc_str_text(&module));
            at += 2;
        }
        while (at < statement->end && !sc_code_is(code, at, ","))
            at++;
        at++;
    }
}

/* "from a.b import c as d, e", behind from */
static void take_from(struct sc_code *code, const struct sc_statement *statement, uint32_t at)
{
    SC_AUTO(sc_str_done) struct sc_str module = {0};
    at = read_module(code, at, statement->end, &module);
    for (at++; at < statement->end; at++) {
        if (!sc_code_is_name(code, at))
            continue;
        SC_AUTO_FREE char *target = NULL;
        struct sc_str text = {0};
        sc_str_add(&text, sc_str_text(&module));
        sc_str_add_char(&text, '.');
        add_lexeme(&text, code, at);
        target = sc_str_take(&text);
        if (at + 2 < statement->end && sc_code_is(code, at + 1, "as") &&
            sc_code_is_name(code, at + 2))
            at += 2;
        add_alias(code, statement->function, at, target);
    }
}

void sc_code_take_imports(struct sc_code *code)
{
    for (size_t i = 0; i < code->statements.count; i++) {
        const struct sc_statement statement = code->statements.items[i];
        uint32_t word = statement.first + (sc_code_is(code, statement.first, "lazy") ? 1 : 0);
        if (sc_code_is(code, word, "import"))
            take_import(code, &statement, word + 1);
        else if (sc_code_is(code, word, "from"))
            take_from(code, &statement, word + 1);
    }
}

static const char *resolve(const struct sc_code *code, uint32_t name, uint32_t scope)
{
    const char *found = NULL;
    for (size_t i = code->aliases.count; i-- > 0;) {
        const struct sc_alias *alias = &code->aliases.items[i];
        if (alias->name != name)
            continue;
        if (alias->scope == scope && scope != SC_NONE)
            return sc_intern_text(&code->texts, alias->target);
        if (alias->scope == SC_NONE && found == NULL)
            found = sc_intern_text(&code->texts, alias->target);
    }
    return found;
}

bool sc_code_is_plain_name(const struct sc_code *code, uint32_t lexeme)
{
    if (!sc_code_is_name(code, lexeme))
        return false;
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    enum sc_word word = sc_word_of(code->text + at->start, at->end - at->start);
    return word == SC_WORD_NONE || word >= SC_WORD_SOFT_CASE;
}

bool sc_code_dotted(const struct sc_code *code, uint32_t lexeme, uint32_t scope,
                    struct sc_str *name, uint32_t *ret_end)
{
    if (!sc_code_is_plain_name(code, lexeme))
        return false;
    const struct sc_lexeme *head = &code->lexemes.items[lexeme];
    uint32_t id = sc_intern_find(&code->texts, code->text + head->start, head->end - head->start);
    const char *target = id != SC_NONE ? resolve(code, id, scope) : NULL;
    if (target != NULL)
        sc_str_add(name, target);
    else
        add_lexeme(name, code, lexeme);
    uint32_t at = lexeme + 1;
    for (unsigned parts = 1; sc_code_is(code, at, ".") && sc_code_is_name(code, at + 1); at += 2) {
        if (++parts > PARTS_MAX)
            return false;
        sc_str_add_char(name, '.');
        add_lexeme(name, code, at + 1);
    }
    if (ret_end != NULL)
        *ret_end = at;
    return true;
}

/* The first lexeme of the callee whose last one stands before the bracket: "a" of "a.b.c(".
 * SC_NONE: what is called has no name. */
static uint32_t callee_of(const struct sc_code *code, uint32_t open, uint32_t first)
{
    if (open == first || !sc_code_is_plain_name(code, open - 1))
        return SC_NONE;
    uint32_t at = open - 1;
    while (at >= first + 2 && sc_code_is(code, at - 1, ".")) {
        if (!sc_code_is_name(code, at - 2) || !sc_code_is_plain_name(code, at - 2))
            return at - 1; /* a method of an expression: from the dot on */
        at -= 2;
    }
    if (at > first && sc_code_is_one_of(code, at - 1, "def class"))
        return SC_NONE;
    return at;
}

void sc_code_take_calls(struct sc_code *code)
{
    for (size_t s = 0; s < code->statements.count; s++) {
        const struct sc_statement statement = code->statements.items[s];
        for (uint32_t i = statement.first; i < statement.end; i++) {
            uint32_t close = code->matches.items[i];
            if (!sc_code_is(code, i, "(") || close == SC_NONE || close >= statement.end)
                continue;
            uint32_t first = callee_of(code, i, statement.first);
            if (first == SC_NONE)
                continue;
            SC_AUTO(sc_str_done) struct sc_str name = {0};
            if (sc_code_is(code, first, ".")) {
                for (uint32_t k = first; k < i; k++)
                    add_lexeme(&name, code, k);
            } else if (!sc_code_dotted(code, first, statement.function, &name, NULL)) {
                continue;
            }
            struct sc_call call = {.name = sc_intern_add(&code->texts, name.data, name.length),
                                   .first = first,
                                   .open = i,
                                   .close = close,
                                   .statement = (uint32_t)s};
            sc_vec_push(&code->calls, call);
        }
    }
}

const char *sc_code_call_name(const struct sc_code *code, const struct sc_call *call)
{
    return sc_intern_text(&code->texts, call->name);
}

uint32_t sc_code_call_at(const struct sc_code *code, uint32_t open)
{
    /* calls are in the order of their brackets */
    size_t low;
    sc_find_first(&low, code->calls.count, i, code->calls.items[i].open < open);
    return low < code->calls.count && code->calls.items[low].open == open ? (uint32_t)low : SC_NONE;
}

const struct sc_call *sc_code_call_in(const struct sc_code *code, uint32_t statement,
                                      const struct sc_call *after)
{
    const struct sc_call *calls = code->calls.items;
    size_t at = after != NULL ? (size_t)(after - calls) + 1 : 0;
    if (after == NULL)
        sc_find_first(&at, code->calls.count, i, calls[i].statement < statement);
    return at < code->calls.count && calls[at].statement == statement ? &calls[at] : NULL;
}

bool sc_code_argument(const struct sc_code *code, const struct sc_call *call, uint32_t n,
                      const char *keyword, uint32_t *ret_first, uint32_t *ret_end)
{
    uint32_t begin = call->open + 1;
    uint32_t position = 0;
    for (uint32_t at = begin; at <= call->close; at = sc_code_step(code, at)) {
        if (at < call->close && !sc_code_is(code, at, ","))
            continue;
        bool is_named = at > begin + 1 && sc_code_is(code, begin + 1, "=");
        bool is_star = sc_code_is_one_of(code, begin, "* **");
        if (keyword != NULL && is_named && sc_code_is(code, begin, keyword)) {
            *ret_first = begin + 2;
            *ret_end = at;
            return true;
        }
        if (keyword == NULL && at > begin && !is_named && !is_star && position == n) {
            *ret_first = begin;
            *ret_end = at;
            return true;
        }
        if (is_star && keyword == NULL)
            return false;
        position++;
        begin = at + 1;
        if (at == call->close)
            break;
    }
    return false;
}

bool sc_code_is_array_piece(const struct sc_code *code, uint32_t close)
{
    if (close >= code->lexemes.count || !sc_code_is(code, close, "]"))
        return false;
    uint32_t open = code->matches.items[close];
    bool has_comma = false;
    bool has_colon = false;
    if (open == SC_NONE || open == 0 || sc_code_is_one_of(code, open - 1, "loc iloc"))
        return false;
    for (uint32_t i = open + 1; i < close; i = sc_code_step(code, i)) {
        has_comma = has_comma || sc_code_is(code, i, ",");
        has_colon = has_colon || sc_code_is(code, i, ":");
    }
    return has_comma && has_colon;
}

/* Where a parameter stands among those of its function, without self. */
static uint32_t position_of(const struct sc_code *code, const struct sc_binding *parameter)
{
    uint32_t position = 0;
    for (const struct sc_binding *each = parameter; each > code->bindings.items;) {
        each--;
        if (!each->is_parameter || each->statement != parameter->statement)
            break;
        const char *name = sc_intern_text(&code->texts, each->name);
        position += strcmp(name, "self") != 0 && strcmp(name, "cls") != 0;
    }
    return position;
}

bool sc_code_passed(const struct sc_code *code, const struct sc_call *call,
                    const struct sc_binding *parameter, uint32_t *ret_first, uint32_t *ret_end)
{
    const char *keyword = sc_intern_text(&code->texts, parameter->name);
    return sc_code_argument(code, call, position_of(code, parameter), NULL, ret_first, ret_end) ||
           sc_code_argument(code, call, 0, keyword, ret_first, ret_end);
}
