/*
 * source/literal.c - strings: plain ones whole, formatted ones in parts.
 *
 * A formatted string is a stack: its text, a field in the text, the field's format, a field in the
 * format, a string in that field, and so on. The stack is limited; beyond it fields are text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/literal.h"

/* Python itself stops at 150 formatted strings in each other. */
#define DEPTH_LIMIT 600

struct sc_literal_prefix sc_literal_prefix_of(const char *name, size_t length)
{
    struct sc_literal_prefix none = {0};
    struct sc_literal_prefix prefix = {.valid = true};
    unsigned seen = 0;
    if (length > 2)
        return none;
    for (size_t i = 0; i < length; i++) {
        unsigned bit = 0;
        switch (name[i] | 0x20) {
        case 'r':
            bit = 1;
            prefix.raw = true;
            break;
        case 'f':
        case 't':
            bit = 2;
            prefix.formatted = true;
            break;
        case 'b':
        case 'u':
            bit = 2;
            break;
        default:
            return none;
        }
        if (seen & bit)
            return none;
        seen |= bit;
    }
    return prefix;
}

struct sc_literal *sc_literal_top(const struct sc_lexer *lexer)
{
    return lexer->literals.count > 0 ? &lexer->literals.items[lexer->literals.count - 1] : NULL;
}

static bool is_newline(const struct sc_lexer *lexer)
{
    return lexer->text[lexer->at] == '\n' || lexer->text[lexer->at] == '\r';
}

/* Whether the closing quotes stand at the current byte. */
static bool at_quotes(const struct sc_lexer *lexer, char quote, bool triple)
{
    const char *text = lexer->text + lexer->at;
    size_t left = lexer->length - lexer->at;
    if (text[0] != quote)
        return false;
    return !triple || (left >= 3 && text[1] == quote && text[2] == quote);
}

/* Steps over a backslash and what it escapes; braces keep their meaning in formatted strings. */
static void skip_escape(struct sc_lexer *lexer, const struct sc_literal *formatted)
{
    lexer->at++;
    if (lexer->at >= lexer->length)
        return;
    char escaped = lexer->text[lexer->at];
    if (is_newline(lexer)) {
        sc_lexer_skip_newline(lexer);
        return;
    }
    if (formatted != NULL && (escaped == '{' || escaped == '}'))
        return;
    lexer->at++;
    if (formatted == NULL || formatted->raw || escaped != 'N' || lexer->at >= lexer->length ||
        lexer->text[lexer->at] != '{')
        return;
    /* \N{NAME OF A CHARACTER} is no field */
    while (lexer->at < lexer->length && !is_newline(lexer) &&
           lexer->text[lexer->at] != formatted->quote) {
        if (lexer->text[lexer->at++] == '}')
            return;
    }
}

static void skip_plain(struct sc_lexer *lexer, char quote, bool triple)
{
    while (lexer->at < lexer->length) {
        if (at_quotes(lexer, quote, triple)) {
            lexer->at += triple ? 3 : 1;
            return;
        }
        if (lexer->text[lexer->at] == '\\') {
            skip_escape(lexer, NULL);
        } else if (is_newline(lexer)) {
            if (!triple)
                return;
            sc_lexer_skip_newline(lexer);
        } else {
            lexer->at++;
        }
    }
}

void sc_literal_begin(struct sc_lexer *lexer, struct sc_literal_prefix prefix)
{
    char quote = lexer->text[lexer->at];
    bool triple = at_quotes(lexer, quote, true);
    lexer->at += triple ? 3 : 1;
    if (prefix.formatted && lexer->literals.count < DEPTH_LIMIT) {
        sc_vec_push(&lexer->literals, (struct sc_literal){.mode = SC_LITERAL_TEXT,
                                                          .quote = quote,
                                                          .triple = triple,
                                                          .raw = prefix.raw,
                                                          .base_depth = lexer->depth});
    } else {
        skip_plain(lexer, quote, triple);
    }
}

/* Leaves the innermost formatted string with all fields that are open in it. */
static void leave(struct sc_lexer *lexer)
{
    while (lexer->literals.count > 0) {
        struct sc_literal *top = &lexer->literals.items[--lexer->literals.count];
        lexer->depth = top->base_depth;
        if (top->mode == SC_LITERAL_TEXT)
            return;
    }
}

static bool enter_field(struct sc_lexer *lexer)
{
    if (lexer->literals.count >= DEPTH_LIMIT)
        return false;
    struct sc_literal field = *sc_literal_top(lexer);
    field.mode = SC_LITERAL_FIELD;
    field.base_depth = lexer->depth;
    sc_vec_push(&lexer->literals, field);
    return true;
}

/* The current byte is a brace. Returns false when it is a lexeme of its own; else it is stepped
 * over as text. */
static bool skip_brace(struct sc_lexer *lexer, enum sc_literal_mode mode)
{
    char brace = lexer->text[lexer->at];
    bool doubled = lexer->at + 1 < lexer->length && lexer->text[lexer->at + 1] == brace;
    if (mode == SC_LITERAL_TEXT && doubled) {
        lexer->at += 2;
        return true;
    }
    if (mode == SC_LITERAL_TEXT && brace == '}') {
        lexer->at++;
        return true;
    }
    if (brace == '{' && lexer->literals.count >= DEPTH_LIMIT) {
        lexer->at++;
        return true;
    }
    return false;
}

static void take_brace(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme)
{
    ret_lexeme->kind = SC_LEXEME_OPERATOR;
    if (lexer->text[lexer->at] == '{')
        (void)enter_field(lexer);
    else
        lexer->literals.count--; /* the field whose format ends here */
    lexer->at++;
}

/* A newline in a string that must end on its line: ends the string, or only the format behind the
 * colon of a field. */
static void break_line(struct sc_lexer *lexer)
{
    struct sc_literal *top = sc_literal_top(lexer);
    if (top->mode == SC_LITERAL_SPEC)
        top->mode = SC_LITERAL_FIELD;
    else
        leave(lexer);
}

bool sc_literal_next(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme)
{
    struct sc_literal literal = *sc_literal_top(lexer);
    size_t start = lexer->at;
    ret_lexeme->kind = SC_LEXEME_STRING;
    while (lexer->at < lexer->length) {
        char byte = lexer->text[lexer->at];
        if (at_quotes(lexer, literal.quote, literal.triple)) {
            lexer->at += literal.triple ? 3 : 1;
            leave(lexer);
            return true;
        }
        if (byte == '\\') {
            skip_escape(lexer, &literal);
        } else if (is_newline(lexer)) {
            if (!literal.triple) {
                break_line(lexer);
                return lexer->at > start;
            }
            sc_lexer_skip_newline(lexer);
        } else if (byte == '{' || byte == '}') {
            if (skip_brace(lexer, literal.mode))
                continue;
            if (lexer->at == start)
                take_brace(lexer, ret_lexeme);
            return true;
        } else {
            lexer->at++;
        }
    }
    leave(lexer);
    return lexer->at > start;
}
