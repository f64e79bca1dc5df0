/* render/live.c - see live.h. SPDX-License-Identifier: Apache-2.0 */
#include "render/live.h"

#include <string.h>

#include "render/paint.h"
#include "report/column.h"
#include "report/number.h"
#include "report/report.h"

enum {
    NAME_LEAST = 22, /* columns; numbers are left out to make room for so many */
    GAP = 2,
    HEAD_LINES = 3,    /* above the headings */
    HEIGHT_SMALL = 10, /* lines; below, a screen has rows in place of the last head lines */
};

struct column {
    enum sc_live_number number;
    const char *heading;
    enum sc_unit unit;
    enum sc_style style;
    size_t width;
    int rank; /* the highest is left out first */
};

/* Percent are of the interval, so a thread that runs all the time has 100. */
static const struct column columns[] = {
    {SC_LIVE_NOW, "now%", SC_UNIT_PERCENT, SC_STYLE_PLAIN, 5, 0},
    {SC_LIVE_NOW_PYTHON, "py%", SC_UNIT_PERCENT, SC_STYLE_PYTHON, 5, 3},
    {SC_LIVE_NOW_NATIVE, "nat%", SC_UNIT_PERCENT, SC_STYLE_NATIVE, 5, 3},
    {SC_LIVE_NOW_SYSTEM, "sys%", SC_UNIT_PERCENT, SC_STYLE_SYSTEM, 5, 3},
    {SC_LIVE_NOW_WAITING, "wait%", SC_UNIT_PERCENT, SC_STYLE_AWAIT, 6, 3},
    {SC_LIVE_NOW_GIL, "GIL%", SC_UNIT_PERCENT, SC_STYLE_NOTICE, 6, 4},
    {SC_LIVE_ALL, "all", SC_UNIT_SECONDS, SC_STYLE_PLAIN, 6, 1},
    {SC_LIVE_ALL_PYTHON, "python", SC_UNIT_SECONDS, SC_STYLE_PYTHON, 7, 6},
    {SC_LIVE_ALL_NATIVE, "native", SC_UNIT_SECONDS, SC_STYLE_NATIVE, 7, 6},
    {SC_LIVE_ALL_SYSTEM, "system", SC_UNIT_SECONDS, SC_STYLE_SYSTEM, 7, 6},
    {SC_LIVE_ALL_WAITING, "wait", SC_UNIT_SECONDS, SC_STYLE_AWAIT, 6, 6},
    {SC_LIVE_ALL_GIL, "GIL", SC_UNIT_SECONDS, SC_STYLE_NOTICE, 6, 7},
    {SC_LIVE_MEMORY_MB, "mem", SC_UNIT_MEGABYTES, SC_STYLE_MEMORY, 6, 2},
    {SC_LIVE_ALLOCATED_MB, "alloc", SC_UNIT_MEGABYTES, SC_STYLE_MEMORY, 6, 5},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const char *const name_headings[SC_LIVE_VIEW_COUNT_] = {
#define X_HEADING(name, word, heading) [SC_LIVE_##name] = (heading),
    SC_LIVE_VIEWS(X_HEADING)
#undef X_HEADING
};

/* Chooses the columns that fit; what is sorted by stays. Returns their width. */
static size_t choose_columns(const struct sc_live *live, const struct sc_live_screen *screen,
                             bool ret_shown[COLUMNS])
{
    size_t width = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        ret_shown[i] = sc_live_has(live, screen->view, columns[i].number);
        width += ret_shown[i] ? columns[i].width : 0;
    }
    for (int rank = 7; rank > 0 && width + GAP + NAME_LEAST > screen->width; rank--) {
        for (size_t i = 0; i < COLUMNS; i++) {
            if (!ret_shown[i] || columns[i].rank != rank || columns[i].number == screen->sort)
                continue;
            ret_shown[i] = false;
            width -= columns[i].width;
        }
    }
    if (width > screen->width) {
        memset(ret_shown, 0, COLUMNS * sizeof(*ret_shown));
        return 0;
    }
    return width;
}

/* A line of the screen; what is too wide is cut. */
static void paint_line(struct sc_painter *painter, unsigned style, const char *text, size_t width)
{
    sc_paint_cut(painter, style, text, strlen(text), width);
    sc_paint_newline(painter);
}

