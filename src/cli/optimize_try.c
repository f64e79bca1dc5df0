/*
 * cli/optimize_try.c - a proposal is measured and applied, when that is asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/optimize_try.h"

#include <stdio.h>
#include <unistd.h>

#include "assist/apply.h"
#include "assist/command.h"
#include "base/visible.h"
#include "cli/interpreter.h"
#include "cli/optimize_show.h"

/* Whether the user agrees, by --yes or at the terminal. Nothing is run or written without that. */
static bool may(const struct sc_values *values, const char *question, const char *what,
                struct sc_err *err)
{
    if (values->of[SC_OPT_OPTIMIZE_YES].flag)
        return true;
    if (isatty(STDIN_FILENO) != 1)
        return sc_fail(err, SC_ERR_USAGE,
                       "nobody is here to be asked; --yes lets the proposal be %s", what);
    (void)fprintf(stderr, "%s [y/N] ", question);
    int letter = getchar();
    for (int rest = letter; rest != '\n' && rest != EOF;)
        rest = getchar();
    return letter == 'y' || letter == 'Y' ||
           sc_fail(err, SC_ERR_FAILED, "the proposal is not %s", what);
}

static void print_progress(void *context, const char *sentence)
{
    (void)context;
    SC_AUTO_FREE char *shown = sc_visible(sentence);
    (void)fprintf(stderr, "scalene: optimize: %s\n", shown);
}

/* Shows what will run, before the user agrees to it. */
static bool show_command(const struct sc_ai_proposal *proposal, const struct sc_ai_trial *trial,
                         struct sc_err *err)
{
    SC_AUTO(sc_ai_command_done) struct sc_ai_command command = {0};
    sc_ai_command_describe(proposal, trial, &command);
    bool is_runnable = command.line != NULL;
    if (is_runnable)
        (void)fprintf(stderr,
                      "scalene: optimize: measuring runs this, with the proposed code and without, "
                      "in copies of '%s':\n    %s\n",
                      command.folder != NULL ? command.folder : "its directory", command.line);
    else
        (void)sc_fail(err, SC_ERR_USAGE, "%s (--command)", command.why);
    return is_runnable;
}

static bool run_both(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                     const struct sc_ai_trial *trial, const char **ret_why_not, struct sc_err *err)
{
    SC_AUTO(sc_ai_measured_done) struct sc_ai_measured measured = {0};
    if (!show_command(proposal, trial, err) ||
        !may(values, "This runs the proposed code on this machine, as you. Do that?", "run", err) ||
        !sc_ai_measure(proposal, trial, &measured, err))
        return false;
    sc_optimize_show_measured(&measured);
    if (!measured.same_status || (!measured.same_output && measured.is_steady))
        *ret_why_not = "the program does something else with it";
    else if (measured.is_unseen)
        *ret_why_not = "what was run did not try it";
    return true;
}

static bool measure(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                    bool (*is_cancelled)(void *context), const char **ret_why_not,
                    struct sc_err *err)
{
    struct sc_ai_trial trial = {
        .command = sc_value_given(&values->of[SC_OPT_OPTIMIZE_COMMAND]),
        .rounds = (unsigned)values->of[SC_OPT_OPTIMIZE_ROUNDS].count,
        .progress = print_progress,
        .is_cancelled = is_cancelled,
    };
    /* as a path: what is shown is what runs */
    const char *wanted = sc_value_given(&values->of[SC_OPT_OPTIMIZE_PYTHON]);
    SC_AUTO_FREE char *python = trial.command == NULL ? sc_interpreter_find(wanted, err) : NULL;
    trial.python = python;
    return (python != NULL || trial.command != NULL) &&
           run_both(values, proposal, &trial, ret_why_not, err);
}

static bool apply(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                  struct sc_err *err)
{
    SC_AUTO_FREE char *backup = NULL;
    SC_AUTO_FREE char *path = sc_visible(proposal->path);
    SC_AUTO_FREE char *question = sc_format("Write the proposal into '%s'?", path);
    if (!may(values, question, "applied", err) || !sc_ai_apply(proposal, &backup, err))
        return false;
    SC_AUTO_FREE char *kept = sc_visible(backup);
    (void)fprintf(stderr, "scalene: optimize: '%s' is changed; what it was is in '%s'\n", path,
                  kept);
    return true;
}

bool sc_optimize_try(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                     bool (*is_cancelled)(void *context), struct sc_err *err)
{
    const char *why_not = NULL;
    if (values->of[SC_OPT_OPTIMIZE_MEASURE].flag &&
        !measure(values, proposal, is_cancelled, &why_not, err))
        return false;
    if (!values->of[SC_OPT_OPTIMIZE_APPLY].flag)
        return true;
    /* a user who is asked at a terminal has seen the changes */
    if (proposal->interface_changes.count > 0 && values->of[SC_OPT_OPTIMIZE_YES].flag &&
        !values->of[SC_OPT_OPTIMIZE_MEASURE].flag)
        why_not = "other code may call what it changes; --measure tries it";
    if (proposal->unseen.count > 0 && values->of[SC_OPT_OPTIMIZE_YES].flag)
        why_not = "it has characters in it that cannot be seen; look at it and go without --yes";
    if (why_not != NULL)
        return sc_fail(err, SC_ERR_FAILED, "the proposal is not applied, as %s", why_not);
    return apply(values, proposal, err);
}
