/* assist/complete.c - see complete.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/complete.h"

#include <string.h>

#include "source/code.h"
#include "source/source.h"

struct gaps {
    size_t open;     /* brackets, strings and blocks */
    size_t left_out; /* "..." in the place of code */
    size_t doubled;  /* functions and classes within those of their names */
};

static bool begins_with_dots(const char *text, size_t length)
{
    size_t start = 1; /* behind the # */
    while (start < length && (text[start] == ' ' || text[start] == '\t'))
        start++;
    return length - start >= 3 &&
           (memcmp(text + start, "...", 3) == 0 || memcmp(text + start, "\xe2\x80\xa6", 3) == 0);
}

static void count_comments(const char *text, size_t length, struct gaps *gaps)
{
    SC_AUTO(sc_source_done) struct sc_source source = {0};
    sc_source_init(&source, text, length);
    SC_EACH(const struct sc_source_mark, mark, &source.marks) {
        if (mark->token == SC_TOKEN_COMMENT && begins_with_dots(text + mark->start, mark->length))
            gaps->left_out++;
    }
}

static bool is_open(const struct sc_code *code, uint32_t lexeme, size_t length)
{
    const struct sc_lexeme *at = &code->lexemes.items[lexeme];
    if (at->kind == SC_LEXEME_STRING) /* one of several lines ends with the text */
        return at->end == length && strchr("'\"", code->text[length - 1]) == NULL;
    return code->matches.items[lexeme] == SC_NONE && sc_code_is_one_of(code, lexeme, "( ) [ ] { }");
}

static uint32_t name_at(const struct sc_code *code, uint32_t self)
{
    const struct sc_statement *at = &code->statements.items[self];
    return at->first + (at->is_async ? 2 : 1); /* at the latest, the colon */
}

static bool is_within_itself(const struct sc_code *code, uint32_t self)
{
    const struct sc_statement *statements = code->statements.items;
    enum sc_statement_kind kind = statements[self].kind;
    uint32_t around = statements[self].parent;
    if (kind != SC_STATEMENT_DEF && kind != SC_STATEMENT_CLASS)
        return false;
    while (around != SC_NONE && statements[around].kind != kind)
        around = statements[around].parent;
    return around != SC_NONE && sc_code_is_same(code, name_at(code, self), name_at(code, around));
}

static struct gaps gaps_of(const char *text, size_t length)
{
    struct gaps gaps = {0};
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    sc_code_init(&code, text, length);
    for (uint32_t i = 0; i < code.lexemes.count; i++)
        gaps.open += is_open(&code, i, length);
    for (uint32_t i = 0; i < code.statements.count; i++) {
        const struct sc_statement *at = &code.statements.items[i];
        gaps.open += at->kind != SC_STATEMENT_SIMPLE && at->block_end == i + 1;
        gaps.doubled += is_within_itself(&code, i);
        gaps.left_out += at->kind == SC_STATEMENT_DEF && at->block_end == i + 2 &&
                         sc_code_is(&code, code.statements.items[i + 1].first, "...");
    }
    count_comments(text, length, &gaps);
    return gaps;
}

const char *sc_ai_incomplete(const char *old, size_t old_length, const char *text, size_t length)
{
    struct gaps before = gaps_of(old, old_length);
    struct gaps now = gaps_of(text, length);
    if (now.open > before.open)
        return "the code in the answer is not complete: a bracket, a string or a block is open";
    if (now.left_out > before.left_out)
        return "the code in the answer is not complete: it has \"...\" in the place of code";
    if (now.doubled > before.doubled)
        return "the answer gives more than the lines that it was asked about: the function or "
               "class "
               "around them, too";
    return NULL;
}
