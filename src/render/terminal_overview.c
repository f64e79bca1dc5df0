/*
 * render/terminal_overview.c - the first screen: the three questions and how reliable the numbers
 * are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "render/terminal.h"
#include "render/text.h"
#include "report/number.h"

/* Less time without a CPU is not worth a sentence. */
#define NO_CPU_MIN_PERCENT 1.0

enum {
    BESIDE_FROM = 150, /* from this width on, lines and functions stand side by side */
    BAR_CELLS = 12,    /* beside a place */
    BAR_CELLS_NARROW = 8,
    KIND_CELLS = 30,
    KIND_CELLS_NARROW = 15,
    NARROW = 60,
    NAME_LEAST = 8, /* columns of a name or code; with fewer, the remark is dropped */
    INDENT = SC_TERMINAL_INDENT,
    WHY_INDENT = INDENT + 2, /* below the words of a sentence, not its bullet */
};

static const enum sc_style kind_styles[SC_KIND_COUNT_] = {
    [SC_KIND_PYTHON] = SC_STYLE_PYTHON,
    [SC_KIND_NATIVE] = SC_STYLE_NATIVE,
    [SC_KIND_SYSTEM] = SC_STYLE_SYSTEM,
};

/* A fact of the second line, in a new line where it would not fit. */
static void paint_fact(struct sc_painter *painter, const struct sc_render *render, unsigned style,
                       const char *text)
{
    size_t width = sc_text_width(text, strlen(text), 0, painter->unicode);
    if (painter->column > 0 && painter->column + 3 + width > render->options.width) {
        sc_paint_newline(painter);
    } else if (painter->column > 0) {
        sc_paint_space(painter, 1);
        sc_paint(painter, SC_STYLE_DIM, painter->signs->dot);
        sc_paint_space(painter, 1);
    }
    sc_paint(painter, style, text);
}

void sc_terminal_facts(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_overview *overview = &render->report->overview;
    const struct sc_profile *profile = render->report->profile;
    sc_paint(painter, SC_STYLE_HEADING, "scalene");
    sc_paint_space(painter, 2);
    sc_paint_cut(painter, SC_STYLE_PLAIN, overview->command, strlen(overview->command),
                 render->options.width - 9);
    sc_paint_newline(painter);
    if (overview->labels != NULL) {
        sc_paint_cut(painter, SC_STYLE_PLAIN, overview->labels, strlen(overview->labels),
                     render->options.width);
        sc_paint_newline(painter);
    }
    paint_fact(painter, render, SC_STYLE_BOLD,
               sc_number_format("%s elapsed", sc_number_duration(overview->elapsed_s).text).text);
    if (overview->cpu_s > 0.0) {
        paint_fact(painter, render, SC_STYLE_PLAIN,
                   sc_number_format("%s CPU", sc_number_duration(overview->cpu_s).text).text);
        paint_fact(painter, render, SC_STYLE_PLAIN,
                   sc_number_format("%.2f cores", overview->cores).text);
    }
    if (overview->has_memory)
        paint_fact(
            painter, render, SC_STYLE_PLAIN,
            sc_number_format("peak %s", sc_number_megabytes(profile->max_footprint_mb).text).text);
    if (overview->gpu.fact != NULL)
        paint_fact(painter, render, SC_STYLE_PLAIN, overview->gpu.fact);
    if (profile->python_version != NULL && profile->python_version[0] != '\0')
        paint_fact(painter, render, SC_STYLE_PLAIN,
                   sc_number_format("Python %.20s", profile->python_version).text);
    if (overview->virtual_time)
        paint_fact(painter, render, SC_STYLE_PLAIN, "CPU time only");
    if (overview->ending != NULL)
        paint_fact(painter, render, SC_STYLE_NOTICE, overview->ending);
    sc_paint_newline(painter);
}

/* A bar in which whole takes all cells, each kind in its pattern; what follows begins behind all
 * cells. */
