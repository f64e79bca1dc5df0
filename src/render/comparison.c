/* render/comparison.c - see comparison.h. SPDX-License-Identifier: Apache-2.0 */
#include "render/comparison.h"

#include <math.h>
#include <string.h>

#include "render/paint.h"
#include "report/number.h"

enum {
    ROWS = 10, /* of a list, unless all are asked for */
    CHANGE = 20,
    VALUES = 25,
    VERDICT = 17,
    LEVEL = 2,
    PLACE_LEAST = 24, /* beside the numbers; else it stands below them */
    BELOW = 4,
    CODE_LEAST = 8,
};

struct view {
    struct sc_painter painter;
    const struct sc_comparison *comparison;
    size_t width;
    bool is_all;
    bool is_narrow;
    const char *arrow;
};

static size_t room_of(const struct view *view)
{
    return view->width > view->painter.wanted ? view->width - view->painter.wanted : 0;
}

static const char *verdict_text(enum sc_verdict verdict)
{
    return verdict == SC_VERDICT_CERTAIN  ? "certain"
           : verdict == SC_VERDICT_UNSURE ? "not certain"
           : verdict == SC_VERDICT_THIN   ? "not enough data"
                                          : "";
}

/* A number without its sign. */
static struct sc_number number_of(enum sc_metric metric, double value)
{
    return sc_metric_is_mb(metric) ? sc_number_megabytes(fabs(value))
                                   : sc_number_duration(fabs(value));
}

static char *change_text(enum sc_metric metric, const struct sc_difference *one)
{
    return sc_format("%s%s \u00b1 %s", one->change < 0.0 ? "-" : "+",
                     number_of(metric, one->change).text,
                     number_of(metric, sc_difference_error(one)).text);
}

static char *values_text(const struct view *view, enum sc_metric metric,
                         const struct sc_difference *one)
{
    return sc_format("%s %s %s", number_of(metric, one->mean[0]).text, view->arrow,
                     number_of(metric, one->mean[1]).text);
}

static void paragraph(struct view *view, unsigned style, const char *text)
{
    sc_paint_paragraph(&view->painter, style, text, view->width);
}

/* "total time 10.1 s -> 12.5 s (+2.4 s +- 0.4 s, 24% more)" */
static void add_summary(const struct view *view, enum sc_metric metric, const char *name,
                        struct sc_str *text)
{
    const struct sc_difference *one =
        &view->comparison->tables[SC_COMPARE_RUN].items[0].differences[metric];
    SC_AUTO_FREE char *values = values_text(view, metric, one);
    SC_AUTO_FREE char *change = change_text(metric, one);
    sc_str_add_format(text, "%s %s (%s", name, values, change);
    if (one->verdict == SC_VERDICT_CERTAIN && one->mean[0] > 0.0)
        sc_str_add_format(text, ", %s %s)",
                          sc_number_fine_percent(fabs(one->change) / one->mean[0] * 100.0).text,
                          one->change > 0.0 ? "more" : "less");
    else if (one->verdict == SC_VERDICT_CERTAIN)
        sc_str_add(text, ", certain)");
    else if (one->verdict == SC_VERDICT_EQUAL)
        sc_str_add(text, ", equal)");
    else
        sc_str_add_format(text, ", %s)", verdict_text(one->verdict));
}

static void paint_no_change(struct view *view)
{
    const struct sc_difference *numbers =
        view->comparison->tables[SC_COMPARE_RUN].items[0].differences;
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_str_add_format(&text, "No difference: total time %s",
                      number_of(SC_METRIC_TIME, numbers[SC_METRIC_TIME].mean[0]).text);
    if (view->comparison->has_memory)
        sc_str_add_format(&text, ", peak %s",
                          number_of(SC_METRIC_PEAK, numbers[SC_METRIC_PEAK].mean[0]).text);
    sc_str_add(&text, ", before and after.");
    paragraph(view, SC_STYLE_HEADING, sc_str_text(&text));
}

