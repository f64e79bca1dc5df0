/*
 * render/terminal_gpu.c - part of the first screen: what the devices did, where there are any.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "render/terminal.h"
#include "report/number.h"

enum { CURVE_CELLS = 27, CURVE_TOP = 7, INDENT = SC_TERMINAL_INDENT, ROWS = 10 };

/* The load of all devices together, over the run. */
static void load_curve(struct sc_painter *painter, const struct sc_report *report, size_t width)
{
    float percents[CURVE_CELLS];
    const struct sc_profile *profile = report->profile;
    double elapsed_s = report->overview.elapsed_s;
    if (profile->gpu_load.count < 2 || elapsed_s <= 0.0)
        return;
    sc_load_bins(&profile->gpu_load, 0.0, elapsed_s, elapsed_s, CURVE_CELLS, percents);
    sc_paint_space(painter, INDENT);
    for (size_t i = 0; i < CURVE_CELLS; i++) {
        size_t level = (size_t)((double)percents[i] / 100.0 * (double)CURVE_TOP + 0.5);
        sc_paint(painter, SC_STYLE_GPU, painter->signs->curve[level]);
    }
    sc_paint_space(painter, 2);
    if (painter->wanted + strlen("load over the run") <= width)
        sc_paint(painter, SC_STYLE_PLAIN, "load over the run");
    sc_paint_newline(painter);
}

static void device_row(struct sc_painter *painter, const struct sc_report_device *device,
                       size_t width)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_str_add_format(&text, "%s: %s", device->name, device->text);
    sc_paint_space(painter, INDENT);
    sc_paint_paragraph(painter, SC_STYLE_PLAIN, sc_str_text(&text), width);
}

/* What a list of lines is about. */
enum gpu_list { LIST_TIME, LIST_IDLE, LIST_MEMORY };

static struct sc_number number_of(const struct sc_hot *hot, enum gpu_list list)
{
    switch (list) {
    case LIST_TIME:
        return sc_number_duration(hot->cost->gpu_s);
    case LIST_IDLE:
        return sc_number_duration(hot->cost->gpu_idle_s);
    case LIST_MEMORY:
        break;
    }
    return sc_number_megabytes(hot->percent);
}

static void line_rows(struct sc_painter *painter, const struct sc_hots *hots, const char *title,
                      enum gpu_list list, size_t width)
{
    size_t places = sc_terminal_place_width(hots, width / 3);
    if (hots->count == 0)
        return;
    sc_paint_space(painter, INDENT);
    sc_paint_paragraph(painter, SC_STYLE_DIM, title, width);
    SC_EACH(const struct sc_hot, hot, hots) {
        sc_terminal_hot_number(painter, hot, number_of(hot, list).text, 11);
        if (list != LIST_MEMORY)
            sc_paint_right(painter, SC_STYLE_GPU, sc_number_percent(hot->percent).text, 6);
        sc_terminal_place_and_code(painter, hot, places, width);
    }
}

void sc_terminal_gpu(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_report_gpu *gpu = &render->report->overview.gpu;
    size_t width = render->options.width;
    size_t prose = sc_terminal_prose_width(render);
    char text[80];
    if (!gpu->has)
        return;
    bool is_many = gpu->noun[strlen(gpu->noun) - 1] == 's';
    (void)snprintf(text, sizeof(text), "What %s the %s do?", is_many ? "do" : "does", gpu->noun);
    sc_paint_heading(painter, text);
    load_curve(painter, render->report, width);
    size_t rows = gpu->devices.count < ROWS ? gpu->devices.count : ROWS;
    for (size_t i = 0; i < rows; i++)
        device_row(painter, &gpu->devices.items[i], prose);
    sc_terminal_more_rows(painter, gpu->devices.count - rows + gpu->devices_left_out);
    for (size_t i = 0; i < gpu->facts.count; i++) {
        sc_paint_space(painter, INDENT);
        sc_paint_paragraph(painter, SC_STYLE_PLAIN, gpu->facts.items[i], prose);
    }
    line_rows(painter, &gpu->lines, "lines, device time of what they launched", LIST_TIME, width);
    line_rows(painter, &gpu->idle_lines, "lines, while the devices had nothing to do", LIST_IDLE,
              width);
    line_rows(painter, &gpu->memory_lines, "lines, the most device memory they held at once",
              LIST_MEMORY, width);
}

void sc_terminal_gpu_notes(struct sc_painter *painter, const struct sc_report *report,
                           const struct sc_table_layout *layout, size_t width)
{
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    bool has_load = false;
    bool has_memory = false;
    for (size_t i = 0; i < layout->column_count; i++) {
        const struct sc_column *column = layout->columns[i].column;
        has_load |= gpu->has_shared_load && column == &sc_columns[SC_COLUMN_GPU];
        has_memory |= gpu->has_shared_memory && column == &sc_columns[SC_COLUMN_GPU_MEMORY];
    }
    if (!has_load && !has_memory)
        return;
    char text[128];
    (void)snprintf(text, sizeof(text), "%s %s%s%s: of the whole device, whoever used it", gpu->kind,
                   has_load ? "%" : "", has_load && has_memory ? " and " : "",
                   has_memory ? "memory" : "");
    sc_paint_paragraph(painter, SC_STYLE_DIM, text, width);
}
