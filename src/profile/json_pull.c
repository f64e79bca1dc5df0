/* profile/json_pull.c - see json_pull.h. SPDX-License-Identifier: Apache-2.0 */
#include "profile/json_pull.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"

#define DEPTH_LIMIT 64U

/* A number needs no more characters. */
#define NUMBER_LENGTH_LIMIT 400U

/* Whole numbers below 2^53 and powers of ten up to 10^22 are exact in a double, and so is the
 * rounding of their quotient. */
#define EXACT_DIGITS 15

static const double powers_of_ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

struct sc_json_pull sc_json_pull_of(const char *text, size_t length)
{
    return (struct sc_json_pull){.at = text, .end = text + length, .text = text};
}

/* fault: what was expected, or is not allowed, at the next byte. */
static bool fail(struct sc_json_pull *pull, const char *fault)
{
    if (!pull->failed) {
        pull->fault = fault;
        pull->fault_at = pull->at;
    }
    pull->failed = true;
    pull->at = pull->end;
    return false;
}

bool sc_json_pull_explain(const struct sc_json_pull *pull, struct sc_err *err)
{
    size_t line = 1;
    const char *begin = pull->text;
    for (const char *at = begin; at < pull->fault_at; at++) {
        if (*at == '\n') {
            line++;
            begin = at + 1;
        }
    }
    return sc_fail(err, SC_ERR_FAILED, "not JSON: line %zu, column %zu: %s", line,
                   (size_t)(pull->fault_at - begin) + 1, pull->fault);
}

bool sc_json_pull_end(struct sc_json_pull *pull)
{
    (void)sc_json_pull_peek(pull);
    if (!pull->failed && pull->at < pull->end)
        return fail(pull, "nothing more expected");
    return !pull->failed;
}

char sc_json_pull_peek(struct sc_json_pull *pull)
{
    while (pull->at < pull->end &&
           (*pull->at == ' ' || *pull->at == '\n' || *pull->at == '\t' || *pull->at == '\r'))
        pull->at++;
    return pull->at < pull->end ? *pull->at : '\0';
}

static bool take(struct sc_json_pull *pull, char byte)
{
    if (sc_json_pull_peek(pull) != byte)
        return false;
    pull->at++;
    return true;
}

bool sc_json_pull_list(struct sc_json_pull *pull)
{
    if (!take(pull, '['))
        return fail(pull, "'[' expected");
    return !take(pull, ']');
}

bool sc_json_pull_item(struct sc_json_pull *pull)
{
    if (take(pull, ','))
        return true;
    return take(pull, ']') ? false : fail(pull, "',' or ']' expected");
}

enum { PLAIN, QUOTE, ESCAPE, CONTROL };

/* What the bytes of a string are. */
#define CONTROLS(from)                                                                             \
    [from] = CONTROL, [(from) + 1] = CONTROL, [(from) + 2] = CONTROL, [(from) + 3] = CONTROL
static const unsigned char byte_kinds[256] = {
    CONTROLS(0),  CONTROLS(4),  CONTROLS(8),  CONTROLS(12),  CONTROLS(16),
    CONTROLS(20), CONTROLS(24), CONTROLS(28), ['"'] = QUOTE, ['\\'] = ESCAPE,
};

/* Passes over the escape at pull->at. */
static bool pass_escape(struct sc_json_pull *pull)
{
    bool is_point = sc_hex_escape(pull->at, pull->end) >= 0;
    bool is_short = !is_point && pull->end - pull->at >= 2 && pull->at[1] != '\0' &&
                    strchr("\"\\/bfnrt", pull->at[1]) != NULL;
    pull->at += is_point ? 6 : 2;
    return is_point || is_short;
}