static void paint_title(struct sc_painter *painter, const struct sc_live_head *head,
                        const struct sc_live_screen *screen)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_str_add(&text, "scalene top");
    if (head->pid != 0)
        sc_str_add_format(&text, "  %llu", (unsigned long long)head->pid);
    if (head->is_over)
        sc_str_add_format(&text, "  ended%s%s", head->ending != NULL ? ": " : "",
                          head->ending != NULL ? head->ending : "");
    if (head->command != NULL)
        sc_str_add_format(&text, "  %s", head->command);
    paint_line(painter, SC_STYLE_HEADING, sc_str_text(&text), screen->width);
}

/* Summed over many threads: 16k% for 16,000. */
static struct sc_number percent_text(double percent)
{
    double thousands = sc_clamp(percent / 1000.0, 0.0, 999.0);
    return percent < 999.5 ? sc_cell_text(SC_UNIT_PERCENT, percent)
                           : sc_number_format(thousands < 9.95 ? "%.1fk%%" : "%.0fk%%", thousands);
}

static void paint_facts(struct sc_painter *painter, const struct sc_live_head *head,
                        const struct sc_live_screen *screen)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_str_add_format(&text, "%s  %.2f CPUs  GIL wait %s", sc_number_duration(head->elapsed_s).text,
                      sc_clamp(head->cores, 0.0, 99999.0), percent_text(head->gil_percent).text);
    if (head->peak_mb > 0.0)
        sc_str_add_format(&text, "  %s, peak %s", sc_number_megabytes(head->memory_mb).text,
                          sc_number_megabytes(head->peak_mb).text);
    sc_str_add_format(&text, "  threads %zu  processes %zu", head->threads, head->processes);
    paint_line(painter, SC_STYLE_PLAIN, sc_str_text(&text), screen->width);
}

static void paint_tabs(struct sc_painter *painter, const struct sc_live_head *head,
                       const struct sc_live_screen *screen)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    for (int i = 0; i < SC_LIVE_VIEW_COUNT_; i++) {
        bool is_chosen = i == (int)screen->view;
        sc_str_add_format(&text, "%s%d %s%s ", is_chosen ? "[" : " ", i + 1, sc_live_view_words[i],
                          is_chosen ? "]" : " ");
    }
    if (screen->is_paused)
        sc_str_add(&text, " paused ");
    if (screen->filter != NULL && screen->filter[0] != '\0')
        sc_str_add_format(&text, " filter: %s ", screen->filter);
    sc_str_add_format(&text, " last %s", sc_number_duration(head->interval_s).text);
    paint_line(painter, SC_STYLE_PLAIN, sc_str_text(&text), screen->width);
}

static void paint_headings(struct sc_painter *painter, const struct sc_live_screen *screen,
                           const bool shown[COLUMNS], size_t numbers_width)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (!shown[i])
            continue;
        SC_AUTO_FREE char *heading =
            sc_format("%s%s", columns[i].number == screen->sort ? ">" : "", columns[i].heading);
        sc_paint_right(painter, SC_STYLE_HEADING, heading, columns[i].width);
    }
    sc_paint_space(painter, GAP);
    const char *name = name_headings[screen->view];
    size_t room = screen->width > numbers_width + GAP ? screen->width - numbers_width - GAP : 0;
    sc_paint_cut(painter, SC_STYLE_HEADING, name, strlen(name), room);
    sc_paint_newline(painter);
}

static struct sc_number cell_text(const struct column *column, const struct sc_live_row *row,
                                  double interval_s)
{
    double value = row->numbers[column->number];
    if (column->unit == SC_UNIT_PERCENT)
        value = interval_s > 0.0 ? 100.0 * value / interval_s : 0.0;
    double least = column->unit == SC_UNIT_SECONDS   ? 0.0005
                   : column->unit == SC_UNIT_PERCENT ? 0.5
                                                     : 1e-3;
    if (!(value >= least))
        return (struct sc_number){""};
    return column->unit == SC_UNIT_PERCENT ? percent_text(value)
                                           : sc_cell_text(column->unit, value);
}

static void paint_row(struct sc_painter *painter, const struct sc_live_screen *screen,
                      const bool shown[COLUMNS], size_t numbers_width,
                      const struct sc_live_row *row, double interval_s)
{
    double share = interval_s > 0.0 ? 100.0 * row->numbers[SC_LIVE_NOW] / interval_s : 0.0;
    unsigned name_style = sc_heat_of(share) == SC_HEAT_HOT ? SC_STYLE_HOT : SC_STYLE_PLAIN;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (shown[i])
            sc_paint_right(painter, columns[i].style, cell_text(&columns[i], row, interval_s).text,
                           columns[i].width);
    }
    size_t begin = numbers_width + GAP;
    if (screen->width > begin) {
        sc_paint_to(painter, begin);
        sc_paint_cut(painter, name_style, row->name, strlen(row->name), screen->width - begin);
        size_t next = painter->wanted + GAP;
        sc_paint_to(painter, next);
        if (screen->width > next)
            sc_paint_cut(painter, SC_STYLE_DIM, row->place, strlen(row->place),
                         screen->width - next);
    }
    sc_paint_newline(painter);
}

