/*
 * profile/json_lists.c - takes long lists of stacks out of a profile's text before it is parsed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/json_pull.h"

/* As deep as lists that are parsed may be. */
#define DEPTH_LIMIT 15

static const char *const keys[SC_JSON_LISTS] = {"stacks", "combined_stacks",
                                                "combined_stacks_timeline", "memory_stacks"};

/* A value that is checked and copied at once. */
struct copying {
    const char *at;
    const char *end;
    char *to;
};

static void pass_blanks(struct copying *copying)
{
    while (copying->at < copying->end && (*copying->at == ' ' || *copying->at == '\n' ||
                                          *copying->at == '\t' || *copying->at == '\r'))
        copying->at++;
}

static char next_byte(struct copying *copying)
{
    pass_blanks(copying);
    return copying->at < copying->end ? *copying->at : '\0';
}

static void copy_byte(struct copying *copying)
{
    *copying->to++ = *copying->at++;
}

/* How many bytes the character at text has, 0 if it is not UTF-8. */
static size_t character_length(const char *text, const char *end)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*text;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || (size_t)(end - text) < length)
        return 0;
    unsigned point = first & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | ((unsigned char)text[i] & 0x3f);
    }
    bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
    return point >= least[length] && point <= 0x10ffff && !is_surrogate ? length : 0;
}

static size_t escape_length(const char *text, const char *end)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    if (end - text < 2 || text[1] == '\0' || strchr("\"\\/bfnrtu", text[1]) == NULL)
        return 0;
    if (text[1] != 'u')
        return 2;
    if (end - text < 6)
        return 0;
    for (int i = 2; i < 6; i++) {
        if (text[i] == '\0' || strchr(digits, text[i]) == NULL)
            return 0;
    }
    return 6;
}

static bool copy_string(struct copying *copying)
{
    copy_byte(copying);
    while (copying->at < copying->end && *copying->at != '"') {
        unsigned char byte = (unsigned char)*copying->at;
        if (byte >= 0x20 && byte < 0x7f && byte != '\\') {
            copy_byte(copying);
            continue;
        }
        size_t length = byte == 0x7f   ? 1
                        : byte == '\\' ? escape_length(copying->at, copying->end)
                        : byte >= 0x80 ? character_length(copying->at, copying->end)
                                       : 0;
        if (length == 0)
            return false;
        memcpy(copying->to, copying->at, length);
        copying->at += length;
        copying->to += length;
    }
    if (copying->at == copying->end)
        return false;
    copy_byte(copying);
    return true;
}

/* At least one digit. */
static bool copy_digits(struct copying *copying)
{
    const char *start = copying->at;
    while (copying->at < copying->end && *copying->at >= '0' && *copying->at <= '9')
        copy_byte(copying);
    return copying->at > start;
}

static bool is_at(const struct copying *copying, char byte)
{
    return copying->at < copying->end && *copying->at == byte;
}

static bool copy_number(struct copying *copying)
{
    if (is_at(copying, '-'))
        copy_byte(copying);
    bool leads_with_zero = is_at(copying, '0');
    const char *start = copying->at;
    if (!copy_digits(copying) || (leads_with_zero && copying->at - start > 1))
        return false;
    if (is_at(copying, '.')) {
        copy_byte(copying);
        if (!copy_digits(copying))
            return false;
    }
    if (is_at(copying, 'e') || is_at(copying, 'E')) {
        copy_byte(copying);
        if (is_at(copying, '+') || is_at(copying, '-'))
            copy_byte(copying);
        return copy_digits(copying);
    }
    return true;
}

static bool copy_word(struct copying *copying)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(copying->end - copying->at) >= length &&
            memcmp(copying->at, words[i], length) == 0) {
            memcpy(copying->to, copying->at, length);
            copying->at += length;
            copying->to += length;
            return true;
        }
    }
    return false;
}

static bool copy_simple(struct copying *copying)
{
    char first = next_byte(copying);
    if (first == '"')
        return copy_string(copying);
    return first == '-' || (first >= '0' && first <= '9') ? copy_number(copying)
                                                          : copy_word(copying);
}

