/*
 * cli/main.c - the `scalene` program: finds the command and ends with its status.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/interpreter.h"
#include "cli/run_words.h"
#include "push/push.h"

static int show_help(char *const *words, struct sc_err *err)
{
    enum sc_verb verb = SC_VERB_TOP;
    if (words[0] != NULL && words[0][0] != '-')
        verb = sc_verb_find(words[0]);
    if (verb == SC_VERB_COUNT_)
        return sc_fail(err, SC_ERR_USAGE, "help: there is no command '%.100s'", words[0]);
    sc_help_show(verb, SC_GROUP_BASIC);
    return 0;
}

static const struct {
    sc_own_line_command *run_line;
    sc_command *run;
    enum sc_option_id help; /* of run, as the rest */
    bool takes_operands;
    bool is_named; /* what it fails with gets its name in front */
} commands[SC_VERB_COUNT_] = {
    [SC_VERB_RUN] = {sc_cmd_run},
    [SC_VERB_VIEW] = {NULL, sc_cmd_view, SC_OPT_VIEW_HELP, true, true},
    [SC_VERB_EXPORT] = {NULL, sc_cmd_export, SC_OPT_EXPORT_HELP, true},
    [SC_VERB_IMPORT] = {NULL, sc_cmd_import, SC_OPT_IMPORT_HELP, true},
    [SC_VERB_DIFF] = {sc_cmd_diff},
    [SC_VERB_HISTORY] = {NULL, sc_cmd_history, SC_OPT_HISTORY_HELP, true},
    [SC_VERB_MERGE] = {NULL, sc_cmd_merge, SC_OPT_MERGE_HELP, true},
    [SC_VERB_LIVE] = {sc_cmd_live},
    [SC_VERB_OPTIMIZE] = {NULL, sc_cmd_optimize, SC_OPT_OPTIMIZE_HELP, true, true},
    [SC_VERB_PROFILE] = {NULL, sc_cmd_profile, SC_OPT_PROFILE_HELP},
    [SC_VERB_ATTACH] = {sc_cmd_attach},
    [SC_VERB_DUMP] = {NULL, sc_cmd_dump, SC_OPT_DUMP_HELP, true},
    [SC_VERB_WATCH] = {sc_cmd_top},
    [SC_VERB_COMPARE] = {sc_cmd_compare},
    [SC_VERB_MCP] = {NULL, sc_cmd_mcp, SC_OPT_MCP_HELP},
    [SC_VERB_DOCTOR] = {NULL, sc_cmd_doctor, SC_OPT_DOCTOR_HELP},
    [SC_VERB_SELFTEST] = {NULL, sc_cmd_selftest, SC_OPT_SELFTEST_HELP},
    [SC_VERB_GPU_MODES] = {NULL, sc_cmd_gpu_modes, SC_OPT_GPU_MODES_HELP},
    [SC_VERB_COMPLETION] = {NULL, sc_cmd_completion, SC_OPT_COMPLETION_HELP, true},
    [SC_VERB_HELP] = {show_help},
};

static int run_verb(enum sc_verb verb, char *const *words, struct sc_err *err)
{
    SC_AUTO(sc_values_done) struct sc_values values = {0};
    SC_AUTO_FREE struct sc_words operands = {0};
    int status = 0;
    sc_values_init(&values);
    if (commands[verb].run_line != NULL)
        status = commands[verb].run_line(words, err);
    else if (!sc_options_parse(verb, words, &values, &operands, err))
        return 1;
    else if (values.of[commands[verb].help].flag)
        sc_help_show(verb, SC_GROUP_BASIC);
    else if (operands.count > 0 && !commands[verb].takes_operands)
        (void)sc_fail(err, SC_ERR_USAGE, "%s: '%.100s' is one word too many", sc_verb_names[verb],
                      operands.items[0]);
    else
        status = commands[verb].run(&values, &operands, err);
    if (commands[verb].is_named)
        sc_err_name(err, sc_verb_names[verb]);
    return status;
}

/* The original once had no commands, so many guides and scripts say `scalene prog.py`, with or
 * without options before it, or `scalene $(which tool)`. */
static bool means_run(char *const *words)
{
    const char *first = words[0];
    struct sc_found_option found;
    bool is_path = strchr(first, '/') != NULL && access(first, X_OK) == 0;
    bool is_option =
        sc_option_find(SC_VERB_RUN, first, &found, NULL) == SC_MATCH_ONE && found.exact;
    if (is_path || is_option || sc_run_words_is_old(first))
        return true;
    if (first[0] != '-' && !sc_ends_with(first, ".py"))
        return false;
    for (size_t i = 0; words[i] != NULL; i++)
        if (sc_ends_with(words[i], ".py") || sc_is_among(words[i], "-m ---"))
            return true;
    return false;
}

/* first is words[0]. */
static int unknown_command(const char *first, char *const *words, struct sc_err *err)
{
    if (means_run(words))
        return sc_cmd_run_old(words, err);
    const char *meant = first[0] != '-' ? sc_verb_suggest(first) : NULL;
    (void)sc_fail(err, SC_ERR_USAGE,
                  "there is no %s '%.100s'%s%s%s; the commands are run, view, export, import, "
                  "diff, history, merge, live, optimize, profile, attach, dump, top, compare, mcp, "
                  "doctor, selftest, "
                  "set-nvidia-gpu-modes, completion and help",
                  first[0] == '-' ? "option" : "command", first,
                  meant != NULL ? " (did you mean " : "", meant != NULL ? meant : "",
                  meant != NULL ? "?)" : "");
    return sc_err_status(err);
}

static int run_command(char *const *words, struct sc_err *err)
{
    if (words[0] == NULL) {
        sc_help_show(SC_VERB_TOP, SC_GROUP_BASIC);
        return 1;
    }
    if (strcmp(words[0], "observe") == 0) /* used by the Python package, not by users */
        return sc_cmd_observe(words + 1, err);
    if (strcmp(words[0], "merge-neuron") == 0) /* the same, for one of its modules */
        return sc_cmd_merge_neuron(words + 1, err);
    enum sc_verb verb = sc_verb_find(words[0]);
    if (verb != SC_VERB_COUNT_)
        return run_verb(verb, words + 1, err);
    struct sc_found_option found;
    if (sc_option_find(SC_VERB_TOP, words[0], &found, err) != SC_MATCH_ONE || found.value != NULL)
        return unknown_command(words[0], words, err);
    if (found.id == SC_OPT_TOP_VERSION)
        (void)printf("Scalene version %s (%s)\n", SC_VERSION, SC_VERSION_DATE);
    else
        sc_help_show(SC_VERB_TOP, SC_GROUP_BASIC);
    return 0;
}

int main(int argc, char **argv)
{
    struct sc_err err = {0};
    sc_child_prepare();
    sc_interpreter_take_own();
    int status = run_command(argv + (argc > 0 ? 1 : 0), &err);
    if (err.kind != SC_ERR_NONE) {
        (void)fprintf(stderr, "scalene: %s\n", err.text);
        status = sc_err_status(&err);
    }
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && errno != EPIPE) {
        if (err.kind == SC_ERR_NONE)
            (void)fprintf(stderr, "scalene: cannot write the output%s%s\n", errno != 0 ? ": " : "",
                          errno != 0 ? strerror(errno) : "");
        status = status != 0 ? status : 1;
    }
    return sc_push_leave(status);
}
