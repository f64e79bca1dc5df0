/*
 * cli/cmd_diff.c - `scalene diff`: two versions of a program, by their profiles.
 *
 * Two operands are before and after. With several runs of one side, "--" stands between the two
 * sides; options may stand on both sides of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/outfile.h"
#include "cli/profile_file.h"
#include "compare/compare.h"
#include "compare/limits.h"
#include "page/comparison.h"
#include "page/page.h"
#include "render/comparison.h"
#include "render/screen.h"
#include "server/browser.h"
#include "server/serve.h"

/* Ends with this where a limit is exceeded (docs/exit-status.md). */
#define EXCEEDED 3

#define DEFAULT_PAGE "scalene-diff.html"

/* outfile: what would be written over; NULL: nothing. */
static bool add_operands(struct sc_profile_runs *side, char *const *operands, size_t count,
                         const char *outfile, struct sc_err *err)
{
    SC_AUTO(sc_profile_paths_done) struct sc_profile_paths paths = {0};
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = sc_profile_paths_add(&paths, operands[i], "diff", err);
    sc_profile_paths_once(&paths);
    for (size_t i = 0; i < paths.count && done && outfile != NULL; i++)
        done = !sc_output_is_same(paths.items[i], outfile) ||
               sc_fail(err, SC_ERR_FAILED, "diff: '%.200s' is one of the profiles", outfile);
    for (size_t i = 0; i < paths.count && done; i++)
        done = sc_profile_runs_add(side, paths.items[i], "diff", err);
    return done;
}

static int status_of(const struct sc_limits *limits, bool is_strict)
{
    for (size_t i = 0; i < limits->count; i++)
        if (limits->items[i].outcome == SC_LIMIT_EXCEEDED ||
            (is_strict && limits->items[i].outcome == SC_LIMIT_OPEN))
            return EXCEEDED;
    return 0;
}

/* The page in the browser; as a file where that is asked for, or where no browser can be opened. */
static bool show_page(const struct sc_values *values, const struct sc_comparison *comparison,
                      const struct sc_limits *limits, const char *const names[2],
                      struct sc_err *err)
{
    const char *outfile = sc_value_given(&values->of[SC_OPT_DIFF_OUTFILE]);
    bool is_asked = values->of[SC_OPT_DIFF_HTML].flag;
    bool is_silent = values->of[SC_OPT_DIFF_NO_BROWSER].flag;
    struct sc_page *page = sc_alloc(1, sizeof(*page));
    struct sc_profile none = {0};
    sc_page_init(page, &none, NULL);
    sc_page_compare(page, comparison, limits, names);
    if (!is_asked && (is_silent || sc_browser_is_possible())) {
        bool is_unseen = false;
        struct sc_serve_options serve = {.no_browser = is_silent,
                                         .is_unseen = is_silent ? NULL : &is_unseen};
        bool is_served = sc_serve(page, &serve, err);
        if (!is_unseen)
            return is_served;
    }
    bool is_written =
        sc_page_file_write(page, "Comparison", outfile != NULL ? outfile : DEFAULT_PAGE, err);
    if (is_written && !is_asked)
        (void)fprintf(stderr,
                      "scalene: diff: no graphical browser shows it, so the page was written to a "
                      "file; `--view --no-browser` serves it\n");
    sc_page_done(page);
    free(page);
    return is_written;
}

static bool show_text(const struct sc_values *values, const struct sc_comparison *comparison,
                      const struct sc_limits *limits, struct sc_err *err)
{
    bool is_json = values->of[SC_OPT_DIFF_JSON].flag;
    bool is_all = values->of[SC_OPT_DIFF_ALL].flag;
    struct sc_screen screen = sc_screen_of(is_json ? -1 : STDOUT_FILENO); /* -1: no pager */
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    if (is_json)
        sc_render_comparison_json(comparison, limits, is_all, &text);
    else
        sc_render_comparison(comparison, limits, &screen.rendering, is_all, &text);
    return sc_screen_show(&screen, STDOUT_FILENO, &text, err);
}

/* Returns the exit status. */
static int show(const struct sc_values *values, const struct sc_profile_runs sides[2],
                const char *const names[2], struct sc_limits *limits, struct sc_err *err)
{
    bool is_page = values->of[SC_OPT_DIFF_HTML].flag || values->of[SC_OPT_DIFF_VIEW].flag;
    SC_AUTO(sc_comparison_done) struct sc_comparison comparison = {0};
    const struct sc_match_profiles profiles[2] = {{sides[0].items, sides[0].count},
                                                  {sides[1].items, sides[1].count}};
    sc_comparison_init(&comparison, profiles, 1);
    sc_limits_decide(limits, &comparison);
    bool is_shown = is_page ? show_page(values, &comparison, limits, names, err)
                            : show_text(values, &comparison, limits, err);
    return is_shown ? status_of(limits, values->of[SC_OPT_DIFF_STRICT].flag) : 1;
}

