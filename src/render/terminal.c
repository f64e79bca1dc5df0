/* render/terminal.c - see terminal.h. SPDX-License-Identifier: Apache-2.0 */
#include "render/terminal.h"

#include "base/mem.h"
#include "report/number.h"

static void add_left_out(struct sc_render *render)
{
    const struct sc_report *report = render->report;
    SC_AUTO_FREE char *text =
        sc_format("and %zu more %s with %s of the time: -a shows all", report->files_left_out,
                  report->files_left_out == 1 ? "file" : "files",
                  sc_number_percent(report->files_left_out_percent).text);
    struct sc_painter painter =
        sc_painter_of(render->out, render->options.color, render->options.unicode);
    sc_paint_newline(&painter);
    sc_paint_paragraph(&painter, SC_STYLE_DIM, text, render->options.width);
}

void sc_render_terminal(const struct sc_report *report, const struct sc_render_options *options,
                        struct sc_str *ret_text)
{
    struct sc_render render = {.report = report, .options = *options, .out = ret_text};
    if (render.options.width < SC_RENDER_MIN_WIDTH)
        render.options.width = SC_RENDER_MIN_WIDTH;
    sc_terminal_overview(&render);
    for (size_t i = 0; i < report->files.count; i++) {
        if (!report->files.items[i].is_left_out)
            sc_terminal_file(&render, &report->files.items[i]);
    }
    if (report->files_left_out > 0)
        add_left_out(&render);
}
