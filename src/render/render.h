/*
 * render/render.h - reports as text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "report/report.h"

struct sc_render_options {
    unsigned width; /* columns, at least SC_RENDER_MIN_WIDTH are used */
    bool color;
    bool unicode; /* false: ASCII only */
};

enum { SC_RENDER_MIN_WIDTH = 40, SC_RENDER_DEFAULT_WIDTH = 80 };

/* What is being written. */
struct sc_render {
    const struct sc_report *report;
    struct sc_render_options options;
    struct sc_str *out;
};

/* Adds the whole report to ret_text, as a terminal shows it. */
void sc_render_terminal(const struct sc_report *report, const struct sc_render_options *options,
                        struct sc_str *ret_text);
