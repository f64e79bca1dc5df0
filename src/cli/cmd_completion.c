/*
 * cli/cmd_completion.c - `scalene completion SHELL`: prints a completion script.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/help.h"

static bool print_script(const struct sc_words *shells, struct sc_err *err)
{
    struct sc_str script = {0};
    bool good = shells->count == 1 && sc_completion_script(shells->items[0], &script);
    if (good)
        (void)fputs(sc_str_text(&script), stdout);
    else
        (void)sc_fail(err, SC_ERR_USAGE, "completion: name one shell: bash, zsh or fish");
    sc_str_done(&script);
    return good;
}

int sc_cmd_completion(char *const *words, struct sc_err *err)
{
    struct sc_values values;
    struct sc_words shells = {0};
    sc_values_init(&values);
    if (sc_options_parse(SC_VERB_COMPLETION, words, &values, &shells, err)) {
        if (values.of[SC_OPT_COMPLETION_HELP].flag)
            sc_help_show(SC_VERB_COMPLETION, SC_GROUP_BASIC);
        else
            (void)print_script(&shells, err);
    }
    sc_vec_done(&shells);
    sc_values_done(&values);
    return sc_err_status(err);
}
