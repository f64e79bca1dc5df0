/* page/standalone.c - see standalone.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/standalone.h"

#include <stdint.h>
#include <string.h>

#include "page/bundle.h"
#include "page/cache.h"
#include "page/frames.h"
#include "page/page.h"
#include "page/part_sums.h"
#include "report/column.h"
#include "report/number.h"

/* -------- which answers are stored -------- */

/* Everything is added most expensive first, so what does not fit is what costs least. */

enum {
    PIECE = 500,          /* rows of one answer */
    SPANS_MOST = 16,      /* the shortest span that is held is this part of the run */
    THREADS_MOST = 8,     /* whose numbers are held, those with the most time */
    TIMELINE_BINS = 2000, /* of one timeline answer, as the page requests them */
};

/* A file may be as large as users still send to each other and browsers open without delay. A
 * cell's output must be small compared with the notebook. */
static const struct limits {
    size_t files;
    size_t hot_rows;  /* of lines that cost something */
    size_t full_rows; /* of all lines of the most expensive files */
    size_t function_rows;
    size_t costs;          /* of lines, and a quarter of it of functions */
    size_t calls;          /* lines with callers and callees */
    size_t time_rows;      /* of lines, and of functions, with one kind of time */
    size_t bytes;          /* of all answers */
    size_t timeline_bytes; /* of those for parts of the timeline */
    size_t span_rows;      /* of lines, and of functions, of a span or a thread */
    size_t span_bytes;     /* of all spans and threads */
} limits_of[SC_PAGE_FORM_COUNT_] = {
    [SC_PAGE_FILE] = {2000, 20000, 20000, 4000, 2000, 2000, 5000, SIZE_MAX, (size_t)8 << 20, 300,
                      (size_t)4 << 20},
    [SC_PAGE_NOTEBOOK] = {100, 1000, 1500, 500, 250, 0, 100, (size_t)700 << 10, 0, 0, 0},
};

/* Further questions whose answers are stored, where there is one (page/standalone.def). */
static const struct extra {
    bool is_in[SC_PAGE_FORM_COUNT_];
    const char *question;
    const char *title; /* listed when the answer does not fit; NULL: not worth listing */
} extras[] = {
#define EXTRA(in_file, in_notebook, question, title)                                               \
    {{[SC_PAGE_FILE] = (in_file), [SC_PAGE_NOTEBOOK] = (in_notebook)}, question, title},
#include "page/standalone.def"
#undef EXTRA
};

/* Kinds of time of their own. */
static const char *const times[] = {"cpu", "waiting"};

struct writer {
    struct sc_page *page;
    const struct limits *limits;
    struct sc_str *members; /* separated by commas */
    size_t begin;           /* offset of the first member */
    size_t reserved;        /* bytes for the overview, which comes last */
    size_t rows_left;
    size_t costs_left;
    size_t calls_left;
    bool is_cut; /* something did not fit since this was last reset */
};

/* Adds the answer to a question; false when there is none, or no room for it. */
static bool add_answer(struct writer *writer, const char *question)
{
    struct sc_err err = {0};
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    bool is_there =
        sc_page_ask(writer->page, question, &answer, &err) == SC_ANSWER_OK && answer.length > 0;
    size_t used = writer->members->length - writer->begin + writer->reserved;
    if (is_there &&
        (used > writer->limits->bytes || answer.length > writer->limits->bytes - used)) {
        writer->is_cut = true;
        is_there = false;
    }
    if (is_there) {
        struct sc_json_out out = {.text = writer->members, .is_compact = true};
        if (writer->members->length > writer->begin)
            sc_str_add_char(writer->members, ',');
        sc_json_string(&out, question);
        sc_str_add_char(writer->members, ':');
        sc_str_add_bytes(writer->members, answer.data, answer.length);
    }
    return is_there;
}

/* Adds a table in pieces while rows_left is not 0. table is the question for it, to which the range
 * of each piece and the part of the run are appended. Returns how many rows were added. */
