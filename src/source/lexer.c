/*
 * source/lexer.c - cuts Python text into lexemes.
 *
 * Follows the lexical analysis chapter of the Python reference
 * (https://docs.python.org/3/reference/lexical_analysis.html).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/lexer.h"

#include <string.h>

#include "source/literal.h"
#include "source/words.h"

#define TAB_COLUMNS 8

void sc_lexer_init(struct sc_lexer *lexer, const char *text, size_t length)
{
    *lexer = (struct sc_lexer){.text = text,
                               .length = length < UINT32_MAX ? length : UINT32_MAX,
                               .fresh = true,
                               .empty = true,
                               .inner_line = SIZE_MAX};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        lexer->at = 3;
}

void sc_lexer_done(struct sc_lexer *lexer)
{
    sc_vec_done(&lexer->literals);
}

bool sc_lexeme_is(const struct sc_lexer *lexer, const struct sc_lexeme *lexeme, const char *text)
{
    size_t length = strlen(text);
    return lexeme->end - lexeme->start == length &&
           memcmp(lexer->text + lexeme->start, text, length) == 0;
}

static unsigned char byte_at(const struct sc_lexer *lexer, size_t at)
{
    return at < lexer->length ? (unsigned char)lexer->text[at] : 0;
}

static bool is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool begins_name(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           byte >= 0x80;
}

static bool is_newline_at(const struct sc_lexer *lexer, size_t at)
{
    return at < lexer->length && (lexer->text[at] == '\n' || lexer->text[at] == '\r');
}

/* A backslash at the end of a line joins it with the next. */
static bool skip_joined_lines(struct sc_lexer *lexer)
{
    if (byte_at(lexer, lexer->at) != '\\' || !is_newline_at(lexer, lexer->at + 1))
        return false;
    lexer->at++;
    sc_lexer_skip_newline(lexer);
    lexer->inner_line = SIZE_MAX;
    return true;
}

/* The width of the blanks at the begin of a line. Of joined lines the first width counts. */
static void measure_indentation(struct sc_lexer *lexer)
{
    uint32_t column = 0;
    uint32_t first = 0;
    for (;; lexer->at++) {
        while (skip_joined_lines(lexer)) {
            if (first == 0)
                first = column;
        }
        unsigned char byte = byte_at(lexer, lexer->at);
        if (byte == ' ')
            column++;
        else if (byte == '\t')
            column = (column / TAB_COLUMNS + 1) * TAB_COLUMNS;
        else if (byte == '\f')
            column = 0;
        else
            break;
    }
    lexer->column = first ? first : column;
    lexer->fresh = false;
}

static void skip_blanks(struct sc_lexer *lexer)
{
    for (;;) {
        unsigned char byte = byte_at(lexer, lexer->at);
        if (byte == ' ' || byte == '\t' || byte == '\f')
            lexer->at++;
        else if (!skip_joined_lines(lexer))
            return;
    }
}

/* Digits of a base with underscores between them. */
static void skip_digits(struct sc_lexer *lexer, bool hexadecimal)
{
    for (;;) {
        size_t at = lexer->at;
        if (byte_at(lexer, at) == '_')
            at++;
        unsigned char byte = byte_at(lexer, at);
        unsigned char lower = byte | 0x20;
        if (!is_digit(byte) && !(hexadecimal && lower >= 'a' && lower <= 'f'))
            return;
        lexer->at = at + 1;
    }
}

static void take_number(struct sc_lexer *lexer)
{
    unsigned char base = byte_at(lexer, lexer->at + 1) | 0x20;
    if (byte_at(lexer, lexer->at) == '0' && (base == 'x' || base == 'o' || base == 'b')) {
        lexer->at += 2;
        skip_digits(lexer, base == 'x');
        return;
    }
    skip_digits(lexer, false);
    if (byte_at(lexer, lexer->at) == '.') {
        lexer->at++;
        skip_digits(lexer, false);
    }
    if ((byte_at(lexer, lexer->at) | 0x20) == 'e') {
        unsigned char sign = byte_at(lexer, lexer->at + 1);
        size_t digits = lexer->at + (sign == '+' || sign == '-' ? 2 : 1);
        if (is_digit(byte_at(lexer, digits))) {
            lexer->at = digits;
            skip_digits(lexer, false);
        }
    }
    if ((byte_at(lexer, lexer->at) | 0x20) == 'j')
        lexer->at++;
}

/* Bytes of the operator at the current byte, 0 when there is none. */
static size_t operator_length(const struct sc_lexer *lexer)
{
    unsigned char first = byte_at(lexer, lexer->at);
    unsigned char second = byte_at(lexer, lexer->at + 1);
    unsigned char third = byte_at(lexer, lexer->at + 2);
    if (first == 0)
        return 0;
    if (first == '.')
        return second == '.' && third == '.' ? 3 : 1;
    if (strchr("*/<>", first) != NULL && second == first)
        return third == '=' ? 3 : 2;
    if (strchr("+-*/%@&|^<>=!:", first) != NULL && second == '=')
        return 2;
    if ((first == '-' && second == '>') || (first == '<' && second == '>'))
        return 2;
    return strchr("+-*/%@&|^~<>()[]{},:;=", first) != NULL ? 1 : 0;
}

/* In a replacement field, outside its brackets, "}" ends the field, and ":" or "!" its
 * expression. */
static bool take_field_end(struct sc_lexer *lexer)
{
    struct sc_literal *top = sc_literal_top(lexer);
    if (top == NULL || lexer->depth != top->base_depth)
        return false;
    unsigned char byte = byte_at(lexer, lexer->at);
    if (byte == '}')
        lexer->literals.count--;
    else if (byte == ':')
        top->mode = SC_LITERAL_SPEC;
    else if (byte != '!' || byte_at(lexer, lexer->at + 1) == '=')
        return false;
    lexer->at++;
    return true;
}

