/*
 * render/ranks.h - what many ranks have done, as text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks/stragglers.h"
#include "render/render.h"

/* What is shown. */
struct sc_ranks_view {
    const struct sc_ranks *ranks;
    const struct sc_stragglers *stragglers;
    const struct sc_texts *notes; /* on the profiles, a sentence each */
};

void sc_render_ranks(const struct sc_ranks_view *shown, const struct sc_render_options *options,
                     struct sc_str *ret_text);

/* The same as JSON for scripts, with the keys of docs/many_machines.md. */
void sc_render_ranks_json(const struct sc_ranks_view *shown, struct sc_str *ret_text);
