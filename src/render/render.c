/*
 * render/render.c - a report through the operations of a format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "render/render.h"

void sc_render(const struct sc_render_ops *ops, const struct sc_report *report,
               const struct sc_render_options *options, struct sc_str *ret_text)
{
    struct sc_render render = {.report = report, .options = *options, .out = ret_text};
    if (render.options.width < SC_RENDER_MIN_WIDTH)
        render.options.width = SC_RENDER_MIN_WIDTH;
    ops->overview(&render);
    for (size_t i = 0; i < report->files.count; i++)
        ops->file(&render, &report->files.items[i]);
}