/* The text between the quotes. */
static bool take_string(struct sc_json_pull *pull, struct sc_json_name *ret_string)
{
    if (!take(pull, '"'))
        return fail(pull, "'\"' expected");
    const char *start = pull->at;
    while (pull->at < pull->end) {
        unsigned char byte = (unsigned char)*pull->at;
        if (byte >= 0x80) {
            size_t length = sc_utf8_length(pull->at, (size_t)(pull->end - pull->at));
            if (length == 0)
                return fail(pull, "a string has to be UTF-8");
            pull->at += length;
        } else if (byte_kinds[byte] == PLAIN) {
            pull->at++;
        } else if (byte_kinds[byte] == QUOTE) {
            *ret_string = (struct sc_json_name){start, (size_t)(pull->at - start)};
            pull->at++;
            return true;
        } else {
            const char *at = pull->at;
            if (byte_kinds[byte] == CONTROL || !pass_escape(pull)) {
                pull->at = at;
                return fail(pull, byte_kinds[byte] == CONTROL ? "a control character in a string"
                                                              : "unknown escape sequence");
            }
        }
    }
    return fail(pull, "the string has no end");
}

static bool take_key(struct sc_json_pull *pull, struct sc_json_name *ret_name)
{
    if (!take_string(pull, ret_name))
        return false;
    return take(pull, ':') ? true : fail(pull, "':' expected");
}

bool sc_json_pull_object(struct sc_json_pull *pull, struct sc_json_name *ret_name)
{
    if (!take(pull, '{'))
        return fail(pull, "'{' expected");
    return take(pull, '}') ? false : take_key(pull, ret_name);
}

bool sc_json_pull_key(struct sc_json_pull *pull, struct sc_json_name *ret_name)
{
    if (take(pull, ','))
        return take_key(pull, ret_name);
    return take(pull, '}') ? false : fail(pull, "',' or '}' expected");
}

bool sc_json_name_is(const struct sc_json_name *name, const char *text)
{
    return strlen(text) == name->length && memcmp(name->text, text, name->length) == 0;
}

/* Passes over digits; false where there are none. */
static bool pass_digits(struct sc_json_pull *pull)
{
    const char *start = pull->at;
    while (pull->at < pull->end && *pull->at >= '0' && *pull->at <= '9')
        pull->at++;
    return pull->at > start;
}

static bool is_next(const struct sc_json_pull *pull, char byte)
{
    return pull->at < pull->end && *pull->at == byte;
}

bool sc_json_pull_spelt_number(struct sc_json_pull *pull, struct sc_json_name *ret_number)
{
    if (!sc_json_is_number(sc_json_pull_peek(pull)))
        return fail(pull, "a number expected");
    const char *start = pull->at;
    pull->at += *pull->at == '-';
    const char *digits = pull->at;
    if (!pass_digits(pull) || (*digits == '0' && pull->at > digits + 1)) {
        pull->at = start;
        return fail(pull, "malformed number");
    }
    if (is_next(pull, '.')) {
        pull->at++;
        if (!pass_digits(pull))
            return fail(pull, "digits expected");
    }
    if (is_next(pull, 'e') || is_next(pull, 'E')) {
        pull->at++;
        pull->at += is_next(pull, '+') || is_next(pull, '-');
        if (!pass_digits(pull))
            return fail(pull, "digits expected");
    }
    *ret_number = (struct sc_json_name){start, (size_t)(pull->at - start)};
    return true;
}

/* Reads numbers of few digits without an exponent, as nearly all are. */
static bool read_short(const char *text, size_t length, double *ret_number)
{
    uint64_t whole = 0;
    size_t digits = 0;
    size_t fraction = 0;
    size_t i = text[0] == '-' ? 1 : 0;
    bool in_fraction = false;
    for (; i < length; i++) {
        if (text[i] == '.' && !in_fraction) {
            in_fraction = true;
        } else if (text[i] >= '0' && text[i] <= '9') {
            whole = whole * 10 + (uint64_t)(text[i] - '0');
            digits++;
            fraction += in_fraction;
        } else {
            return false;
        }
        if (digits > EXACT_DIGITS)
            return false;
    }
    if (digits == 0)
        return false;
    *ret_number = (double)whole / powers_of_ten[fraction];
    if (text[0] == '-')
        *ret_number = -*ret_number;
    return true;
}