static void summary(struct view *view)
{
    const struct sc_comparison *comparison = view->comparison;
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    add_summary(view, SC_METRIC_TIME, "Total time", &text);
    if (comparison->has_memory) {
        sc_str_add(&text, "; ");
        add_summary(view, SC_METRIC_PEAK, "peak", &text);
    }
    sc_str_add_char(&text, '.');
    paragraph(view, SC_STYLE_HEADING, sc_str_text(&text));
    sc_str_clear(&text);
    size_t runs[2] = {comparison->sides[0].count, comparison->sides[1].count};
    bool is_single = runs[0] == 1 && runs[1] == 1;
    sc_str_add_format(&text, "%zu %s before, %zu after. ", runs[0], runs[0] == 1 ? "run" : "runs",
                      runs[1]);
    sc_str_add(&text,
               is_single
                   ? "What changes from run to run is not seen in one of each; 2% of "
                     "times, 10% of waits and copies, 1% of memory, and more on a busy machine, "
                     "are allowed for it."
                   : "Errors are those of the spread between the runs.");
    paragraph(view, SC_STYLE_DIM, sc_str_text(&text));
}

/* -------- rows -------- */

static void numbers(struct view *view, enum sc_metric metric, const struct sc_difference *one)
{
    struct sc_painter *painter = &view->painter;
    SC_AUTO_FREE char *change = change_text(metric, one);
    SC_AUTO_FREE char *values = values_text(view, metric, one);
    bool is_certain = one->verdict == SC_VERDICT_CERTAIN;
    unsigned style = !is_certain         ? SC_STYLE_DIM
                     : one->change > 0.0 ? SC_STYLE_HOT
                                         : SC_STYLE_MEMORY;
    sc_paint_right(painter, style, change, view->is_narrow ? 0 : CHANGE);
    sc_paint_space(painter, view->is_narrow ? 2 : 0);
    sc_paint_right(painter, SC_STYLE_PLAIN, values, view->is_narrow ? 0 : VALUES);
    if (view->is_narrow)
        sc_paint_newline(painter);
    sc_paint_space(painter, view->is_narrow ? BELOW : 2);
    if (view->is_all) {
        size_t column = painter->wanted;
        sc_paint(painter, SC_STYLE_DIM, verdict_text(one->verdict));
        sc_paint_to(painter, column + (view->is_narrow ? 0 : 2) + VERDICT);
    }
}

/* Where it was before, if that is elsewhere, and what only one side has. */
static void paint_history(struct view *view, const struct sc_compared *place)
{
    SC_AUTO(sc_str_done) struct sc_str before = {0};
    SC_AUTO(sc_str_done) struct sc_str after = {0};
    sc_compared_add_place(view->comparison, place, 0, &before);
    sc_compared_add_place(view->comparison, place, 1, &after);
    const struct sc_match_function *was = sc_compared_function(view->comparison, place, 0);
    bool is_renamed = was != NULL && strcmp(was->name, place->name) != 0;
    const char *note = before.length == 0 ? " (new)" : after.length == 0 ? " (gone)" : NULL;
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    if (note != NULL)
        sc_str_add(&text, note);
    else if (is_renamed || strcmp(before.data, after.data) != 0)
        sc_str_add_format(&text, " (was %s%s%s)", before.data, is_renamed ? " " : "",
                          is_renamed ? was->name : "");
    sc_paint_cut(&view->painter, note != NULL ? SC_STYLE_NOTICE : SC_STYLE_DIM, sc_str_text(&text),
                 text.length, room_of(view));
}

static void row(struct view *view, enum sc_metric metric, const struct sc_compared *place)
{
    struct sc_painter *painter = &view->painter;
    SC_AUTO(sc_str_done) struct sc_str where = {0};
    sc_compared_add_place(view->comparison, place, -1, &where);
    numbers(view, metric, &place->differences[metric]);
    sc_paint_cut_start(painter, SC_STYLE_PLAIN, sc_str_text(&where), room_of(view));
    paint_history(view, place);
    const struct sc_match_line *line =
        sc_compared_line(view->comparison, place, place->file[1] != SC_NONE ? 1 : 0);
    const char *text = place->name != NULL ? place->name : line != NULL ? line->text : "";
    size_t length = place->name != NULL ? strlen(place->name) : line != NULL ? line->length : 0;
    if (room_of(view) >= 2 + CODE_LEAST) {
        sc_paint_space(painter, 2);
        sc_paint_cut(painter, place->name != NULL ? SC_STYLE_CODE_DEFINITION : SC_STYLE_DIM, text,
                     length, room_of(view));
    }
    sc_paint_newline(painter);
}