static size_t add_rows(struct writer *writer, const char *table, const char *part, size_t count)
{
    size_t added = 0;
    for (size_t first = 0; first < count || first == 0; first += PIECE) {
        size_t rows = count - first < PIECE ? count - first : PIECE;
        SC_AUTO_FREE char *question =
            sc_format("%s&first=%zu&count=%d%s", table, first, (int)PIECE, part);
        if (writer->rows_left == 0 || !add_answer(writer, question)) {
            writer->is_cut = true;
            return added;
        }
        size_t taken = rows > 0 ? rows : 1; /* a table without rows takes room, too */
        writer->rows_left -= taken < writer->rows_left ? taken : writer->rows_left;
        added += rows;
    }
    return added;
}

static void add_costs(struct writer *writer, const struct sc_page_table *table)
{
    const struct sc_file *file = writer->page->report.files.items[table->file].file;
    for (size_t i = 0; i < table->rows.count && writer->costs_left > 0; i++) {
        const struct sc_page_row *row = &table->rows.items[i];
        if (row->gap > 0)
            continue;
        SC_AUTO_FREE char *question = sc_format("api/cost?file=%zu&line=%u", table->file,
                                                file->lines.items[row->index].lineno);
        if (add_answer(writer, question))
            writer->costs_left--;
    }
}

/* Adds the callers and callees of the lines of a file that have some time with what they call, and
 * the costs of those that no table of costs has. */
static void add_calls(struct writer *writer, size_t number)
{
    const struct sc_parts *parts = &writer->page->report.parts;
    const struct sc_file *file = writer->page->report.files.items[number].file;
    for (size_t i = 0; i < file->lines.count && writer->calls_left > 0; i++) {
        const struct sc_line *line = &file->lines.items[i];
        const struct sc_column *total = &sc_columns[SC_COLUMN_TOTAL];
        bool is_active = sc_cost_is_active(parts, &line->cost);
        if (!is_active && total->value(&line->cost) < total->blank_below)
            continue;
        SC_AUTO_FREE char *calls = sc_format("api/calls?file=%zu&line=%u", number, line->lineno);
        SC_AUTO_FREE char *cost = sc_format("api/cost?file=%zu&line=%u", number, line->lineno);
        if (add_answer(writer, calls))
            writer->calls_left--;
        if (!is_active)
            (void)add_answer(writer, cost);
    }
}

static void add_table(struct writer *writer, size_t file, enum sc_mode mode)
{
    const struct sc_page_table *table = sc_page_table(writer->page, NULL, file, mode);
    SC_AUTO_FREE char *question = sc_format("api/file?file=%zu&mode=%s", file, sc_mode_names[mode]);
    (void)add_rows(writer, question, "", table->rows.count);
    if (mode == SC_MODE_HOT)
        add_costs(writer, sc_page_table(writer->page, NULL, file, mode));
}

static void add_files(struct writer *writer)
{
    const struct limits *limits = writer->limits;
    size_t count = writer->page->report.files.count;
    size_t hot = 0;
    size_t full = 0;
    writer->rows_left = limits->hot_rows;
    writer->costs_left = limits->costs;
    for (; hot < count && hot < limits->files && writer->rows_left > 0; hot++)
        add_table(writer, hot, SC_MODE_HOT);
    writer->calls_left = limits->calls;
    for (size_t i = 0; i < hot; i++)
        add_calls(writer, i);
    writer->rows_left = limits->full_rows;
    for (; full < hot && writer->rows_left > 0; full++) {
        add_table(writer, full, SC_MODE_FUNCTIONS);
        add_table(writer, full, SC_MODE_ALL);
    }
    if (hot < count)
        sc_vec_push(&writer->page->left_out,
                    sc_format("the lines of %s of %s files, those with the least time",
                              sc_number_count(count - hot).text, sc_number_count(count).text));
    if (full < hot || writer->is_cut)
        sc_vec_push(&writer->page->left_out,
                    sc_format("lines that cost nothing, but for the %s most expensive files",
                              sc_number_count(full).text));
    writer->is_cut = false;
}

