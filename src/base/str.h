/*
 * base/str.h - a growing byte string, always NUL terminated once it has been added to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Initialise with {0}; data is NULL until the first addition. */
struct sc_str {
    char *data;
    size_t length;
    size_t capacity;
};

void sc_str_add_bytes(struct sc_str *str, const char *bytes, size_t length);
void sc_str_add(struct sc_str *str, const char *text);
void sc_str_add_char(struct sc_str *str, char byte);
void sc_str_add_format(struct sc_str *str, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds the text with all but unreserved characters (RFC 3986) and those of also_plain as %XX. */
void sc_str_add_encoded(struct sc_str *str, const char *text, const char *also_plain);

/* Makes room for this many more bytes. */
void sc_str_reserve(struct sc_str *str, size_t more);
void sc_str_clear(struct sc_str *str);
void sc_str_done(struct sc_str *str);

/* The text, "" when nothing was added. Owned by str. */
const char *sc_str_text(const struct sc_str *str);

/* The same, to be freed, and str is empty again. */
char *sc_str_take(struct sc_str *str);

/* What follows the last such character; all of the text where there is none. */
const char *sc_after_last(const char *text, char character);

/* A word as a shell reads it again: as it is, or in quotes. To be freed. */
char *sc_shell_word(const char *text);

/* The next word of a text with blanks between its words, or NULL. */
const char *sc_next_word(const char *text, size_t *ret_length);

/* Whether the word of that length is one of those of such a text; the same for a whole text, for
 * its beginning, its end, and any part of it. */
bool sc_is_one_of(const char *word, size_t length, const char *words);
bool sc_is_among(const char *text, const char *words);
bool sc_starts_with_any(const char *text, const char *words);
bool sc_ends_with_any(const char *text, const char *words);
bool sc_holds_any(const char *text, const char *words);

bool sc_starts_with(const char *text, const char *prefix);
bool sc_ends_with(const char *text, const char *suffix);
