/*
 * cli/top_view.h - what the reader of `scalene top` has chosen by keys, and what is shown for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "render/live.h"

/* Initialise with sc_top_view_init. */
struct sc_top_view {
    struct sc_live_screen screen;
    struct sc_str filter;
    size_t rows; /* that there are in the view */
    bool is_typing;
    bool shows_help;
    bool shows_output;
    bool has_changed; /* since it was shown */
};

void sc_top_view_init(struct sc_top_view *view);
void sc_top_view_done(struct sc_top_view *view);

/* Takes a key of cli/top_screen.h. False when it asks for the end. */
bool sc_top_view_key(struct sc_top_view *view, const struct sc_live *live, int key);

/* Adds the screen to ret_text, with the size that view->screen has. output_path: what the program
 * has printed; NULL: it prints elsewhere. state: what is to be known beside the keys, or NULL. */
void sc_top_view_text(struct sc_top_view *view, const struct sc_live *live, const char *output_path,
                      const char *state, struct sc_str *ret_text);