static size_t function_count(const struct sc_page *page)
{
    size_t count = 0;
    for (size_t i = 0; i < page->report.files.count; i++)
        count += page->report.files.items[i].functions.count;
    return count;
}

/* Adds the costs of the first functions by time. The questions are spelt as the page spells them.
 */
static void add_function_costs(struct writer *writer)
{
    const struct sc_page_functions *functions =
        sc_page_function_list(writer->page, NULL, SIZE_MAX, NULL);
    for (size_t i = 0; i < functions->items.count && i < writer->limits->costs / 4; i++) {
        const struct sc_page_function *one = &functions->items.items[i];
        SC_AUTO(sc_str_done) struct sc_str question = {0};
        sc_str_add_format(
            &question, "api/cost?file=%zu&function=", sc_page_number_of(writer->page, one->file));
        sc_str_add_encoded(&question, one->function->name, "");
        sc_str_add_format(&question, "&line=%u", one->function->lineno);
        (void)add_answer(writer, sc_str_text(&question));
    }
}

/* Adds the functions by time; where not all of them fit, also the first ones by each column. */
static void add_functions(struct writer *writer)
{
    size_t count = function_count(writer->page);
    writer->rows_left = writer->limits->function_rows;
    size_t added = add_rows(writer, "api/functions?file=all&sort=time", "", count);
    add_function_costs(writer);
    if (added >= count)
        return;
    sc_vec_push(&writer->page->left_out,
                sc_format("%s of %s functions, those with the least time",
                          sc_number_count(count - added).text, sc_number_count(count).text));
    for (int i = 0; i < SC_COLUMN_COUNT_; i++) {
        const struct sc_column *column = &sc_columns[i];
        if (i == SC_COLUMN_SELF || /* the order by time */
            column->unit == SC_UNIT_CURVE ||
            (column->shown != NULL && !column->shown(&writer->page->report.parts)))
            continue;
        SC_AUTO_FREE char *question =
            sc_format("api/functions?file=all&sort=%s&first=0&count=%d", column->id, (int)PIECE);
        (void)add_answer(writer, question);
    }
    writer->is_cut = false;
}

/* Adds the lines and functions of a part of the run, if the profile has it. part: "&time=cpu" or
 * the like. False when it was not added. */
static bool add_part(struct writer *writer, const char *part, size_t rows)
{
    struct sc_err err = {0};
    const struct sc_page_part *of_run;
    SC_AUTO_FREE char *question = sc_format("api/part?%s", part + 1);
    struct sc_query query = sc_query_read(question);
    if (!sc_page_part_of(writer->page, &query, &of_run, &err) || !add_answer(writer, question))
        return false;
    writer->rows_left = rows;
    (void)add_rows(writer, "api/functions?file=all&sort=time", part, function_count(writer->page));
    writer->rows_left = rows;
    for (size_t i = 0; i < writer->page->report.files.count && writer->rows_left > 0; i++) {
        if (!sc_page_part_of(writer->page, &query, &of_run, &err))
            return false;
        size_t count = sc_page_table(writer->page, of_run, i, SC_MODE_HOT)->rows.count;
        SC_AUTO_FREE char *table = sc_format("api/file?file=%zu&mode=hot", i);
        (void)add_rows(writer, table, part, count);
    }
    return true;
}

/* Adds a span or a thread with its stacks: all of its time, or one kind of it. False when there is
 * no room for more. */
static bool add_stretch(struct writer *writer, const char *stretch, const char *time, size_t begin)
{
    SC_AUTO_FREE char *part =
        time != NULL ? sc_format("%s&time=%s", stretch, time) : sc_strdup(stretch);
    SC_AUTO_FREE char *tree =
        sc_format("api/stacks?kind=%s%s", time != NULL ? time : "time", stretch);
    if (writer->members->length - begin > writer->limits->span_bytes ||
        !add_part(writer, part, writer->limits->span_rows))
        return false;
    (void)add_answer(writer, tree);
    return true;
}

/* Adds the threads, and the halves of the run, the halves of these and so on, with all time (NULL)
 * or one kind of it. False when there is no room for more. */
