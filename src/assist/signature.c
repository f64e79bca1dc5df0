/* assist/signature.c - see signature.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "source/code.h"

#define SENTENCES_MAX 20
#define SHOWN_MAX     200 /* bytes of a list of parameters in a sentence */

/* A def or a class. All owned. */
struct definition {
    char *name;            /* with those of the classes around it */
    struct sc_str call;    /* parameters with defaults, or bases */
    struct sc_str wrapped; /* decorators, a blank between two */
    bool is_class;
    bool is_async;
    bool is_generator;
};

struct definitions SC_VEC_OF(struct definition);

static bool is_word(char letter)
{
    return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || ((unsigned char)letter & 0x80U) != 0;
}

/* Adds a lexeme, behind a blank only where that separates two words. */
static void add_lexeme(const struct sc_code *code, uint32_t lexeme, struct sc_str *text)
{
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    if (text->length > 0 && is_word(text->data[text->length - 1]) && is_word(code->text[at->start]))
        sc_str_add_char(text, ' ');
    sc_str_add_bytes(text, code->text + at->start, at->end - at->start);
}

/* Parameters without their annotations, or bases: the lexemes [first, end). */
static void add_parameters(const struct sc_code *code, uint32_t first, uint32_t end,
                           struct sc_str *text)
{
    uint32_t inner_end = first; /* of brackets within */
    unsigned lambdas = 0;       /* whose colon has not come */
    bool is_annotation = false;
    bool is_default = false;
    for (uint32_t i = first; i < end; i++) {
        if (i >= inner_end) {
            if (code->matches.items[i] != SC_NONE && code->matches.items[i] > i)
                inner_end = code->matches.items[i];
            if (sc_code_is(code, i, "lambda")) {
                lambdas++;
            } else if (sc_code_is(code, i, ":") && lambdas > 0) {
                lambdas--;
            } else if (sc_code_is(code, i, ":")) {
                is_annotation = !is_default;
            } else if (sc_code_is(code, i, "=")) {
                is_annotation = false;
                is_default = true;
            } else if (sc_code_is(code, i, ",") && lambdas == 0) {
                is_annotation = is_default = false;
                if (i + 1 < end)
                    sc_str_add(text, ", ");
                continue;
            }
        }
        if (!is_annotation)
            add_lexeme(code, i, text);
    }
}

/* The name of a def or class, with those of the classes around it; false within a function. */
static bool add_name(const struct sc_code *code, uint32_t self, struct sc_str *name)
{
    const struct sc_statement *at = &code->statements.items[self];
    for (uint32_t i = at->parent; i != SC_NONE; i = code->statements.items[i].parent)
        if (code->statements.items[i].kind == SC_STATEMENT_DEF)
            return false;
    if (at->class_statement != SC_NONE) {
        (void)add_name(code, at->class_statement, name);
        sc_str_add_char(name, '.');
    }
    add_lexeme(code, at->first + (at->is_async ? 2 : 1), name);
    return true;
}

static bool is_decorator(const struct sc_code *code, uint32_t statement)
{
    return sc_code_is(code, code->statements.items[statement].first, "@");
}

static void add_decorators(const struct sc_code *code, uint32_t self, struct sc_str *text)
{
    uint32_t first = self;
    while (first > 0 && is_decorator(code, first - 1))
        first--;
    for (; first < self; first++) {
        if (text->length > 0)
            sc_str_add_char(text, ' ');
        const struct sc_statement *at = &code->statements.items[first];
        for (uint32_t i = at->first; i < at->end; i++)
            add_lexeme(code, i, text);
    }
}

/* A function that yields is a generator. */
static bool yields(const struct sc_code *code, uint32_t self)
{
    for (uint32_t i = self + 1; i < code->statements.items[self].block_end; i++) {
        const struct sc_statement *at = &code->statements.items[i];
        for (uint32_t k = at->first; k < at->end && at->function == self; k++)
            if (code->lexemes.items[k].kind == SC_LEXEME_NAME && sc_code_is(code, k, "yield"))
                return true;
    }
    return false;
}

