/*
 * cli/cmd_view.c - `scalene view`: showing a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/keys.h"
#include "assist/place.h"
#include "base/helper.h"
#include "base/io.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/interpreter.h"
#include "cli/kept.h"
#include "cli/outfile.h"
#include "cli/profile_file.h"
#include "page/page.h"
#include "page/standalone.h"
#include "profile/profile.h"
#include "render/paint.h"
#include "render/render.h"
#include "render/screen.h"
#include "report/report.h"
#include "report/stacks.h"
#include "server/browser.h"
#include "server/serve.h"

#define DEFAULT_PAGE "scalene-profile.html"

/* Width of sentences where there is no table to be as wide as. */
#define NOTICE_WIDTH 100U

/* Whether lines that cost nothing are left out. */
static bool is_reduced(const struct sc_value *of)
{
    return of[SC_OPT_VIEW_REDUCED].flag || !of[SC_OPT_VIEW_ALL_LINES].flag;
}

/* -------- in the terminal -------- */

/* What to say of a profile without content, with the reasons it gives. */
static void empty_notice(const char *path, const struct sc_report *report,
                         const struct sc_screen *screen, struct sc_str *ret_text)
{
    unsigned width =
        screen->rendering.width < NOTICE_WIDTH ? screen->rendering.width : NOTICE_WIDTH;
    struct sc_painter painter =
        sc_painter_of(ret_text, screen->rendering.color, screen->rendering.unicode);
    sc_paint(&painter, SC_STYLE_NOTICE, "There is no profile data in ");
    sc_paint(&painter, SC_STYLE_NOTICE, path);
    sc_paint(&painter, SC_STYLE_NOTICE, ".");
    sc_paint_newline(&painter);
    for (size_t i = 0; i < report->overview.quality.count; i++) {
        sc_paint(&painter, SC_STYLE_DIM, painter.signs->bullet);
        sc_paint_space(&painter, 1);
        sc_paint_paragraph(&painter, SC_STYLE_PLAIN, report->overview.quality.items[i], width);
    }
}

/* Reads the profile, or what is left of the time that is asked for. */
static bool read_profile(const struct sc_value *of, const char *path, struct sc_profile *profile,
                         struct sc_err *err)
{
    const char *moment = sc_value_given(&of[SC_OPT_VIEW_AT]);
    if (moment != NULL)
        return sc_kept_read(path, moment, profile, err);
    return of[SC_OPT_VIEW_FOLLOW].flag ? sc_profile_file_read_followed(path, profile, err)
                                       : sc_profile_file_read(path, profile, err);
}

static void render_profile(const char *path, const struct sc_profile *profile,
                           const struct sc_value *of, uint32_t unit, const struct sc_screen *screen,
                           struct sc_str *ret_text)
{
    struct sc_render_options rendering = screen->rendering;
    rendering.why = of[SC_OPT_VIEW_WHY].flag;
    SC_AUTO(sc_report_done) struct sc_report report = {0};
    sc_report_init(&report, profile, is_reduced(of));
    if (of[SC_OPT_VIEW_JSON].flag)
        sc_render_json(&report, ret_text);
    else if (sc_profile_is_empty(profile) && profile->units.count == 0)
        empty_notice(path, &report, screen, ret_text);
    else if (of[SC_OPT_VIEW_TREE].flag)
        sc_render_terminal_tree(&report, &rendering, !is_reduced(of), unit, ret_text);
    else
        sc_render_terminal(&report, &rendering, ret_text);
}

static bool render_line(const char *words, const struct sc_profile *profile,
                        struct sc_str *ret_text, struct sc_err *err)
{
    const struct sc_file *file = NULL;
    const struct sc_line *line = sc_ai_line_parse(profile, words, &file, err);
    if (line == NULL)
        return false;
    SC_AUTO(sc_report_done) struct sc_report report = {0};
    sc_report_init(&report, profile, true);
    sc_render_json_line(&report, file, line, ret_text);
    return true;
}

static bool render_file(const char *name, const struct sc_profile *profile, bool is_all,
                        struct sc_str *ret_text, struct sc_err *err)
{
    const struct sc_file *file = sc_ai_file_find(profile, name, strlen(name), err);
    if (file == NULL)
        return false;
    SC_AUTO(sc_report_done) struct sc_report report = {0};
    sc_report_init(&report, profile, true);
    sc_render_json_file(&report, file, is_all, ret_text);
    return true;
}