static bool add_stretches_of(struct writer *writer, const char *time, size_t begin)
{
    const struct sc_page_stacks *stacks = sc_page_stacks_of(writer->page);
    const struct sc_timeline_view *timeline = &stacks->timeline;
    size_t threads =
        timeline->threads.count < THREADS_MOST ? timeline->threads.count : THREADS_MOST;
    for (size_t i = 0; i < threads; i++) {
        SC_AUTO_FREE char *part = sc_format("&thread=%s", timeline->threads.items[i].id);
        if (!add_stretch(writer, part, time, begin))
            return false;
    }
    for (unsigned parts = 2; parts <= SPANS_MOST; parts *= 2) {
        for (unsigned at = 0; at < parts; at++) {
            SC_AUTO_FREE char *part =
                sc_format("&from_s=%.9g&to_s=%.9g", stacks->end_s * at / parts,
                          stacks->end_s * (at + 1) / parts);
            if (!add_stretch(writer, part, time, begin))
                return false;
        }
    }
    return true;
}

/* A page without a server shows the stretch that is nearest to what is chosen. */
static void add_stretches(struct writer *writer)
{
    size_t begin = writer->members->length;
    bool has_room = add_stretches_of(writer, NULL, begin);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]) && has_room; i++)
        has_room = add_stretches_of(writer, times[i], begin);
}

/* The stacks of memory at each moment that the profile has. */
static void add_moments(struct writer *writer)
{
    size_t begin = writer->members->length;
    for (size_t i = 0; i < writer->page->profile.call_moments_s.count && i < SC_PAGE_MOMENTS_MAX;
         i++) {
        SC_AUTO_FREE char *question = sc_format("api/stacks?kind=moment&moment=%zu", i);
        if (writer->members->length - begin > writer->limits->span_bytes)
            return;
        (void)add_answer(writer, question);
    }
}

static void add_extras(struct writer *writer, enum sc_page_form form)
{
    for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++) {
        if (!extras[i].is_in[form])
            continue;
        writer->is_cut = false;
        if (!add_answer(writer, extras[i].question) && writer->is_cut && extras[i].title != NULL)
            sc_vec_push(&writer->page->left_out, sc_strdup(extras[i].title));
    }
}

/* Whether a run of this span, drawn in that many bins, is only one bin long: it may then stand for
 * several shorter ones. */
static bool hides_runs(const struct sc_page_stacks *stacks, double from_s, double to_s, size_t bins)
{
    SC_AUTO(sc_timeline_span_done) struct sc_timeline_span span = {0};
    double bin_s = (to_s - from_s) / (double)bins;
    bool hides = false;
    sc_timeline_span_init(&span, &stacks->timeline, from_s, to_s, bins);
    for (size_t i = 0; i < span.runs.count && !hides; i++)
        hides = span.runs.items[i].end_s - span.runs.items[i].start_s < 1.001 * bin_s;
    return hides;
}

/* Adds parts of the timeline at 2, 8 and 32 times the resolution, where the next coarser one hides
 * runs, so that the reader can zoom in. They overlap by half: a window of half a part lies within
 * one of them. */
static void add_timeline_parts(struct writer *writer)
{
    static const unsigned parts[] = {1, 2, 8, 32};
    const struct sc_page_stacks *stacks = sc_page_stacks_of(writer->page);
    size_t begin = writer->members->length;
    for (size_t i = 1; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t coarse = TIMELINE_BINS * parts[i - 1] / parts[i];
        double step_s = stacks->end_s / (2 * parts[i]);
        for (unsigned at = 0; at < 2 * parts[i] - 1; at++) {
            double from_s = at * step_s;
            double to_s = from_s + 2 * step_s;
            if (writer->members->length - begin > writer->limits->timeline_bytes)
                return;
            if (!hides_runs(stacks, from_s, to_s, coarse))
                continue;
            SC_AUTO_FREE char *question = sc_format("api/timeline?from_s=%.9g&to_s=%.9g&bins=%d",
                                                    from_s, to_s, (int)TIMELINE_BINS);
            (void)add_answer(writer, question);
        }
    }
}

