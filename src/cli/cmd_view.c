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
#include "cli/profile_file.h"
#include "page/ask.h"
#include "page/page.h"
#include "page/standalone.h"
#include "profile/profile.h"
#include "render/paint.h"
#include "render/render.h"
#include "render/screen.h"
#include "report/report.h"
#include "server/browser.h"
#include "server/serve.h"

#define DEFAULT_PAGE "scalene-profile.html"

/* Width of sentences where there is no table to be as wide as. */
#define NOTICE_WIDTH 100U

/* Initialise with {0}. The members after reduced are for the page. */
struct view_options {
    const char *file; /* NULL: SC_DEFAULT_PROFILE */
    bool cli;
    bool tree;
    bool json;
    const char *line;  /* with json: FILE:LINE; NULL: all */
    const char *place; /* with json: FILE; NULL: all */
    bool why;
    bool reduced;
    bool html;
    bool standalone;
    bool notebook; /* to standard output */
    const char
        *outfile; /* where the text or the page goes; NULL: standard output, or the browser */
    bool no_browser;
    bool follow;      /* the file is written again and again */
    bool env_keys;    /* asked for by name; what the page's server does anyway */
    unsigned port;    /* 0: any */
    const char *host; /* NULL: the loopback address */
};

/* -------- in the terminal -------- */

/* What to say of a profile without content, with the reasons it gives. */
static void empty_notice(const char *path, const struct sc_report *report,
                         const struct sc_screen *screen, struct sc_str *ret_text)
{
    unsigned width =
        screen->rendering.width < NOTICE_WIDTH ? screen->rendering.width : NOTICE_WIDTH;
    struct sc_painter painter;
    sc_painter_init(&painter, ret_text, screen->rendering.color, screen->rendering.unicode);
    sc_paint(&painter, SC_STYLE_NOTICE, "There is no profile data in ");
    sc_paint(&painter, SC_STYLE_NOTICE, path);
    sc_paint(&painter, SC_STYLE_NOTICE, ".");
    sc_paint_newline(&painter);
    for (size_t i = 0; i < report->overview.quality.count; i++) {
        sc_paint(&painter, SC_STYLE_DIM, painter.signs->bullet);
        sc_paint_space(&painter, 1);
        sc_paint_wrapped(&painter, SC_STYLE_PLAIN, report->overview.quality.items[i], width);
        sc_paint_newline(&painter);
    }
}

static void render_profile(const char *path, const struct sc_profile *profile,
                           const struct view_options *options, const struct sc_screen *screen,
                           struct sc_str *ret_text)
{
    struct sc_render_options rendering = screen->rendering;
    rendering.why = options->why;
    SC_AUTO(sc_report_done) struct sc_report report = {0};
    sc_report_init(&report, profile, options->reduced);
    if (options->json)
        sc_render_json(&report, ret_text);
    else if (sc_profile_is_empty(profile) && profile->units.count == 0)
        empty_notice(path, &report, screen, ret_text);
    else if (options->tree)
        sc_render_terminal_tree(&report, &rendering, !options->reduced, ret_text);
    else
        sc_render_terminal(&report, &rendering, ret_text);
}