static bool view_as_text(const struct sc_value *of, const char *path, struct sc_err *err)
{
    const char *outfile = sc_value_given(&of[SC_OPT_VIEW_OUTFILE]);
    const char *line = sc_value_given(&of[SC_OPT_VIEW_LINE]);
    const char *place = sc_value_given(&of[SC_OPT_VIEW_FILE]);
    const char *unit_name = sc_value_given(&of[SC_OPT_VIEW_UNIT]);
    uint32_t unit = SC_NONE;
    SC_AUTO(sc_profile_done) struct sc_profile profile = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    if (!read_profile(of, path, &profile, err) ||
        (unit_name != NULL && !sc_unit_find(&profile, unit_name, &unit, err)))
        return false;
    bool is_screen = outfile == NULL && !of[SC_OPT_VIEW_JSON].flag;
    struct sc_screen screen = sc_screen_of(is_screen ? STDOUT_FILENO : -1); /* -1: no pager */
    bool done = true;
    if (line != NULL)
        done = render_line(line, &profile, &text, err);
    else if (place != NULL)
        done = render_file(place, &profile, !is_reduced(of), &text, err);
    else
        render_profile(path, &profile, of, unit, &screen, &text);
    if (done && outfile != NULL)
        return sc_write_private_file(outfile, text.data, text.length, err);
    return done && sc_screen_show(&screen, STDOUT_FILENO, &text, err);
}

/* -------- in the browser, and as a file for it -------- */

static bool print_page(struct sc_page *page, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str html = {0};
    sc_page_standalone(page, SC_PAGE_NOTEBOOK, &html);
    bool is_written =
        fwrite(html.data, 1, html.length, stdout) == html.length && fflush(stdout) == 0;
    if (!is_written)
        (void)sc_fail(err, SC_ERR_FAILED, "the page cannot be written: %s", strerror(errno));
    return is_written;
}

/* As with the original, "demo" is a page that waits for a profile to be dropped on it. */
static bool is_demo(const char *path)
{
    return strcmp(path, "demo") == 0 && access(path, F_OK) != 0;
}

/* The name of the first of some options, which SC_OPT_COUNT_ ends, that is given; NULL: none. */
static const char *first_given(const struct sc_value *of, const enum sc_option_id *ids)
{
    for (; *ids != SC_OPT_COUNT_; ids++)
        if (of[*ids].flag || of[*ids].count != 0 || sc_value_given(&of[*ids]) != NULL)
            return sc_options[*ids].name;
    return NULL;
}

#define GIVEN(of, ...) first_given(of, (const enum sc_option_id[]){__VA_ARGS__, SC_OPT_COUNT_})

/* Serves the page, which *ret_is_unseen then leaves to be written to a file. Where somebody wants
 * its address alone it is served without a browser, too. */
static bool serve_page(const struct sc_value *of, struct sc_page *page, struct sc_follow *follow,
                       bool *ret_is_unseen, struct sc_err *err)
{
    bool is_address = page->path == NULL ||
                      GIVEN(of, SC_OPT_VIEW_NO_BROWSER, SC_OPT_VIEW_PORT, SC_OPT_VIEW_HOST) != NULL;
    *ret_is_unseen = !is_address && !sc_browser_is_possible();
    if (*ret_is_unseen)
        return true;
    SC_AUTO_FREE char *python = sc_interpreter_find(NULL, NULL);
    struct sc_serve_options serve = {.host = sc_value_given(&of[SC_OPT_VIEW_HOST]),
                                     .port = (unsigned)of[SC_OPT_VIEW_PORT].count,
                                     .no_browser = of[SC_OPT_VIEW_NO_BROWSER].flag,
                                     .python = python,
                                     .follow = follow,
                                     .is_unseen = is_address ? NULL : ret_is_unseen};
    return sc_serve(page, &serve, err);
}