static void paint_left_out(struct view *view, size_t count)
{
    SC_AUTO_FREE char *text = sc_format("  and %zu more (scalene diff --all shows them)", count);
    if (count > 0)
        paragraph(view, SC_STYLE_DIM, text);
}

/* True where there was something to list. */
static bool list(struct view *view, enum sc_compare_table table, enum sc_metric metric,
                 const char *title)
{
    struct sc_compared_list changes =
        sc_comparison_changes(view->comparison, table, metric, view->is_all);
    size_t shown = view->is_all || changes.count < ROWS ? changes.count : ROWS;
    if (changes.count > 0)
        sc_paint_heading(&view->painter, title);
    for (size_t i = 0; i < shown; i++) {
        row(view, metric, changes.items[i]);
    }
    paint_left_out(view, changes.count - shown);
    free(changes.items);
    return shown > 0;
}

static void whole_program(struct view *view)
{
    const struct sc_compared *whole = &view->comparison->tables[SC_COMPARE_RUN].items[0];
    bool has_heading = false;
    for (int i = 0; i < SC_METRIC_COUNT_; i++) {
        enum sc_verdict verdict = whole->differences[i].verdict;
        if (verdict < SC_VERDICT_THIN || (verdict != SC_VERDICT_CERTAIN && !view->is_all))
            continue;
        if (!has_heading)
            sc_paint_heading(&view->painter, "The whole program");
        has_heading = true;
        numbers(view, (enum sc_metric)i, &whole->differences[i]);
        sc_paint(&view->painter, SC_STYLE_PLAIN, sc_metric_keys[i]);
        sc_paint_newline(&view->painter);
    }
}

/* -------- calls -------- */

/* Stacks that have changed, with their callers, below these. links: first callee and next of the
 * same caller. */
static void calls_below(struct view *view, const uint32_t (*links)[2], const bool *is_shown,
                        uint32_t first)
{
    const struct sc_compared *stacks = view->comparison->tables[SC_COMPARE_STACKS].items;
    for (uint32_t i = first; i != SC_NONE; i = links[i][1]) {
        const struct sc_difference *one = &stacks[i].differences[SC_METRIC_TOTAL];
        if (!is_shown[i])
            continue;
        numbers(view, SC_METRIC_TOTAL, one);
        size_t indent = (size_t)LEVEL * stacks[i].depth;
        size_t room = room_of(view);
        sc_paint_space(&view->painter, indent < room / 2 ? indent : room / 2);
        sc_paint_cut(&view->painter, SC_STYLE_PLAIN, stacks[i].name, strlen(stacks[i].name),
                     room_of(view));
        sc_paint_space(&view->painter, 2);
        sc_paint_cut_start(&view->painter, SC_STYLE_DIM, stacks[i].module, room_of(view));
        sc_paint_newline(&view->painter);
        calls_below(view, links, is_shown, links[i][0]);
    }
}

/* What a call that only one side has calls says no more than that one. */
static bool is_below_new(const struct sc_compared *stacks, const struct sc_compared *stack)
{
    if (stack->parent == SC_NONE)
        return false;
    const double *above = stacks[stack->parent].differences[SC_METRIC_TOTAL].mean;
    return above[0] <= 0.0 || above[1] <= 0.0;
}

