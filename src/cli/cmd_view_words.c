/*
 * cli/cmd_view_words.c - the command line of `scalene view`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd_view.h"
#include "cli/command.h"
#include "cli/help.h"

int sc_cmd_view_words(char *const *words, struct sc_err *err)
{
    struct sc_values values;
    struct sc_words files = {0};
    int status = 0;
    sc_values_init(&values);
    if (sc_options_parse(SC_VERB_VIEW, words, &values, &files, err)) {
        const struct sc_value *of = values.of;
        struct sc_view_options options = {
            .file = files.count > 0 ? files.items[0] : NULL,
            .cli = of[SC_OPT_VIEW_CLI].flag,
            .reduced = of[SC_OPT_VIEW_REDUCED].flag || !of[SC_OPT_VIEW_ALL_LINES].flag,
            .html = of[SC_OPT_VIEW_HTML].flag,
            .standalone = of[SC_OPT_VIEW_STANDALONE].flag,
            .notebook = of[SC_OPT_VIEW_NOTEBOOK].flag,
            .no_browser = of[SC_OPT_VIEW_NO_BROWSER].flag,
            .port = (unsigned)of[SC_OPT_VIEW_PORT].count,
            .host = of[SC_OPT_VIEW_HOST].text != NULL && of[SC_OPT_VIEW_HOST].text[0] != '\0'
                        ? of[SC_OPT_VIEW_HOST].text
                        : NULL,
        };
        if (of[SC_OPT_VIEW_HELP].flag)
            sc_help_show(SC_VERB_VIEW, SC_GROUP_BASIC);
        else if (files.count > 1)
            (void)sc_fail(err, SC_ERR_USAGE, "view: only one profile can be shown");
        else if (options.cli && (options.html || options.standalone || options.notebook))
            (void)sc_fail(err, SC_ERR_USAGE, "view: --cli does not go with %s",
                          options.html         ? "--html"
                          : options.standalone ? "--standalone"
                                               : "--notebook");
        else
            status = sc_cmd_view(&options);
    }
    sc_vec_done(&files);
    sc_values_done(&values);
    return err->kind != SC_ERR_NONE ? sc_err_status(err) : status;
}