double sc_json_number_of(const struct sc_json_name *spelt)
{
    double number = 0;
    if (read_short(spelt->text, spelt->length, &number))
        return number;
    char text[NUMBER_LENGTH_LIMIT];
    if (spelt->length >= sizeof(text))
        return HUGE_VAL;
    memcpy(text, spelt->text, spelt->length);
    text[spelt->length] = '\0';
    return strtod(text, NULL);
}

static void add_utf8(struct sc_str *text, int32_t point)
{
    char bytes[4];
    sc_str_add_bytes(text, bytes, sc_utf8_write((uint32_t)point, bytes));
}

/* Adds what the escape \uXXXX at text stands for; how many bytes of text it took, 0 if it is none.
 */
static size_t add_point(const char *text, const char *end, struct sc_str *plain)
{
    int32_t point = sc_hex_escape(text, end);
    if (point < 0)
        return 0;
    if (point >= 0xd800 && point <= 0xdbff) {
        int32_t low = sc_hex_escape(text + 6, end);
        if (low >= 0xdc00 && low <= 0xdfff) {
            add_utf8(plain, 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00));
            return 12;
        }
    }
    if (point >= 0xdc80 && point <= 0xdcff)
        sc_str_add_char(plain, (char)(point - 0xdc00));
    else
        add_utf8(plain, point >= 0xd800 && point <= 0xdfff ? 0xfffd : point);
    return 6;
}

/* One escape at text; how many bytes it took, 0 if it is none. */
static size_t add_escape(const char *text, const char *end, struct sc_str *plain)
{
    static const char spelt[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    if (end - text < 2)
        return 0;
    if (text[1] == 'u')
        return add_point(text, end, plain);
    const char *at = text[1] != '\0' ? strchr(spelt, text[1]) : NULL;
    if (at == NULL)
        return 0;
    sc_str_add_char(plain, meant[at - spelt]);
    return 2;
}

bool sc_json_pull_string(struct sc_json_pull *pull, struct sc_str *text)
{
    struct sc_json_name quoted;
    sc_str_clear(text);
    if (sc_json_pull_peek(pull) != '"') {
        sc_json_pull_skip(pull);
        return false;
    }
    if (!take_string(pull, &quoted))
        return false;
    const char *end = quoted.text + quoted.length;
    for (const char *at = quoted.text; at < end;) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        const char *stop = escape != NULL ? escape : end;
        sc_str_add_bytes(text, at, (size_t)(stop - at));
        if (escape == NULL)
            break;
        size_t taken = add_escape(escape, end, text);
        if (taken == 0)
            return fail(pull, "unknown escape sequence");
        at = escape + taken;
    }
    text->length = text->data != NULL ? strlen(text->data) : 0;
    return true;
}

char sc_json_pull_word(struct sc_json_pull *pull)
{
    static const char *const words[] = {"true", "false", "null"};
    char first = sc_json_pull_peek(pull);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(pull->end - pull->at) >= length && memcmp(pull->at, words[i], length) == 0) {
            pull->at += length;
            return first;
        }
    }
    (void)fail(pull, "a value expected");
    return '\0';
}

static void skip(struct sc_json_pull *pull, unsigned levels)
{
    struct sc_json_name name;
    char first = sc_json_pull_peek(pull);
    if ((first == '[' || first == '{') && levels == 0) {
        (void)fail(pull, "nested too deeply");
    } else if (first == '[') {
        for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull))
            skip(pull, levels - 1);
    } else if (first == '{') {
        for (bool more = sc_json_pull_object(pull, &name); more;
             more = sc_json_pull_key(pull, &name))
            skip(pull, levels - 1);
    } else if (first == '"') {
        (void)take_string(pull, &name);
    } else if (sc_json_is_number(first)) {
        (void)sc_json_pull_spelt_number(pull, &name);
    } else {
        (void)sc_json_pull_word(pull);
    }
}

void sc_json_pull_skip(struct sc_json_pull *pull)
{
    skip(pull, DEPTH_LIMIT);
}
