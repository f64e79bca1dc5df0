/*
 * render/live.h - what a program does now, as a screen of text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "report/live.h"

/* What the reader of the screen has chosen. */
struct sc_live_screen {
    unsigned width;  /* columns; fewer than are needed for the least are taken as they are */
    unsigned height; /* lines; 0: as many as there are rows */
    bool color;
    bool unicode;
    enum sc_live_view view;
    enum sc_live_number sort;
    const char *filter; /* NULL: all rows */
    bool is_paused;
    size_t first;        /* the first row that is shown */
    const char *message; /* the last line; NULL: none */
};

/* Adds the screen to ret_text: lines that each end in a newline, at most height, none wider than
 * width. ret_rows, which may be NULL, is how many rows there are. */
void sc_render_live(const struct sc_live *live, const struct sc_live_screen *screen,
                    struct sc_str *ret_text, size_t *ret_rows);

/* Adds texts as such a screen, one line each: the last ones that fit. */
void sc_render_live_texts(const char *texts, const struct sc_live_screen *screen,
                          struct sc_str *ret_text);

/* How many lines of a screen hold rows. */
size_t sc_live_screen_rows(const struct sc_live_screen *screen);

/* The next number that rows can be sorted by, as they are shown from left to right; the last one is
 * followed by the first. */
enum sc_live_number sc_live_screen_next(const struct sc_live *live,
                                        const struct sc_live_screen *screen, bool to_right);