static void read_definitions(const char *text, size_t length, struct definitions *ret_list)
{
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    struct sc_str name = {0};
    sc_code_init(&code, text, length);
    for (uint32_t self = 0; self < code.statements.count; self++) {
        const struct sc_statement *at = &code.statements.items[self];
        struct definition item = {.is_class = at->kind == SC_STATEMENT_CLASS,
                                  .is_async = at->is_async};
        if ((at->kind != SC_STATEMENT_DEF && !item.is_class) || !add_name(&code, self, &name))
            continue;
        item.name = sc_str_take(&name);
        uint32_t open = at->first + (at->is_async ? 3 : 2);
        if (sc_code_is(&code, open, "[")) /* parameters of the type */
            open = code.matches.items[open] + 1;
        if (sc_code_is(&code, open, "(") && code.matches.items[open] < at->end)
            add_parameters(&code, open + 1, code.matches.items[open], &item.call);
        add_decorators(&code, self, &item.wrapped);
        item.is_generator = yields(&code, self);
        sc_vec_push(ret_list, item);
    }
}

static void definitions_done(struct definitions *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        sc_str_done(&list->items[i].call);
        sc_str_done(&list->items[i].wrapped);
    }
    sc_vec_done(list);
}

/* How many definitions of this name come before it: a property's getter and setter share one. */
static size_t rank_of(const struct definitions *list, size_t index)
{
    size_t rank = 0;
    for (size_t i = 0; i < index; i++)
        rank += strcmp(list->items[i].name, list->items[index].name) == 0 ? 1 : 0;
    return rank;
}

/* The definition of this name and rank, else the last of this name; NULL when there is none. */
static const struct definition *find(const struct definitions *list, const char *name, size_t rank)
{
    const struct definition *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) != 0)
            continue;
        found = &list->items[i];
        if (rank-- == 0)
            break;
    }
    return found;
}

static void say(struct sc_texts *sentences, char *sentence)
{
    if (sentences->count < SENTENCES_MAX)
        sc_vec_push(sentences, sentence);
    else
        free(sentence);
}

static const char *or_none(const struct sc_str *text)
{
    return text->length > 0 ? sc_str_text(text) : "none";
}

static bool same(const struct sc_str *one, const struct sc_str *other)
{
    return strcmp(sc_str_text(one), sc_str_text(other)) == 0;
}

static void compare(const struct definition *old, const struct definition *now,
                    struct sc_texts *sentences)
{
    if (!same(&old->call, &now->call) && old->is_class == now->is_class)
        say(sentences, sc_format("the %s of %s were (%.*s) and are (%.*s)",
                                 old->is_class ? "bases" : "parameters", old->name, SHOWN_MAX,
                                 sc_str_text(&old->call), SHOWN_MAX, sc_str_text(&now->call)));
    if (old->is_class != now->is_class)
        say(sentences,
            sc_format("%s is a %s now", old->name, now->is_class ? "class" : "function"));
    if (!same(&old->wrapped, &now->wrapped))
        say(sentences,
            sc_format("the decorators of %s were %.*s and are %.*s", old->name, SHOWN_MAX,
                      or_none(&old->wrapped), SHOWN_MAX, or_none(&now->wrapped)));
    if (old->is_async != now->is_async)
        say(sentences,
            sc_format(now->is_async ? "%s is a coroutine now, which must be awaited"
                                    : "%s is no coroutine any more: nothing may await it",
                      old->name));
    if (old->is_generator != now->is_generator)
        say(sentences,
            sc_format(now->is_generator ? "%s is a generator now" : "%s is no generator any more",
                      old->name));
}

void sc_ai_signature_changes(const char *old, size_t old_length, const char *code,
                             size_t code_length, struct sc_texts *ret_sentences)
{
    struct definitions before = {0};
    struct definitions after = {0};
    read_definitions(old, old_length, &before);
    read_definitions(code, code_length, &after);
    for (size_t i = 0; i < before.count; i++) {
        size_t rank = rank_of(&before, i);
        const struct definition *now = find(&after, before.items[i].name, rank);
        if (now != NULL)
            compare(&before.items[i], now, ret_sentences);
        else if (rank == 0)
            say(ret_sentences, sc_format("%s is not defined any more", before.items[i].name));
    }
    definitions_done(&before);
    definitions_done(&after);
}
