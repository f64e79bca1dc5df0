/*
 * render/screen.h - the abilities of the terminal or file that a text is written to, and writing it
 * there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "render/render.h"

struct sc_screen {
    bool is_terminal;
    unsigned height; /* lines; 0 when not a terminal */
    struct sc_render_options rendering;
};

/* Looks at a descriptor (-1: a file that is written later) and the environment: COLUMNS where there
 * is no terminal to ask, NO_COLOR, FORCE_COLOR, TERM, the locale. Sets the process's character type
 * locale, on which the widths of characters depend. */
struct sc_screen sc_screen_of(int fd);

/* Whether to write colours, by is_terminal and the environment alone. variable is getenv or the
 * like and may return NULL. */
bool sc_screen_color(bool is_terminal, const char *(*variable)(const char *name));

/* Writes the text to the descriptor, through a pager when it is a terminal too low for the text:
 * $SCALENE_PAGER, $PAGER, else less where it is installed and TERM is not "dumb" or unset; an empty
 * one or "cat" means none. A reader that stops reading is no error. */
bool sc_screen_show(const struct sc_screen *screen, int fd, const struct sc_str *text,
                    struct sc_err *err);
