/*
 * render/render.h - reports as text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/json_out.h"
#include "report/report.h"

struct sc_render_options {
    unsigned width; /* columns, at least SC_RENDER_MIN_WIDTH are used */
    bool color;
    bool unicode; /* false: ASCII only */
    bool why;     /* say what findings were concluded from */
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

/* Adds the tree of calls. is_all: every frame, also those of libraries and native code. unit: what
 * this unit of work spent alone (sc_unit_find); SC_NONE: all time. */
void sc_render_terminal_tree(const struct sc_report *report,
                             const struct sc_render_options *options, bool is_all, uint32_t unit,
                             struct sc_str *ret_text);

/* Adds a few lines for the end of a run: the most expensive places, the first finding, and
 * how to see the calls. argument: the profile as a word of that command; NULL: none is needed.
 * Nothing where no line is worth a row. */
void sc_render_run_summary(const struct sc_report *report, const struct sc_render_options *options,
                           const char *argument, struct sc_str *ret_text);

/* Six digits, in every JSON text of this folder. */
void sc_json_write_number(struct sc_json_out *out, const char *key, double number);

/* The report as JSON for scripts, with the keys of docs/terminal-view.md. */
void sc_render_json(const struct sc_report *report, struct sc_str *ret_text);

/* One line of a file of the report's profile, with its numbers, its source, its callers and
 * callees, and what was found there, as JSON. */
void sc_render_json_line(const struct sc_report *report, const struct sc_file *file,
                         const struct sc_line *line, struct sc_str *ret_text);

/* One file of the report's profile: its text, its lines and functions that cost something (is_all:
 * all of them) in their order, and what was found there, as JSON. */
void sc_render_json_file(const struct sc_report *report, const struct sc_file *file, bool is_all,
                         struct sc_str *ret_text);
