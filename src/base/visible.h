/*
 * base/visible.h - text from elsewhere, made safe to be shown.
 *
 * What comes from a profile, a program or a service may hold escape sequences for a terminal, and
 * characters that cannot be seen or that change the order in which the others are seen, so that a
 * reader sees other code than what is there. They are replaced by their names: <U+202E>.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum sc_visible {
    SC_VISIBLE_LINE,  /* newlines and tabs are replaced, too */
    SC_VISIBLE_LINES, /* newlines and tabs stay, and a \r before a newline is left out */
};

/* Whether the character changes the order in which others are seen (Unicode's Bidi_Control). */
bool sc_turns_text(uint32_t character);

/* Adds the text (UTF-8, or nearly so: other bytes become <80>). */
void sc_visible_add(struct sc_str *str, const char *text, size_t length, enum sc_visible kind);

/* The same as a new string, which the caller frees. */
char *sc_visible(const char *text);

/* Prints it on stderr as one line, behind a text of our own. */
void sc_visible_say(const char *before, const char *text);

/* The next character of the text that cannot be seen as itself, from *offset on, which moves behind
 * it; 0 when there is none. */
uint32_t sc_next_unseen(const char *text, size_t length, size_t *offset);
