/*
 * render/text.h - bytes of unknown origin as text that is safe and of known width in a terminal.
 *
 * Source lines, file names and thread names come from a program or from a foreign profile. What
 * reaches the terminal is printable: control characters and escape sequences become pictures of
 * themselves, bytes that are not UTF-8 and characters that reorder text become U+FFFD, tabs become
 * spaces. Widths are those of wcwidth() in the process's locale.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum { SC_TAB_STOP = 4 };

/* One character as it is shown. */
struct sc_glyph {
    char bytes[8]; /* NUL terminated; "" for what is left out */
    size_t width;  /* terminal columns */
    size_t used;   /* bytes of the input */
};

/* The next character of a text of length > 0, shown at the given column of its line. Without
 * unicode the result is ASCII. */
struct sc_glyph sc_text_next(const char *bytes, size_t length, size_t column, bool unicode);

/* Columns the text takes when it starts at the given column of its line. */
size_t sc_text_width(const char *bytes, size_t length, size_t column, bool unicode);

/* How many bytes of the text fit into limit columns, and their width. */
size_t sc_text_fit(const char *bytes, size_t length, size_t column, size_t limit, bool unicode,
                   size_t *ret_width);