/* The forms exclude each other, and some options are of use with one of them alone. */
static bool is_one_form(const struct sc_values *values, struct sc_err *err)
{
    const struct sc_value *of = values->of;
    bool is_html = of[SC_OPT_DIFF_HTML].flag;
    bool is_view = of[SC_OPT_DIFF_VIEW].flag;
    if ((is_html || is_view) && of[SC_OPT_DIFF_JSON].flag)
        return sc_fail(err, SC_ERR_USAGE, "diff: --json does not go with a page");
    if (is_html && is_view)
        return sc_fail(err, SC_ERR_USAGE, "diff: --html does not go with --view");
    if (!is_view && of[SC_OPT_DIFF_NO_BROWSER].flag)
        return sc_fail(err, SC_ERR_USAGE, "diff: --no-browser goes with --view");
    return is_html || sc_value_given(&of[SC_OPT_DIFF_OUTFILE]) == NULL ||
           sc_fail(err, SC_ERR_USAGE, "diff: --outfile goes with --html");
}

/* What a side is called on the page: as its first operand. */
static char *name_of(const char *operand, size_t count)
{
    SC_AUTO_FREE char *shown = sc_visible(operand);
    return count > 1 ? sc_format("%s and %zu more", shown, count - 1) : sc_strdup(shown);
}

/* Before is what stands before "--", or the first of two. */
static int compare(const struct sc_values *values, const struct sc_words words[2], bool is_pair,
                   struct sc_err *err)
{
    SC_AUTO(sc_limits_done) struct sc_limits limits = {0};
    struct sc_profile_runs sides[2] = {{0}, {0}};
    /* an empty one is wrong, and not the same as none: a script may have lost its text */
    const struct sc_value *given = &values->of[SC_OPT_DIFF_FAIL_IF];
    const char *outfile = sc_value_given(&values->of[SC_OPT_DIFF_OUTFILE]);
    const char *text = given->source == SC_FROM_COMMAND ? given->text : NULL;
    size_t before = is_pair ? 1 : words[0].count;
    const struct sc_words *after = &words[is_pair ? 0 : 1];
    size_t skipped = is_pair ? 1 : 0;
    int status = 0;
    if (is_pair ? words[0].count != 2 : words[0].count == 0 || words[1].count == 0)
        (void)sc_fail(err, SC_ERR_USAGE,
                      "diff: name two profiles, or several before and after a '--'");
    else if (values->of[SC_OPT_DIFF_STRICT].flag && text == NULL)
        (void)sc_fail(err, SC_ERR_USAGE, "diff: --strict is of use with --fail-if alone");
    else if (is_one_form(values, err) && (text == NULL || sc_limits_parse(&limits, text, err)) &&
             add_operands(&sides[0], words[0].items, before, outfile, err) &&
             add_operands(&sides[1], after->items + skipped, after->count - skipped, outfile,
                          err)) {
        SC_AUTO_FREE char *name_before = name_of(words[0].items[0], before);
        SC_AUTO_FREE char *name_after = name_of(after->items[skipped], after->count - skipped);
        status = show(values, sides, (const char *const[2]){name_before, name_after}, &limits, err);
    }
    sc_profile_runs_done(&sides[0]);
    sc_profile_runs_done(&sides[1]);
    return status;
}

int sc_cmd_diff(char *const *words, struct sc_err *err)
{
    SC_AUTO(sc_values_done) struct sc_values values = {0};
    struct sc_words operands[2] = {{0}, {0}};
    struct sc_words first = {0}; /* words before "--" */
    int status = 0;
    size_t end = 0;
    while (words[end] != NULL && strcmp(words[end], "--") != 0)
        sc_vec_push(&first, words[end++]);
    sc_vec_push(&first, NULL);
    sc_values_init(&values);
    if (sc_options_parse(SC_VERB_DIFF, first.items, &values, &operands[0], err) &&
        (words[end] == NULL ||
         sc_options_parse(SC_VERB_DIFF, words + end + 1, &values, &operands[1], err))) {
        sc_helper_read_below(sc_value_given(&values.of[SC_OPT_DIFF_SOURCES_BELOW]));
        if (values.of[SC_OPT_DIFF_HELP].flag)
            sc_help_show(SC_VERB_DIFF, SC_GROUP_BASIC);
        else
            status = compare(&values, operands, words[end] == NULL, err);
    }
    sc_vec_done(&first);
    sc_vec_done(&operands[0]);
    sc_vec_done(&operands[1]);
    return status;
}