static void kinds_bar(struct sc_painter *painter, const double kinds[SC_KIND_COUNT_], double whole,
                      size_t cells)
{
    size_t end = painter->wanted + cells;
    size_t done = 0;
    double sum = 0.0;
    for (int i = 0; i < SC_KIND_COUNT_; i++) {
        sum += kinds[i];
        double exact = whole > 0.0 ? sum / whole * (double)cells : 0.0;
        size_t until = (size_t)(sc_clamp(exact, 0.0, (double)cells) + 0.5);
        if (until > done) {
            sc_paint_repeat(painter, kind_styles[i], painter->signs->bar[i], until - done);
            done = until;
        }
    }
    sc_paint_to(painter, end);
}

/* Remarks that are shown after a hot place. */
static struct sc_number words_of(const struct sc_hot *hot, bool is_function)
{
    struct sc_share part = sc_cost_part(hot->cost);
    if (is_function && sc_cost_calls_matter(hot->cost))
        return sc_number_format("  total %s",
                                sc_number_percent(hot->cost->cumulative_percent).text);
    if (!is_function && part.percent > 0.0)
        return sc_number_format("  %s %s", part.name, sc_number_percent(part.percent).text);
    return (struct sc_number){""};
}

static void hot_rows(struct sc_painter *painter, const struct sc_hots *hots, const char *title,
                     bool functions, size_t width)
{
    size_t cells = width < 100 ? BAR_CELLS_NARROW : BAR_CELLS;
    size_t places = sc_terminal_place_width(hots, width / 3);
    if (hots->count == 0)
        return;
    sc_paint_space(painter, INDENT);
    sc_paint(painter, SC_STYLE_DIM, title);
    sc_paint_newline(painter);
    SC_EACH(const struct sc_hot, hot, hots) {
        size_t start = painter->wanted;
        sc_terminal_hot_number(painter, hot, sc_number_percent(hot->percent).text, 5);
        sc_paint_space(painter, 2);
        kinds_bar(painter, hot->kinds, hots->items[0].percent, cells);
        sc_paint_space(painter, 2);
        size_t next = painter->wanted + places + 2;
        sc_paint_cut_start(painter, SC_STYLE_PLAIN, hot->place, places);
        sc_paint_to(painter, next);
        struct sc_number words = words_of(hot, functions);
        size_t taken = painter->wanted - start + strlen(words.text);
        if (taken + NAME_LEAST > width) {
            taken -= strlen(words.text);
            words.text[0] = '\0';
        }
        size_t room = width > taken ? width - taken : 0;
        if (functions)
            sc_paint_cut(painter, SC_STYLE_CODE_DEFINITION, hot->text, hot->text_length, room);
        else
            sc_terminal_code(painter, hot->text, hot->text_length, room);
        sc_paint(painter, SC_STYLE_DIM, words.text);
        sc_paint_newline(painter);
    }
}

static void paint_hot_rows(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_overview *overview = &render->report->overview;
    size_t width = render->options.width;
    if (overview->lines.count == 0 && overview->functions.count == 0)
        return;
    sc_paint_heading(painter, overview->virtual_time ? "Where does the CPU time go?"
                                                     : "Where does the time go?");
    sc_terminal_note(painter, render, overview->bases.time);
    if (width < BESIDE_FROM || overview->lines.count == 0 || overview->functions.count == 0) {
        hot_rows(painter, &overview->lines, "lines", false, width);
        hot_rows(painter, &overview->functions, "functions, own time", true, width);
        return;
    }
    size_t half = (width - 3) / 2;
    SC_AUTO(sc_block_done) struct sc_painter left = sc_block_like(painter);
    SC_AUTO(sc_block_done) struct sc_painter right = sc_block_like(painter);
    hot_rows(&left, &overview->lines, "lines", false, half);
    hot_rows(&right, &overview->functions, "functions, own time", true, half);
    sc_paint_beside(painter, &left, &right, half + 3);
}

/* "sleep 12%, input and output 3%" */
static void shares_text(const struct sc_shares *shares, struct sc_str *ret_text)
{
    for (size_t i = 0; i < shares->count; i++)
        sc_str_add_format(ret_text, "%s%s %s", i > 0 ? ", " : "", shares->items[i].name,
                          sc_number_percent(shares->items[i].percent).text);
}

