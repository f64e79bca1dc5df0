/* base/json_out.c - see json_out.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define INDENT 4

static void new_line(struct sc_json_out *out)
{
    static const char blanks[] = "                                ";
    if (out->is_compact)
        return;
    sc_str_add_char(out->text, '\n');
    for (size_t left = (size_t)out->depth * INDENT; left > 0;) {
        size_t now = left < sizeof(blanks) - 1 ? left : sizeof(blanks) - 1;
        sc_str_add_bytes(out->text, blanks, now);
        left -= now;
    }
}

void sc_json_item(struct sc_json_out *out)
{
    if (out->has_key || out->depth == 0)
        return;
    if (out->has_items)
        sc_str_add_char(out->text, ',');
    out->has_items = true;
    out->has_key = true;
    new_line(out);
}

/* Where the next value goes. */
static struct sc_str *value(struct sc_json_out *out)
{
    sc_json_item(out);
    out->has_key = false;
    return out->text;
}

void sc_json_begin(struct sc_json_out *out, char bracket)
{
    sc_str_add_char(value(out), bracket);
    out->depth++;
    out->has_items = false;
}

void sc_json_end(struct sc_json_out *out, char bracket)
{
    out->depth--;
    if (out->has_items)
        new_line(out);
    sc_str_add_char(out->text, bracket);
    out->has_items = true;
}

void sc_json_key(struct sc_json_out *out, const char *key)
{
    sc_json_string(out, key);
    sc_str_add(out->text, out->is_compact ? ":" : ": ");
    out->has_key = true;
}

void sc_json_begin_under(struct sc_json_out *out, const char *key, char bracket)
{
    sc_json_key(out, key);
    sc_json_begin(out, bracket);
}

static void add_escaped(struct sc_str *text, unsigned char byte)
{
    switch (byte) {
    case '"':
        sc_str_add_bytes(text, "\\\"", 2);
        break;
    case '\\':
        sc_str_add_bytes(text, "\\\\", 2);
        break;
    case '\n':
        sc_str_add_bytes(text, "\\n", 2);
        break;
    case '\r':
        sc_str_add_bytes(text, "\\r", 2);
        break;
    case '\t':
        sc_str_add_bytes(text, "\\t", 2);
        break;
    default:
        sc_str_add_format(text, "\\u%04x", byte);
    }
}

void sc_json_text(struct sc_json_out *out, const char *text, size_t length)
{
    struct sc_str *to = value(out);
    const char *end = text + length;
    const char *plain = text; /* bytes from here on can be copied as they are */
    sc_str_add_char(to, '"');
    while (text < end) {
        const unsigned char *at = (const unsigned char *)text;
        size_t sequence = sc_utf8_length(text, (size_t)(end - text));
        if (sequence > 0 && *at >= 0x20 && *at != '"' && *at != '\\') {
            text += sequence;
            continue;
        }
        sc_str_add_bytes(to, plain, (size_t)(text - plain));
        if (sequence == 0)
            sc_str_add_format(to, "\\udc%02x", *at);
        else
            add_escaped(to, *at);
        plain = ++text;
    }
    sc_str_add_bytes(to, plain, (size_t)(text - plain));
    sc_str_add_char(to, '"');
}

void sc_json_string(struct sc_json_out *out, const char *text)
{
    sc_json_text(out, text, strlen(text));
}

/* printf writes the decimal point of the locale; JSON knows one only. */
static void add_with_point(struct sc_str *text, const char *digits, bool is_real)
{
    bool has_point = false;
    for (; *digits != '\0'; digits++) {
        if (strchr("0123456789+-e", *digits) != NULL) {
            sc_str_add_char(text, *digits);
            is_real = is_real || *digits == 'e';
        } else if (!has_point) {
            sc_str_add_char(text, '.');
            has_point = is_real = true;
        }
    }
    if (!is_real)
        sc_str_add(text, ".0");
}

static void add_whole(struct sc_str *text, uint64_t number)
{
    char digits[20];
    char *first = digits + sizeof(digits);
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    sc_str_add_bytes(text, first, (size_t)(digits + sizeof(digits) - first));
}

/* Nearly all numbers of a profile are whole millionths, and printf takes ten times as long. Both
 * the quotient and what is read from the digits are the number nearest to it. */
static bool add_millionths(struct sc_str *text, double number)
{
    if (number != 0 && !(number >= 1e-4 && number < 1e9))
        return false;
    uint64_t count = (uint64_t)(number * 1e6 + 0.5);
    if ((double)count / 1e6 != number)
        return false;
    add_whole(text, count / 1000000);
    sc_str_add_char(text, '.');
    uint64_t rest = count % 1000000;
    do {
        sc_str_add_char(text, (char)('0' + rest / 100000));
        rest = rest % 100000 * 10;
    } while (rest != 0);
    return true;
}

void sc_json_number(struct sc_json_out *out, double number)
{
    struct sc_str *to = value(out);
    if (!isfinite(number))
        number = 0;
    if (add_millionths(to, number))
        return;
    char digits[64];
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(digits, sizeof(digits), "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    add_with_point(to, digits, false);
}

void sc_json_rounded(struct sc_json_out *out, double number, int digits)
{
    char text[64];
    struct sc_str *to = value(out);
    if (!isfinite(number) || number == 0) {
        sc_str_add_char(to, '0');
        return;
    }
    (void)snprintf(text, sizeof(text), "%.*g", digits, number);
    add_with_point(to, text, true);
}

void sc_json_count(struct sc_json_out *out, uint64_t count)
{
    if (count > INT64_MAX)
        count = INT64_MAX;
    add_whole(value(out), count);
}

void sc_json_integer(struct sc_json_out *out, int64_t integer)
{
    sc_str_add_format(value(out), "%" PRId64, integer);
}

void sc_json_bool(struct sc_json_out *out, bool truth)
{
    sc_str_add(value(out), truth ? "true" : "false");
}

void sc_json_null(struct sc_json_out *out)
{
    sc_str_add(value(out), "null");
}

void sc_json_text_under(struct sc_json_out *out, const char *key, const char *text)
{
    sc_json_key(out, key);
    if (text != NULL)
        sc_json_string(out, text);
    else
        sc_json_null(out);
}

void sc_json_texts_under(struct sc_json_out *out, const char *key, char *const *texts, size_t count)
{
    sc_json_begin_under(out, key, '[');
    for (size_t i = 0; i < count; i++)
        sc_json_string(out, texts[i]);
    sc_json_end(out, ']');
}

void sc_json_count_under(struct sc_json_out *out, const char *key, uint64_t count)
{
    sc_json_key(out, key);
    sc_json_count(out, count);
}

void sc_json_bool_under(struct sc_json_out *out, const char *key, bool truth)
{
    sc_json_key(out, key);
    sc_json_bool(out, truth);
}