static bool view_page(const struct sc_value *of, const char *path, struct sc_err *err)
{
    struct sc_profile profile = {0};
    sc_ai_shut_process();
    bool is_unseen = false;
    bool is_followed = of[SC_OPT_VIEW_FOLLOW].flag;
    if (is_demo(path))
        path = NULL;
    struct sc_follow follow;
    if (path != NULL)
        sc_follow_init(&follow, path);
    if (path != NULL && !read_profile(of, path, &profile, err))
        return false;
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, path);
    bool is_notebook = of[SC_OPT_VIEW_NOTEBOOK].flag;
    if (!is_notebook &&
        GIVEN(of, SC_OPT_VIEW_HTML, SC_OPT_VIEW_STANDALONE, SC_OPT_VIEW_OUTFILE) == NULL) {
        struct sc_follow *followed = is_followed && path != NULL ? &follow : NULL;
        bool is_served = serve_page(of, page, followed, &is_unseen, err);
        if (!is_unseen)
            return is_served;
    }
    const char *outfile = sc_value_given(&of[SC_OPT_VIEW_OUTFILE]);
    outfile = outfile != NULL ? outfile : DEFAULT_PAGE;
    bool is_written =
        is_notebook ? print_page(page, err) : sc_page_file_write(page, "Profile", outfile, err);
    if (is_written && is_unseen)
        (void)fprintf(stderr,
                      "scalene: view: no graphical browser shows it, so the page was written to a "
                      "file: %s\n"
                      "scalene: view: `scalene view --cli` shows the profile here, "
                      "`scalene view --no-browser` serves the page\n",
                      outfile);
    sc_page_done(page);
    free(page);
    return is_written;
}

/* -------- the command -------- */

static bool exclude(const char *form, const char *other, struct sc_err *err)
{
    return form == NULL || other == NULL ||
           sc_fail(err, SC_ERR_USAGE, "--%s does not go with --%s", form, other);
}

/* Text for a terminal, text for scripts and pages exclude each other, and only a page is shown
 * anew. A file excludes what is shown elsewhere, and keys are of use only where a server asks
 * services. */
static bool is_one_form(const struct sc_value *of, struct sc_err *err)
{
    const char *line = GIVEN(of, SC_OPT_VIEW_LINE);
    const char *place = GIVEN(of, SC_OPT_VIEW_FILE);
    const char *json = GIVEN(of, SC_OPT_VIEW_JSON);
    const char *terminal = GIVEN(of, SC_OPT_VIEW_TREE, SC_OPT_VIEW_CLI);
    const char *page = GIVEN(of, SC_OPT_VIEW_HTML, SC_OPT_VIEW_STANDALONE, SC_OPT_VIEW_NOTEBOOK);
    const char *file = GIVEN(of, SC_OPT_VIEW_OUTFILE);
    const char *served =
        GIVEN(of, SC_OPT_VIEW_NO_BROWSER, SC_OPT_VIEW_PORT, SC_OPT_VIEW_HOST, SC_OPT_VIEW_FOLLOW);
    const char *text = json != NULL ? json : terminal;
    const char *form = file != NULL ? file : text != NULL ? text : page;
    if ((line != NULL || place != NULL) && json == NULL)
        return sc_fail(err, SC_ERR_USAGE, "--%s goes with --json", line != NULL ? line : place);
    if (GIVEN(of, SC_OPT_VIEW_UNIT) != NULL && !of[SC_OPT_VIEW_TREE].flag)
        return sc_fail(err, SC_ERR_USAGE, "--unit goes with --tree");
    if (of[SC_OPT_VIEW_WHY].flag && !of[SC_OPT_VIEW_CLI].flag)
        return sc_fail(err, SC_ERR_USAGE, "--why goes with --cli");
    return exclude(line, place, err) && exclude(text, page, err) && exclude(json, terminal, err) &&
           exclude(text, GIVEN(of, SC_OPT_VIEW_FOLLOW), err) &&
           exclude(GIVEN(of, SC_OPT_VIEW_AT), GIVEN(of, SC_OPT_VIEW_FOLLOW), err) &&
           exclude(file, of[SC_OPT_VIEW_NOTEBOOK].flag ? page : served, err) &&
           exclude(form, GIVEN(of, SC_OPT_VIEW_API_KEYS), err);
}

int sc_cmd_view(const struct sc_values *values, const struct sc_words *files, struct sc_err *err)
{
    const struct sc_value *of = values->of;
    const char *path = files->count > 0 ? files->items[0] : SC_DEFAULT_PROFILE;
    const char *outfile = sc_value_given(&of[SC_OPT_VIEW_OUTFILE]);
    sc_helper_read_below(sc_value_given(&of[SC_OPT_VIEW_SOURCES_BELOW]));
    if (files->count > 1)
        return sc_fail(err, SC_ERR_USAGE, "only one profile can be shown");
    if (!is_one_form(of, err))
        return 1;
    if (outfile != NULL && sc_output_is_same(path, outfile))
        return sc_fail(err, SC_ERR_FAILED, "'%.200s' is the profile itself", outfile);
    if (GIVEN(of, SC_OPT_VIEW_CLI, SC_OPT_VIEW_TREE, SC_OPT_VIEW_JSON) != NULL)
        (void)view_as_text(of, path, err);
    else
        (void)view_page(of, path, err);
    return 0;
}