static bool render_line(const char *words, const struct sc_profile *profile,
                        struct sc_str *ret_text, struct sc_err *err)
{
    struct sc_ai_place place = {0};
    if (!sc_ai_place_parse(profile, words, SC_AI_LINE, &place, err))
        return false;
    struct sc_report report;
    sc_report_init(&report, profile, true);
    sc_render_json_line(&report, place.file, &place.file->lines.items[place.first - 1], ret_text);
    sc_report_done(&report);
    sc_ai_place_done(&place);
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

static bool view_as_text(const struct view_options *options, struct sc_err *err)
{
    const char *path = options->file != NULL ? options->file : SC_DEFAULT_PROFILE;
    SC_AUTO(sc_profile_done) struct sc_profile profile = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    bool done = sc_profile_file_read(path, &profile, err);
    if (done) {
        bool is_screen = options->outfile == NULL && !options->json;
        struct sc_screen screen = sc_screen_of(is_screen ? STDOUT_FILENO : -1); /* -1: no pager */
        if (options->line != NULL)
            done = render_line(options->line, &profile, &text, err);
        else if (options->place != NULL)
            done = render_file(options->place, &profile, !options->reduced, &text, err);
        else
            render_profile(path, &profile, options, &screen, &text);
        if (done)
            done = options->outfile != NULL
                       ? sc_write_private_file(options->outfile, text.data, text.length, err)
                       : sc_screen_show(&screen, STDOUT_FILENO, &text, err);
    }
    return done;
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

/* Serves the page, which *ret_is_unseen then leaves to be written to a file. Where somebody wants
 * its address alone it is served without a browser, too. */
static bool serve_page(const struct view_options *options, struct sc_page *page,
                       struct sc_follow *follow, bool *ret_is_unseen, struct sc_err *err)
{
    bool is_address =
        page->path == NULL || options->no_browser || options->port != 0 || options->host != NULL;
    *ret_is_unseen = !is_address && !sc_browser_is_possible();
    if (*ret_is_unseen)
        return true;
    SC_AUTO_FREE char *python = sc_interpreter_find(NULL, NULL);
    struct sc_serve_options serve = {.host = options->host,
                                     .port = options->port,
                                     .no_browser = options->no_browser,
                                     .python = python,
                                     .follow = follow,
                                     .is_unseen = is_address ? NULL : ret_is_unseen};
    return sc_serve(page, &serve, err);
}

static bool view_page(const struct view_options *options, struct sc_err *err)
{
    const char *path = options->file != NULL ? options->file : SC_DEFAULT_PROFILE;
    struct sc_profile profile = {0};
    sc_ai_shut_process();
    bool is_unseen = false;
    if (is_demo(path))
        path = NULL;
    struct sc_follow follow;
    if (path != NULL)
        sc_follow_init(&follow, path);
    if (path != NULL && !(options->follow ? sc_profile_file_read_followed
                                          : sc_profile_file_read)(path, &profile, err))
        return false;
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    sc_page_init(page, &profile, path);
    bool is_asked = options->html || options->standalone || options->outfile != NULL;
    if (!is_asked && !options->notebook) {
        bool is_followed = options->follow && path != NULL;
        bool is_served = serve_page(options, page, is_followed ? &follow : NULL, &is_unseen, err);
        if (!is_unseen)
            return is_served;
    }
    const char *outfile = options->outfile != NULL ? options->outfile : DEFAULT_PAGE;
    bool is_written = options->notebook ? print_page(page, err)
                                        : sc_page_file_write(page, "Profile", outfile, err);
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
           sc_fail(err, SC_ERR_USAGE, "%s does not go with %s", form, other);
}

/* Text for a terminal, text for scripts and pages exclude each other. A file excludes what is shown
 * elsewhere, and keys are of use only where a server asks services. */
static bool is_one_form(const struct view_options *options, struct sc_err *err)
{
    const char *terminal = options->tree ? "--tree" : options->cli ? "--cli" : NULL;
    const char *text = options->json ? "--json" : terminal;
    const char *page = options->html         ? "--html"
                       : options->standalone ? "--standalone"
                       : options->notebook   ? "--notebook"
                                             : NULL;
    const char *file = options->outfile != NULL ? "--outfile" : NULL;
    const char *served = options->no_browser     ? "--no-browser"
                         : options->port != 0    ? "--port"
                         : options->host != NULL ? "--host"
                         : options->follow       ? "--follow"
                                                 : NULL;
    if (options->line != NULL && !options->json)
        return sc_fail(err, SC_ERR_USAGE, "--line goes with --json");
    if (options->place != NULL && !options->json)
        return sc_fail(err, SC_ERR_USAGE, "--file goes with --json");
    if (options->why && !options->cli)
        return sc_fail(err, SC_ERR_USAGE, "--why goes with --cli");
    const char *keys = options->env_keys ? "--api-keys-from-env" : NULL;
    return exclude(options->line != NULL ? "--line" : NULL,
                   options->place != NULL ? "--file" : NULL, err) &&
           exclude(text, page, err) && exclude(options->json ? text : NULL, terminal, err) &&
           exclude(file, options->notebook ? page : served, err) &&
           exclude(file != NULL   ? file
                   : text != NULL ? text
                                  : page,
                   keys, err);
}

int sc_cmd_view(const struct sc_values *values, const struct sc_words *files, struct sc_err *err)
{
    const struct sc_value *of = values->of;
    struct view_options options = {
        .file = files->count > 0 ? files->items[0] : NULL,
        .cli = of[SC_OPT_VIEW_CLI].flag,
        .tree = of[SC_OPT_VIEW_TREE].flag,
        .json = of[SC_OPT_VIEW_JSON].flag,
        .reduced = of[SC_OPT_VIEW_REDUCED].flag || !of[SC_OPT_VIEW_ALL_LINES].flag,
        .line = sc_value_given(&of[SC_OPT_VIEW_LINE]),
        .place = sc_value_given(&of[SC_OPT_VIEW_FILE]),
        .why = of[SC_OPT_VIEW_WHY].flag,
        .html = of[SC_OPT_VIEW_HTML].flag,
        .standalone = of[SC_OPT_VIEW_STANDALONE].flag,
        .notebook = of[SC_OPT_VIEW_NOTEBOOK].flag,
        .outfile = sc_value_given(&of[SC_OPT_VIEW_OUTFILE]),
        .no_browser = of[SC_OPT_VIEW_NO_BROWSER].flag,
        .follow = of[SC_OPT_VIEW_FOLLOW].flag,
        .env_keys = of[SC_OPT_VIEW_API_KEYS].flag,
        .port = (unsigned)of[SC_OPT_VIEW_PORT].count,
        .host = sc_value_given(&of[SC_OPT_VIEW_HOST]),
    };
    sc_helper_read_below(sc_value_given(&of[SC_OPT_VIEW_SOURCES_BELOW]));
    if (files->count > 1)
        return sc_fail(err, SC_ERR_USAGE, "only one profile can be shown");
    if (!is_one_form(&options, err))
        return 1;
    if (options.cli || options.tree || options.json)
        (void)view_as_text(&options, err);
    else
        (void)view_page(&options, err);
    return 0;
}
