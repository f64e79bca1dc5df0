/*
 * render/terminal.c - a report as a terminal shows it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "render/terminal.h"

void sc_render_terminal(const struct sc_report *report, const struct sc_render_options *options,
                        struct sc_str *ret_text)
{
    struct sc_render render = {.report = report, .options = *options, .out = ret_text};
    if (render.options.width < SC_RENDER_MIN_WIDTH)
        render.options.width = SC_RENDER_MIN_WIDTH;
    sc_terminal_overview(&render);
    for (size_t i = 0; i < report->files.count; i++)
        sc_terminal_file(&render, &report->files.items[i]);
}