static bool calls(struct view *view)
{
    struct sc_compared_list changes =
        sc_comparison_changes(view->comparison, SC_COMPARE_STACKS, SC_METRIC_TOTAL, view->is_all);
    const struct sc_compared_places *stacks = &view->comparison->tables[SC_COMPARE_STACKS];
    uint32_t(*links)[2] = sc_alloc(stacks->count + 1, sizeof(*links));
    SC_AUTO_FREE bool *is_shown = sc_alloc(stacks->count + 1, sizeof(*is_shown));
    uint32_t first = SC_NONE;
    for (size_t i = 0; i < stacks->count; i++)
        links[i][0] = SC_NONE;
    for (size_t i = stacks->count; i-- > 0;) {
        uint32_t parent = stacks->items[i].parent;
        uint32_t *head = parent != SC_NONE ? &links[parent][0] : &first;
        links[i][1] = *head;
        *head = (uint32_t)i;
    }
    size_t kept = 0;
    for (size_t i = 0; i < changes.count; i++)
        if (view->is_all || !is_below_new(stacks->items, changes.items[i]))
            changes.items[kept++] = changes.items[i];
    changes.count = kept;
    size_t shown =
        view->is_all || changes.count < 2 * (size_t)ROWS ? changes.count : 2 * (size_t)ROWS;
    for (size_t i = 0; i < shown; i++)
        for (uint32_t at = (uint32_t)(changes.items[i] - stacks->items); at != SC_NONE;
             at = stacks->items[at].parent)
            is_shown[at] = true;
    if (shown > 0)
        sc_paint_heading(&view->painter, "Calls, with what they call");
    calls_below(view, (const uint32_t(*)[2])links, is_shown, first);
    paint_left_out(view, changes.count - shown);
    free(changes.items);
    free(links);
    return shown > 0;
}

static void show_limits(struct view *view, const struct sc_limits *limits)
{
    if (limits->count > 0)
        sc_paint_heading(&view->painter, "Limits");
    SC_EACH(const struct sc_limit, limit, limits) {
        bool is_exceeded = limit->outcome == SC_LIMIT_EXCEEDED;
        if (limit->place != NULL)
            numbers(view, limit->metric, &limit->place->differences[limit->metric]);
        SC_AUTO_FREE char *text =
            sc_format("%s: %s", limit->text,
                      is_exceeded                       ? "exceeded"
                      : limit->outcome == SC_LIMIT_KEPT ? "kept"
                      : limit->place == NULL ? "not enough data: neither side has this place"
                                             : "not enough data to say");
        paragraph(view, is_exceeded ? SC_STYLE_HOT : SC_STYLE_PLAIN, text);
    }
}

void sc_render_comparison(const struct sc_comparison *comparison, const struct sc_limits *limits,
                          const struct sc_render_options *options, bool is_all,
                          struct sc_str *ret_text)
{
    static const struct {
        enum sc_metric metric;
        const char *title;
    } lists[] = {
        {SC_METRIC_WAIT, "Waiting at lines"},
        {SC_METRIC_PEAK, "Highest memory of lines"},
        {SC_METRIC_ALLOCATED, "Allocated at lines"},
        {SC_METRIC_EXIT, "Not freed at the end, by line"},
        {SC_METRIC_COPIES, "Copied at lines"},
    };
    struct view view = {.comparison = comparison, .width = options->width, .is_all = is_all};
    view.width = view.width < SC_RENDER_MIN_WIDTH ? SC_RENDER_MIN_WIDTH : view.width;
    view.is_narrow = view.width < CHANGE + VALUES + 2U + (is_all ? 2U + VERDICT : 0U) + PLACE_LEAST;
    view.painter = sc_painter_of(ret_text, options->color, options->unicode);
    view.arrow = options->unicode ? "\u2192" : "->";
    if (comparison->is_same)
        paint_no_change(&view);
    else
        summary(&view);
    for (size_t i = 0; i < comparison->notes.count; i++)
        paragraph(&view, SC_STYLE_NOTICE, comparison->notes.items[i]);
    if (!comparison->is_same) {
        bool any = list(&view, SC_COMPARE_LINES, SC_METRIC_TIME, "Time of lines");
        any |= list(&view, SC_COMPARE_FUNCTIONS, SC_METRIC_TIME, "Time of functions");
        any |= calls(&view);
        whole_program(&view);
        for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
            any |= list(&view, SC_COMPARE_LINES, lists[i].metric, lists[i].title);
        if (!any)
            paragraph(
                &view, SC_STYLE_PLAIN,
                "No line, function or stack differs for certain (scalene diff --all shows all).");
    }
    show_limits(&view, limits);
}
