/*
 * render/comparison.h - a comparison as text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "compare/compare.h"
#include "compare/limits.h"
#include "render/render.h"

/* Adds what has changed for certain, with is_all all that was judged; then the limits. */
void sc_render_comparison(const struct sc_comparison *comparison, const struct sc_limits *limits,
                          const struct sc_render_options *options, bool is_all,
                          struct sc_str *ret_text);

/* The same as JSON for scripts, with the keys of docs/diff.md. */
void sc_render_comparison_json(const struct sc_comparison *comparison,
                               const struct sc_limits *limits, bool is_all,
                               struct sc_str *ret_text);

/* The same where other JSON is around it: an object; and the keys of one number in an open one. */
void sc_json_write_comparison(struct sc_json_out *out, const struct sc_comparison *comparison,
                              const struct sc_limits *limits, bool is_all);
void sc_json_write_difference(struct sc_json_out *out, const struct sc_difference *one);