/* How long the overview is before anything has been left out. */
static size_t overview_length(struct sc_page *page)
{
    struct sc_err err = {0};
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    (void)sc_page_ask(page, "api/overview", &answer, &err);
    size_t length = answer.length;
    return length;
}

void sc_page_select(struct sc_page *page, enum sc_page_form form, struct sc_str *ret_members)
{
    struct writer writer = {.page = page,
                            .limits = &limits_of[form],
                            .members = ret_members,
                            .begin = ret_members->length};
    page->served = false;
    page->notebook = form == SC_PAGE_NOTEBOOK;
    for (size_t i = 0; i < page->stored.count; i++)
        (void)add_answer(&writer, page->stored.items[i].question);
    if (page->stored.count > 0)
        return;
    writer.reserved = overview_length(page);
    add_files(&writer);
    add_functions(&writer);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]) && writer.limits->time_rows > 0; i++) {
        SC_AUTO_FREE char *part = sc_format("&time=%s", times[i]);
        (void)add_part(&writer, part, writer.limits->time_rows);
    }
    writer.is_cut = false;
    add_extras(&writer, form);
    if (writer.limits->timeline_bytes > 0)
        add_timeline_parts(&writer);
    if (writer.limits->span_bytes > 0) {
        add_stretches(&writer);
        add_moments(&writer);
    }
    writer.reserved = 0;
    writer.limits = &limits_of[SC_PAGE_FILE]; /* it lists what was left out, so it must fit */
    (void)add_answer(&writer, "api/overview");
}

/* -------- the file -------- */

/* In JSON a '<' occurs only in strings, where it can be escaped: so no text can end the element or
 * open a comment. */
static void add_harmless(struct sc_str *html, const struct sc_str *json)
{
    const char *at = sc_str_text(json);
    for (;;) {
        size_t plain = strcspn(at, "<");
        sc_str_add_bytes(html, at, plain);
        at += plain;
        if (*at == '\0')
            return;
        sc_str_add(html, "\\u003c");
        at++;
    }
}

static void add_bundled(struct sc_str *html, enum sc_bundle_id id)
{
    sc_str_add_bytes(html, sc_bundle[id].bytes, sc_bundle[id].length);
}

/* Copies the markup up to the mark and returns the place behind it; tools/embed_page.py checks that
 * the marks are there. */
static const char *copy_to(struct sc_str *html, const char *markup, const char *mark)
{
    const char *place = strstr(markup, mark);
    if (place == NULL)
        return markup;
    sc_str_add_bytes(html, markup, (size_t)(place - markup));
    return place + strlen(mark);
}

void sc_page_standalone(struct sc_page *page, enum sc_page_form form, struct sc_str *ret_html)
{
    SC_AUTO(sc_str_done) struct sc_str answers = {0};
    sc_page_select(page, form, &answers);
    const char *markup = copy_to(ret_html, sc_bundle[SC_BUNDLE_MARKUP].bytes, SC_BUNDLE_HEAD_MARK);
    sc_str_add_format(
        ret_html,
        SC_BUNDLE_HEAD_MARK
        "\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; "
        "form-action 'none'\">",
        sc_bundle[SC_BUNDLE_SCRIPT].hash, sc_bundle[SC_BUNDLE_STYLE].hash);
    markup = copy_to(ret_html, markup, SC_BUNDLE_STYLE_MARK);
    sc_str_add(ret_html, "<style>");
    add_bundled(ret_html, SC_BUNDLE_STYLE);
    sc_str_add(ret_html, "</style>");
    markup = copy_to(ret_html, markup, SC_BUNDLE_SCRIPT_MARK);
    sc_str_add(ret_html, "<script type=\"application/json\" id=\"answers\">{");
    add_harmless(ret_html, &answers);
    sc_str_add(ret_html, "}</script>\n<script>");
    add_bundled(ret_html, SC_BUNDLE_SCRIPT);
    sc_str_add(ret_html, "</script>");
    sc_str_add(ret_html, markup);
}
