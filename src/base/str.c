/* base/str.c - see str.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void make_room(struct sc_str *str, size_t more)
{
    size_t needed = str->length + more + 1;
    if (needed <= str->capacity)
        return;
    size_t capacity = str->capacity ? str->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    str->data = sc_realloc(str->data, capacity, 1);
    str->capacity = capacity;
}

void sc_str_reserve(struct sc_str *str, size_t more)
{
    make_room(str, more);
}

void sc_str_add_bytes(struct sc_str *str, const char *bytes, size_t length)
{
    make_room(str, length);
    if (length > 0)
        memcpy(str->data + str->length, bytes, length);
    str->length += length;
    str->data[str->length] = '\0';
}

void sc_str_add(struct sc_str *str, const char *text)
{
    sc_str_add_bytes(str, text, strlen(text));
}

void sc_str_add_char(struct sc_str *str, char byte)
{
    sc_str_add_bytes(str, &byte, 1);
}

void sc_str_add_format(struct sc_str *str, const char *format, ...)
{
    make_room(str, 0);
    size_t room = str->capacity - str->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(str->data + str->length, room, format, arguments);
    va_end(arguments);
    if (length < 0) {
        str->data[str->length] = '\0';
        return;
    }
    if ((size_t)length >= room) {
        make_room(str, (size_t)length);
        va_start(arguments, format);
        (void)vsnprintf(str->data + str->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    str->length += (size_t)length;
}

void sc_str_add_encoded(struct sc_str *str, const char *text, const char *also_plain)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    for (; *text != '\0'; text++) {
        if (strchr(plain, *text) != NULL || strchr(also_plain, *text) != NULL)
            sc_str_add_char(str, *text);
        else
            sc_str_add_format(str, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

void sc_str_clear(struct sc_str *str)
{
    str->length = 0;
    if (str->data != NULL)
        str->data[0] = '\0';
}

void sc_str_done(struct sc_str *str)
{
    free(str->data);
    *str = (struct sc_str){0};
}

const char *sc_str_text(const struct sc_str *str)
{
    return str->data ? str->data : "";
}

char *sc_str_take(struct sc_str *str)
{
    char *text = str->data != NULL ? str->data : sc_strdup("");
    *str = (struct sc_str){0};
    return text;
}

const char *sc_after_last(const char *text, char character)
{
    const char *last = strrchr(text, character);
    return last != NULL ? last + 1 : text;
}

bool sc_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool sc_ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text);
    size_t wanted = strlen(suffix);
    return length >= wanted && memcmp(text + length - wanted, suffix, wanted) == 0;
}

char *sc_shell_word(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    struct sc_str word = {0};
    size_t at = strspn(text, plain);
    while ((unsigned char)text[at] >= 0x80) /* letters of other languages */
        at += 1 + strspn(text + at + 1, plain);
    if (text[0] != '\0' && text[at] == '\0')
        return sc_strdup(text);
    sc_str_add_char(&word, '\'');
    for (const char *byte = text; *byte != '\0'; byte++) {
        if (*byte == '\'')
            sc_str_add(&word, "'\\'");
        sc_str_add_char(&word, *byte);
    }
    sc_str_add_char(&word, '\'');
    return sc_str_take(&word);
}

const char *sc_next_word(const char *text, size_t *ret_length)
{
    text += strspn(text, " ");
    *ret_length = strcspn(text, " ");
    return *ret_length > 0 ? text : NULL;
}

bool sc_is_one_of(const char *word, size_t length, const char *words)
{
    size_t size = 0;
    for (; (words = sc_next_word(words, &size)) != NULL; words += size)
        if (size == length && memcmp(words, word, size) == 0)
            return true;
    return false;
}

bool sc_is_among(const char *text, const char *words)
{
    return sc_is_one_of(text, strlen(text), words);
}

bool sc_starts_with_any(const char *text, const char *words)
{
    size_t size = 0;
    for (; (words = sc_next_word(words, &size)) != NULL; words += size)
        if (strncmp(text, words, size) == 0)
            return true;
    return false;
}

bool sc_ends_with_any(const char *text, const char *words)
{
    size_t size = 0;
    size_t length = strlen(text);
    for (; (words = sc_next_word(words, &size)) != NULL; words += size)
        if (size <= length && memcmp(text + length - size, words, size) == 0)
            return true;
    return false;
}

bool sc_holds_any(const char *text, const char *words)
{
    size_t size = 0;
    for (; (words = sc_next_word(words, &size)) != NULL; words += size)
        if (memmem(text, strlen(text), words, size) != NULL)
            return true;
    return false;
}