static void take_operator(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme)
{
    ret_lexeme->kind = SC_LEXEME_OPERATOR;
    if (take_field_end(lexer))
        return;
    unsigned char byte = byte_at(lexer, lexer->at);
    size_t length = operator_length(lexer);
    const struct sc_literal *top = sc_literal_top(lexer);
    uint32_t floor = top ? top->base_depth : 0;
    if (length == 0) {
        ret_lexeme->kind = SC_LEXEME_JUNK;
        length = 1;
    } else if (byte == '(' || byte == '[' || byte == '{') {
        lexer->depth++;
        ret_lexeme->nested = true;
    } else if ((byte == ')' || byte == ']' || byte == '}') && lexer->depth > floor) {
        lexer->depth--;
    }
    lexer->at += length;
}

static void take_word(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme)
{
    size_t start = lexer->at;
    while (begins_name(byte_at(lexer, lexer->at)) || is_digit(byte_at(lexer, lexer->at)))
        lexer->at++;
    ret_lexeme->kind = SC_LEXEME_NAME;
    unsigned char next = byte_at(lexer, lexer->at);
    if (next != '"' && next != '\'')
        return;
    struct sc_literal_prefix prefix = sc_literal_prefix_of(lexer->text + start, lexer->at - start);
    if (prefix.valid) {
        ret_lexeme->kind = SC_LEXEME_STRING;
        sc_literal_begin(lexer, prefix);
    }
}

/* A line inside brackets that begins with the word of a statement: the brackets were never closed.
 * Gives them up and goes back to the begin of the line. */
static bool give_up_brackets(struct sc_lexer *lexer)
{
    size_t end = lexer->at;
    if (lexer->inner_line == SIZE_MAX)
        return false;
    while (begins_name(byte_at(lexer, end)) || is_digit(byte_at(lexer, end)))
        end++;
    if (!sc_word_begins_statement(sc_word_of(lexer->text + lexer->at, end - lexer->at)))
        return false;
    lexer->at = lexer->inner_line;
    lexer->depth = 0;
    lexer->literals.count = 0;
    return true;
}

static void end_statement_line(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme)
{
    ret_lexeme->kind = SC_LEXEME_NEWLINE;
    lexer->fresh = true;
    lexer->empty = true;
    lexer->inner_line = SIZE_MAX;
}

/* Steps over blanks and newlines up to the next lexeme; comments are lexemes. Returns true when
 * that is the end of a statement line or of the text, which is then taken. */
static bool skip_to_lexeme(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme)
{
    for (;;) {
        if (lexer->fresh)
            measure_indentation(lexer);
        skip_blanks(lexer);
        bool nested = lexer->depth > 0 || lexer->literals.count > 0;
        ret_lexeme->start = lexer->at;
        ret_lexeme->first_line = lexer->line;
        if (lexer->at >= lexer->length) {
            ret_lexeme->kind = SC_LEXEME_END;
            if (!lexer->empty)
                end_statement_line(lexer, ret_lexeme);
            return true;
        }
        if (!is_newline_at(lexer, lexer->at)) {
            if (!nested || !give_up_brackets(lexer))
                return false;
            end_statement_line(lexer, ret_lexeme);
            return true;
        }
        sc_lexer_skip_newline(lexer);
        if (nested) {
            lexer->inner_line = lexer->at;
        } else if (lexer->empty) {
            lexer->fresh = true;
        } else {
            end_statement_line(lexer, ret_lexeme);
            return true;
        }
    }
}

static void take_lexeme(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme)
{
    unsigned char byte = byte_at(lexer, lexer->at);
    if (byte == '#') {
        ret_lexeme->kind = SC_LEXEME_COMMENT;
        while (lexer->at < lexer->length && !is_newline_at(lexer, lexer->at))
            lexer->at++;
        return;
    }
    if (begins_name(byte)) {
        take_word(lexer, ret_lexeme);
    } else if (is_digit(byte) || (byte == '.' && is_digit(byte_at(lexer, lexer->at + 1)))) {
        ret_lexeme->kind = SC_LEXEME_NUMBER;
        take_number(lexer);
    } else if (byte == '"' || byte == '\'') {
        ret_lexeme->kind = SC_LEXEME_STRING;
        sc_literal_begin(lexer, (struct sc_literal_prefix){.valid = true});
    } else {
        take_operator(lexer, ret_lexeme);
    }
    lexer->empty = false;
    lexer->inner_line = SIZE_MAX;
}

void sc_lexer_next(struct sc_lexer *lexer, struct sc_lexeme *ret_lexeme)
{
    const struct sc_literal *top = sc_literal_top(lexer);
    *ret_lexeme = (struct sc_lexeme){.start = lexer->at, .first_line = lexer->line, .nested = true};
    bool taken = top != NULL && top->mode != SC_LITERAL_FIELD && sc_literal_next(lexer, ret_lexeme);
    if (!taken) {
        taken = skip_to_lexeme(lexer, ret_lexeme);
        ret_lexeme->nested = lexer->depth > 0 || lexer->literals.count > 0;
    }
    if (!taken)
        take_lexeme(lexer, ret_lexeme);
    ret_lexeme->end = lexer->at;
    ret_lexeme->last_line = lexer->line;
    /* the line behind a newline is not part of a string that ends with it; it may not even exist */
    if (ret_lexeme->kind == SC_LEXEME_STRING && lexer->at > ret_lexeme->start &&
        is_newline_at(lexer, lexer->at - 1))
        ret_lexeme->last_line--;
    ret_lexeme->column = lexer->column;
}