static void paint_kinds(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_overview *overview = &render->report->overview;
    size_t cells = render->options.width < NARROW ? KIND_CELLS_NARROW : KIND_CELLS;
    double sum = 0.0;
    for (int i = 0; i < SC_KIND_COUNT_; i++)
        sum += overview->kinds[i];
    if (sum <= 0.0)
        return;
    sc_paint_heading(painter, "What kind of time is it?");
    for (int i = 0; i < SC_KIND_COUNT_; i++) {
        double alone[SC_KIND_COUNT_] = {0};
        SC_AUTO(sc_str_done) struct sc_str text = {0};
        alone[i] = overview->kinds[i];
        sc_paint_space(painter, INDENT);
        sc_paint(painter, kind_styles[i], sc_kind_names[i]);
        sc_paint_to(painter, INDENT + 6);
        sc_paint_right(painter, SC_STYLE_BOLD, sc_number_percent(overview->kinds[i]).text, 5);
        sc_paint_space(painter, 2);
        kinds_bar(painter, alone, 100.0, cells);
        sc_paint_space(painter, 2);
        shares_text(&overview->kind_parts[i], &text);
        sc_paint_paragraph(painter, SC_STYLE_PLAIN, sc_str_text(&text),
                           sc_terminal_prose_width(render));
    }
    if (overview->marks.count > 0) {
        SC_AUTO(sc_str_done) struct sc_str text = {0};
        sc_str_add(&text, "part of this: ");
        shares_text(&overview->marks, &text);
        sc_terminal_note(painter, render, sc_str_text(&text));
    }
    if (overview->no_cpu_percent >= NO_CPU_MIN_PERCENT) {
        SC_AUTO_FREE char *text =
            sc_format("%s of this was spent waiting for a CPU: the machine was busy",
                      sc_number_percent(overview->no_cpu_percent).text);
        sc_terminal_note(painter, render, text);
    }
}

static void paint_sentence(struct sc_painter *painter, const struct sc_render *render,
                           const char *text)
{
    sc_paint_space(painter, INDENT);
    sc_paint(painter, SC_STYLE_DIM, painter->signs->bullet);
    sc_paint_space(painter, 1);
    sc_paint_paragraph(painter, SC_STYLE_PLAIN, text, sc_terminal_prose_width(render));
}

static void paint_findings(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_overview *overview = &render->report->overview;
    if (overview->findings.count > 0)
        sc_paint_heading(painter, "What should I do?");
    SC_EACH(const struct sc_finding, finding, &overview->findings) {
        paint_sentence(painter, render, finding->text);
        if (!render->options.why || finding->evidence == NULL)
            continue;
        SC_AUTO_FREE char *why = sc_format("why: %s", finding->evidence);
        sc_paint_space(painter, WHY_INDENT);
        sc_paint_paragraph(painter, SC_STYLE_DIM, why, sc_terminal_prose_width(render));
    }
}

static void paint_quality(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_overview *overview = &render->report->overview;
    if (overview->quality.count > 0)
        sc_paint_heading(painter, "How reliable are these numbers?");
    for (size_t i = 0; i < overview->quality.count; i++)
        paint_sentence(painter, render, overview->quality.items[i]);
}

void sc_terminal_overview(struct sc_render *render)
{
    struct sc_painter painter =
        sc_painter_of(render->out, render->options.color, render->options.unicode);
    sc_terminal_facts(&painter, render);
    paint_findings(&painter, render);
    paint_hot_rows(&painter, render);
    paint_kinds(&painter, render);
    sc_terminal_native_functions(&painter, render);
    sc_terminal_gpu(&painter, render);
    sc_terminal_memory(&painter, render);
    sc_terminal_awaits(&painter, render);
    sc_terminal_blocks(&painter, render);
    sc_terminal_units(&painter, render);
    sc_terminal_threads(&painter, render);
    sc_terminal_processes(&painter, render);
    paint_quality(&painter, render);
}
