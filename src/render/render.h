/*
 * render/render.h - reports as text: one set of operations per output format.
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

/* An output format. The operations are called in this order: overview once, file for each file. */
struct sc_render_ops {
    const char *name;
    void (*overview)(struct sc_render *render);
    void (*file)(struct sc_render *render, const struct sc_report_file *file);
};

extern const struct sc_render_ops sc_render_terminal;

/* Adds the whole report to ret_text. */
void sc_render(const struct sc_render_ops *ops, const struct sc_report *report,
               const struct sc_render_options *options, struct sc_str *ret_text);
