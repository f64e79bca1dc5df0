/*
 * cli/cmd_view.c - `scalene view`: showing a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd_view.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "profile/profile.h"
#include "render/paint.h"
#include "render/render.h"
#include "render/screen.h"
#include "report/report.h"

/* Width of sentences where there is no table to be as wide as. */
#define NOTICE_WIDTH 100U

bool sc_view_load(const char *path, struct sc_profile *ret_profile, struct sc_err *err)
{
    struct sc_str bytes = {0};
    struct sc_err cause = {0};
    bool loaded = sc_read_file(path, SC_PROFILE_BYTES_MAX, &bytes, &cause);
    if (!loaded) {
        bool is_absent = access(path, F_OK) != 0;
        (void)sc_fail(err, SC_ERR_FAILED, "%s%s", cause.text,
                      is_absent ? "; 'scalene run program.py' writes a profile" : "");
    } else {
        static const char known[] = "not a profile: ";
        loaded = sc_profile_from_json(sc_str_text(&bytes), bytes.length, ret_profile, &cause);
        const char *why = cause.text;
        if (sc_starts_with(why, known))
            why += strlen(known);
        if (!loaded)
            (void)sc_fail(err, SC_ERR_FAILED, "'%.200s' is not a profile: %s", path, why);
    }
    sc_str_done(&bytes);
    return loaded;
}

/* What to say of a profile without content, with the reasons it gives. */
static void empty_notice(const char *path, const struct sc_report *report,
                         const struct sc_screen *screen, struct sc_str *ret_text)
{
    unsigned width = screen->width < NOTICE_WIDTH ? screen->width : NOTICE_WIDTH;
    struct sc_painter painter;
    sc_painter_init(&painter, ret_text, screen->color, screen->unicode);
    sc_paint(&painter, SC_STYLE_NOTICE, "There is no profile data in ");
    sc_paint(&painter, SC_STYLE_NOTICE, path);
    sc_paint(&painter, SC_STYLE_NOTICE, ".");
    sc_paint_newline(&painter);
    for (size_t i = 0; i < report->overview.quality.count; i++) {
        sc_paint(&painter, SC_STYLE_DIM, painter.signs->bullet);
        sc_paint_space(&painter, 1);
        sc_paint_words(&painter, SC_STYLE_PLAIN, report->overview.quality.items[i], width);
        sc_paint_newline(&painter);
    }
}

static void render_profile(const char *path, const struct sc_profile *profile, bool reduced,
                           const struct sc_screen *screen, struct sc_str *ret_text)
{
    struct sc_render_options options = {screen->width, screen->color, screen->unicode};
    struct sc_report report;
    sc_report_init(&report, profile, reduced);
    if (sc_profile_is_empty(profile))
        empty_notice(path, &report, screen, ret_text);
    else
        sc_render(&sc_render_terminal, &report, &options, ret_text);
    sc_report_done(&report);
}

static bool view_in_terminal(const struct sc_view_options *options, struct sc_err *err)
{
    const char *path = options->file != NULL ? options->file : SC_DEFAULT_PROFILE;
    struct sc_profile profile = {0};
    struct sc_str text = {0};
    bool done = sc_view_load(path, &profile, err);
    if (done) {
        struct sc_screen screen = sc_screen_of(STDOUT_FILENO);
        render_profile(path, &profile, options->reduced, &screen, &text);
        done = sc_screen_show(&screen, STDOUT_FILENO, &text, err);
    }
    sc_str_done(&text);
    sc_profile_done(&profile);
    return done;
}

int sc_cmd_view(const struct sc_view_options *options)
{
    struct sc_err err = {0};
    if (options->cli)
        (void)view_in_terminal(options, &err);
    else
        (void)sc_view_page(options, &err);
    if (err.kind != SC_ERR_NONE)
        (void)fprintf(stderr, "scalene: view: %s\n", err.text);
    return sc_err_status(&err);
}
