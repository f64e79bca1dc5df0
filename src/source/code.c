/* source/code.c - see code.h. SPDX-License-Identifier: Apache-2.0 */
#include "source/code.h"

#include <string.h>

#include "source/lexer.h"

bool sc_code_is(const struct sc_code *code, uint32_t lexeme, const char *text)
{
    if (lexeme >= code->lexemes.count)
        return false;
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    size_t length = strlen(text);
    return at->end - at->start == length && memcmp(code->text + at->start, text, length) == 0;
}

bool sc_code_is_same(const struct sc_code *code, uint32_t left, uint32_t right)
{
    const struct sc_lexeme *a = &code->lexemes.items[left];
    const struct sc_lexeme *b = &code->lexemes.items[right];
    return a->end - a->start == b->end - b->start &&
           memcmp(code->text + a->start, code->text + b->start, a->end - a->start) == 0;
}

uint32_t sc_code_next(const struct sc_code *code, uint32_t first, uint32_t end, const char *text)
{
    while (first < end && !sc_code_is(code, first, text))
        first = sc_code_step(code, first);
    return first < end ? first : end;
}

bool sc_code_is_one_of(const struct sc_code *code, uint32_t lexeme, const char *words)
{
    if (lexeme >= code->lexemes.count)
        return false;
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    return sc_is_one_of(code->text + at->start, at->end - at->start, words);
}

bool sc_call_is_one_of(const char *name, const char *words)
{
    size_t length = strlen(name);
    size_t size = 0;
    for (; (words = sc_next_word(words, &size)) != NULL; words += size)
        if ((size == length || (size < length && words[0] == '.')) &&
            memcmp(name + length - size, words, size) == 0)
            return true;
    return false;
}

uint32_t sc_code_name_of(const struct sc_code *code, uint32_t statement)
{
    const struct sc_statement *header = &code->statements.items[statement];
    uint32_t at = header->first + (header->is_async ? 2 : 1);
    if (at >= header->end || code->lexemes.items[at].kind != SC_LEXEME_NAME)
        return SC_NONE;
    const struct sc_lexeme *name = &code->lexemes.items[at];
    return sc_intern_find(&code->texts, code->text + name->start, name->end - name->start);
}

void sc_code_done(struct sc_code *code)
{
    sc_vec_done(&code->lexemes);
    sc_vec_done(&code->matches);
    sc_vec_done(&code->around);
    sc_vec_done(&code->loops);
    sc_vec_done(&code->statements);
    sc_vec_done(&code->bindings);
    sc_vec_done(&code->declared);
    sc_vec_done(&code->aliases);
    sc_vec_done(&code->calls);
    sc_intern_done(&code->texts);
    *code = (struct sc_code){0};
}
