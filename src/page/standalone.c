/*
 * page/standalone.c - the page as one file that needs no server.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page/standalone.h"

#include <stdlib.h>
#include <string.h>

#include "page/bundle.h"
#include "page/cache.h"
#include "report/number.h"

/* As large as a file may be that people send to each other and browsers open at once. */
enum {
    FILES_MAX = 2000,
    HOT_ROWS_MAX = 20000,  /* of lines that cost something */
    FULL_ROWS_MAX = 20000, /* of all lines of the most expensive files */
    FUNCTION_ROWS_MAX = 4000,
    COSTS_MAX = 2000,
    PIECE = 500, /* rows of one answer */
};

/* What is in the file as well, where there is such an answer (page/questions.def). */
static const char *const extras[] = {
#define EXTRA(question) question,
#include "page/standalone.def"
#undef EXTRA
    NULL,
};

struct writer {
    struct sc_page *page;
    struct sc_str answers; /* "question":answer, each behind a comma but the first */
    size_t rows_left;
    size_t costs_left;
    bool is_cut; /* something did not fit */
};

/* Adds the answer to a question; false when there is none. */
static bool add_answer(struct writer *writer, const char *question)
{
    struct sc_err err = {0};
    struct sc_str answer = {0};
    bool is_there =
        sc_page_ask(writer->page, question, &answer, &err) == SC_ANSWER_OK && answer.length > 0;
    if (is_there) {
        struct sc_json_out out = {.text = &writer->answers, .is_compact = true};
        if (writer->answers.length > 0)
            sc_str_add_char(&writer->answers, ',');
        sc_json_string(&out, question);
        sc_str_add_char(&writer->answers, ':');
        sc_str_add_bytes(&writer->answers, answer.data, answer.length);
    }
    sc_str_done(&answer);
    return is_there;
}

/* All pieces of a table that is asked for by the beginning of a question, as far as rows are left.
 */
static void add_rows(struct writer *writer, const char *table, size_t count)
{
    for (size_t first = 0; first < count || first == 0; first += PIECE) {
        if (writer->rows_left == 0) {
            writer->is_cut = true;
            return;
        }
        size_t rows = count - first < PIECE ? count - first : PIECE;
        writer->rows_left -= rows < writer->rows_left ? rows : writer->rows_left;
        SC_AUTO_FREE char *question = sc_format("%s&first=%zu&count=%d", table, first, (int)PIECE);
        (void)add_answer(writer, question);
    }
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

static void add_table(struct writer *writer, size_t file, enum sc_mode mode)
{
    const struct sc_page_table *table = sc_page_table(writer->page, file, mode);
    SC_AUTO_FREE char *question = sc_format("api/file?file=%zu&mode=%s", file, sc_mode_names[mode]);
    add_rows(writer, question, table->rows.count);
    if (mode == SC_MODE_HOT)
        add_costs(writer, sc_page_table(writer->page, file, mode));
}

static void add_functions(struct writer *writer)
{
    size_t count = 0;
    for (size_t i = 0; i < writer->page->report.files.count; i++)
        count += writer->page->report.files.items[i].functions.count;
    writer->rows_left = FUNCTION_ROWS_MAX;
    add_rows(writer, "api/functions?file=all&sort=time", count);
}

/* Files come most expensive first, so what does not fit is what matters least. */
static void add_files(struct writer *writer)
{
    size_t count = writer->page->report.files.count;
    size_t hot = 0;
    size_t full = 0;
    writer->rows_left = HOT_ROWS_MAX;
    writer->costs_left = COSTS_MAX;
    for (; hot < count && hot < FILES_MAX && writer->rows_left > 0; hot++)
        add_table(writer, hot, SC_MODE_HOT);
    writer->rows_left = FULL_ROWS_MAX;
    for (; full < hot && writer->rows_left > 0; full++) {
        add_table(writer, full, SC_MODE_ALL);
        add_table(writer, full, SC_MODE_FUNCTIONS);
    }
    if (hot < count)
        sc_vec_push(&writer->page->left_out,
                    sc_format("the lines of %s of %s files, those with the least time",
                              sc_number_count(count - hot).text, sc_number_count(count).text));
    if (full < hot || writer->is_cut)
        sc_vec_push(&writer->page->left_out,
                    sc_format("lines that cost nothing, but for the %s most expensive files",
                              sc_number_count(full).text));
}

static void add_answers(struct writer *writer)
{
    writer->page->served = false;
    add_files(writer);
    add_functions(writer);
    for (size_t i = 0; extras[i] != NULL; i++)
        (void)add_answer(writer, extras[i]);
    (void)add_answer(writer, "api/overview"); /* says what was left out */
}

/* In JSON a '<' stands in strings alone, where it has another spelling: so no text can end the
 * element, or open a comment. */
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

static void add_part(struct sc_str *html, enum sc_bundle_id id)
{
    sc_str_add_bytes(html, sc_bundle[id].bytes, sc_bundle[id].length);
}

/* Copies the markup up to the mark, which is then passed over; tools/embed_page.py has seen to it
 * that the marks are there. */
static const char *copy_to(struct sc_str *html, const char *markup, const char *mark)
{
    const char *place = strstr(markup, mark);
    if (place == NULL)
        return markup;
    sc_str_add_bytes(html, markup, (size_t)(place - markup));
    return place + strlen(mark);
}

void sc_page_standalone(struct sc_page *page, struct sc_str *ret_html)
{
    struct writer writer = {.page = page};
    add_answers(&writer);
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
    add_part(ret_html, SC_BUNDLE_STYLE);
    sc_str_add(ret_html, "</style>");
    markup = copy_to(ret_html, markup, SC_BUNDLE_SCRIPT_MARK);
    sc_str_add(ret_html, "<script type=\"application/json\" id=\"answers\">{");
    add_harmless(ret_html, &writer.answers);
    sc_str_add(ret_html, "}</script>\n<script>");
    add_part(ret_html, SC_BUNDLE_SCRIPT);
    sc_str_add(ret_html, "</script>");
    sc_str_add(ret_html, markup);
    sc_str_done(&writer.answers);
}