/* Lines above the rows: the title, facts and views as far as there is room, and the headings. */
static size_t head_lines(const struct sc_live_screen *screen)
{
    if (screen->height == 0 || screen->height >= HEIGHT_SMALL)
        return HEAD_LINES + 1;
    return screen->height >= 4 ? 3 : screen->height >= 2 ? 1 : 0;
}

size_t sc_live_screen_rows(const struct sc_live_screen *screen)
{
    size_t taken = head_lines(screen) + (screen->message != NULL ? 1 : 0);
    if (screen->height == 0)
        return SIZE_MAX;
    return screen->height > taken ? screen->height - taken : 0;
}

static void paint_table(struct sc_painter *painter, const struct sc_live *live,
                        const struct sc_live_screen *screen, double interval_s,
                        const struct sc_live_rows *rows)
{
    bool shown[COLUMNS];
    size_t numbers_width = choose_columns(live, screen, shown);
    size_t room = sc_live_screen_rows(screen);
    if (head_lines(screen) > 1)
        paint_headings(painter, screen, shown, numbers_width);
    for (size_t i = screen->first; i < rows->count && i - screen->first < room; i++)
        paint_row(painter, screen, shown, numbers_width, &rows->items[i], interval_s);
    size_t painted = rows->count > screen->first ? rows->count - screen->first : 0;
    for (; screen->height > 0 && painted < room; painted++)
        sc_paint_newline(painter);
}

void sc_render_live(const struct sc_live *live, const struct sc_live_screen *screen,
                    struct sc_str *ret_text, size_t *ret_rows)
{
    SC_AUTO(sc_live_rows_done) struct sc_live_rows rows = {0};
    SC_AUTO(sc_live_head_done) struct sc_live_head head = sc_live_head_of(live);
    size_t lines = head_lines(screen);
    struct sc_painter painter = sc_painter_of(ret_text, screen->color, screen->unicode);
    sc_live_list(live, screen->view, screen->sort, screen->filter, &rows);
    if (lines > 0)
        paint_title(&painter, &head, screen);
    if (lines > 2)
        paint_facts(&painter, &head, screen);
    if (lines > HEAD_LINES)
        paint_tabs(&painter, &head, screen);
    paint_table(&painter, live, screen, head.interval_s, &rows);
    if (screen->message != NULL)
        paint_line(&painter, SC_STYLE_DIM, screen->message, screen->width);
    if (ret_rows != NULL)
        *ret_rows = rows.count;
}

void sc_render_live_texts(const char *texts, const struct sc_live_screen *screen,
                          struct sc_str *ret_text)
{
    size_t room = screen->height - (screen->message != NULL && screen->height > 0 ? 1 : 0);
    size_t lines = 0;
    const char *first = texts + strlen(texts);
    struct sc_painter painter = sc_painter_of(ret_text, screen->color, screen->unicode);
    if (first > texts && first[-1] == '\n')
        first--;
    for (; first > texts; first--) {
        if (first[-1] == '\n' && ++lines >= room)
            break;
    }
    for (size_t i = 0; i < room; i++) {
        size_t length = strcspn(first, "\n");
        sc_paint_cut(&painter, SC_STYLE_PLAIN, first, length, screen->width);
        sc_paint_newline(&painter);
        first += length + (first[length] == '\n' ? 1 : 0);
    }
    if (screen->message != NULL)
        paint_line(&painter, SC_STYLE_DIM, screen->message, screen->width);
}

enum sc_live_number sc_live_screen_next(const struct sc_live *live,
                                        const struct sc_live_screen *screen, bool to_right)
{
    size_t at = 0;
    while (at < COLUMNS && columns[at].number != screen->sort)
        at++;
    for (size_t i = 0; i < COLUMNS; i++) {
        at = (at + (to_right ? 1 : COLUMNS - 1)) % COLUMNS;
        if (sc_live_has(live, screen->view, columns[at].number))
            break;
    }
    return columns[at].number;
}
