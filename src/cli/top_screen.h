/*
 * cli/top_screen.h - a terminal that is drawn on and read key by key, by ncurses: all that knows
 * its functions.
 *
 * There is one screen at a time. However the process ends, but for SIGKILL, the terminal is as it
 * was before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Keys that are no characters. */
enum sc_top_key {
    SC_TOP_NONE = -1, /* no key was pressed */
    SC_TOP_RESIZED = 0x110000,
    SC_TOP_UP,
    SC_TOP_DOWN,
    SC_TOP_LEFT,
    SC_TOP_RIGHT,
    SC_TOP_PAGE_UP,
    SC_TOP_PAGE_DOWN,
    SC_TOP_HOME,
    SC_TOP_END,
    SC_TOP_BACK_TAB,
    SC_TOP_ERASE,
    SC_TOP_ENTER,
    SC_TOP_ESCAPE,
};

/* Takes the terminal of standard output. False when there is none that can be drawn on. To be
 * called after signals are caught, as ncurses catches those that are not. */
bool sc_top_screen_open(bool color);

/* Gives the terminal back; nothing when it was not taken. */
void sc_top_screen_close(void);

void sc_top_screen_size(unsigned *ret_width, unsigned *ret_height);

/* Draws text that render/paint.h has written: lines, the first one at the top. */
void sc_top_screen_show(const char *text);

/* Waits for a key: a character (Unicode) or enum sc_top_key. */
int sc_top_screen_key(int wait_ms);
