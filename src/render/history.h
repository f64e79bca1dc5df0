/*
 * render/history.h - the versions of a program, and what has changed from one to the next.
 *
 * Comparisons are shown one by one, since the profiles of many versions would not go into memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "compare/compare.h"
#include "compare/history.h"
#include "render/render.h"

struct sc_history_view {
    const struct sc_history *history;
    struct sc_render_options options;
    bool is_json;
    struct sc_str versions, steps; /* so far */
    struct sc_json_out json_versions, json_steps;
};

/* Borrows the history, which is in order. The view must stay where it is. */
void sc_history_view_init(struct sc_history_view *view, const struct sc_history *history,
                          const struct sc_render_options *options, bool is_json);

/* Adds a version, from 1 on, by its comparison with the one before; the first one brings that, too.
 */
void sc_history_view_add(struct sc_history_view *view, size_t version,
                         const struct sc_comparison *comparison);

/* Ends it: adds all to ret_text. */
void sc_history_view_end(struct sc_history_view *view, struct sc_str *ret_text);

void sc_history_view_done(struct sc_history_view *view);