static bool copy_key(struct copying *copying)
{
    if (next_byte(copying) != '"' || !copy_string(copying) || next_byte(copying) != ':')
        return false;
    copy_byte(copying);
    return true;
}

/* One value of any kind, as far as DEPTH_LIMIT. */
static bool copy_value(struct copying *copying)
{
    char closers[DEPTH_LIMIT];
    size_t depth = 0;
    for (;;) {
        char first = next_byte(copying);
        bool is_open = first == '[' || first == '{';
        if (is_open) {
            if (depth == DEPTH_LIMIT)
                return false;
            closers[depth++] = first == '[' ? ']' : '}';
            copy_byte(copying);
            if (next_byte(copying) != closers[depth - 1]) {
                if (first == '{' && !copy_key(copying))
                    return false;
                continue;
            }
        } else if (!copy_simple(copying)) {
            return false;
        }
        while (depth > 0 && next_byte(copying) == closers[depth - 1]) {
            copy_byte(copying);
            depth--;
        }
        if (depth == 0)
            return true;
        if (next_byte(copying) != ',')
            return false;
        copy_byte(copying);
        if (closers[depth - 1] == '}' && !copy_key(copying))
            return false;
    }
}

/* The list between start and end as checked text, or NULL. */
static char *copy_list(const char *start, const char *end)
{
    char *copy = sc_alloc((size_t)(end - start) + 1, 1);
    struct copying copying = {start, end, copy};
    if (copy_value(&copying) && copying.at == end) {
        *copying.to = '\0';
        return copy;
    }
    free(copy);
    return NULL;
}

static int key_of(const struct sc_json_name *name)
{
    for (int i = 0; i < SC_JSON_LISTS; i++) {
        if (sc_json_name_is(name, keys[i]))
            return i;
    }
    return -1;
}

/* Whether a list was taken, or left in its place because it is short. */
static bool pass_value(struct sc_json_pull *pull, int key, size_t least_bytes,
                       struct sc_json_lists *lists, const char **copied, struct sc_str *rest)
{
    char first = sc_json_pull_peek(pull);
    const char *start = pull->at;
    sc_json_pull_skip(pull);
    if (pull->failed)
        return false;
    if (key < 0 || first != '[' || (size_t)(pull->at - start) < least_bytes)
        return true;
    free(lists->texts[key]); /* of a key that is there twice the last counts */
    lists->texts[key] = copy_list(start, pull->at);
    sc_str_add_bytes(rest, *copied, (size_t)(start - *copied));
    sc_str_add(rest, "[]");
    *copied = pull->at;
    return lists->texts[key] != NULL;
}

bool sc_json_take_lists(const char *text, size_t length, size_t least_bytes,
                        struct sc_json_lists *ret_lists, struct sc_str *ret_rest)
{
    struct sc_json_lists lists = {0};
    struct sc_str rest = {0};
    struct sc_json_pull pull = sc_json_pull_of(text, length);
    struct sc_json_name name;
    const char *copied = text;
    bool is_good = length > least_bytes && sc_json_pull_peek(&pull) == '{';
    if (is_good) {
        for (bool more = sc_json_pull_object(&pull, &name); more && is_good;
             more = is_good && sc_json_pull_key(&pull, &name))
            is_good = pass_value(&pull, key_of(&name), least_bytes, &lists, &copied, &rest);
    }
    if (!is_good || pull.failed || copied == text) {
        sc_json_lists_done(&lists);
        sc_str_done(&rest);
        return false;
    }
    sc_str_add_bytes(&rest, copied, (size_t)(text + length - copied));
    *ret_lists = lists;
    *ret_rest = rest;
    return true;
}

void sc_json_lists_done(struct sc_json_lists *lists)
{
    for (int i = 0; i < SC_JSON_LISTS; i++) {
        free(lists->texts[i]);
        lists->texts[i] = NULL;
    }
}
