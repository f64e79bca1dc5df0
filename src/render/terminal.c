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

/* -------- the end of a run -------- */

enum { PLACES = 3, PERCENT = 6 };

static void places(struct sc_painter *painter, const struct sc_hots *lines, size_t width)
{
    struct sc_hots first = *lines;
    first.count = first.count < PLACES ? first.count : PLACES;
    size_t columns = sc_terminal_place_width(&first, width / 3);
    SC_EACH(const struct sc_hot, hot, &first) {
        sc_paint_right(painter, sc_terminal_heated(hot->heat), sc_number_percent(hot->percent).text,
                       PERCENT);
        sc_terminal_place_and_code(painter, hot, columns, width);
    }
}

void sc_render_run_summary(const struct sc_report *report, const struct sc_render_options *options,
                           const char *argument, struct sc_str *ret_text)
{
    const struct sc_overview *overview = &report->overview;
    size_t width = options->width > SC_RENDER_MIN_WIDTH ? options->width : SC_RENDER_MIN_WIDTH;
    if (overview->lines.count == 0)
        return;
    struct sc_painter painter = sc_painter_of(ret_text, options->color, options->unicode);
    places(&painter, &overview->lines, width);
    if (overview->findings.count > 0) {
        sc_paint_space(&painter, SC_TERMINAL_INDENT);
        sc_paint_paragraph(&painter, SC_STYLE_PLAIN, overview->findings.items[0].text, width);
    }
    sc_paint_space(&painter, SC_TERMINAL_INDENT);
    sc_paint(&painter, SC_STYLE_PLAIN, "To view the calls:   scalene view --tree");
    if (argument != NULL) {
        sc_paint_space(&painter, 1);
        sc_paint(&painter, SC_STYLE_PLAIN, argument);
    }
    sc_paint_newline(&painter);
}
