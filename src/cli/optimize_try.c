/*
 * cli/optimize_try.c - a proposal is measured and applied, when that is asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/optimize_try.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "assist/apply.h"
#include "assist/measure.h"
#include "cli/optimize_show.h"

/* Yes by --yes or by the person at the terminal. What runs or writes is never begun without. */
static bool may(const struct sc_values *values, const char *question, const char *what,
                struct sc_err *err)
{
    if (values->of[SC_OPT_OPTIMIZE_YES].flag)
        return true;
    if (isatty(STDIN_FILENO) != 1)
        return sc_fail(err, SC_ERR_USAGE,
                       "optimize: nobody is here to be asked; --yes lets the proposal be %s", what);
    (void)fprintf(stderr, "%s [y/N] ", question);
    int letter = getchar();
    for (int rest = letter; rest != '\n' && rest != EOF;)
        rest = getchar();
    return letter == 'y' || letter == 'Y' ||
           sc_fail(err, SC_ERR_FAILED, "optimize: the proposal is not %s", what);
}

static void tell(void *context, const char *sentence)
{
    (void)context;
    (void)fprintf(stderr, "scalene: optimize: %s\n", sentence);
}

static const char *given(const struct sc_values *values, enum sc_option_id id)
{
    const char *text = values->of[id].text;
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static bool measure(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                    bool (*is_cancelled)(void *context), const char **ret_why_not,
                    struct sc_err *err)
{
    struct sc_ai_trial trial = {
        .command = given(values, SC_OPT_OPTIMIZE_COMMAND),
        .python = given(values, SC_OPT_OPTIMIZE_PYTHON),
        .rounds = (unsigned)values->of[SC_OPT_OPTIMIZE_ROUNDS].count,
        .progress = tell,
        .is_cancelled = is_cancelled,
    };
    struct sc_ai_measured measured = {0};
    struct sc_err cause = {0};
    if (!may(values, "Measuring runs the proposed code on this machine, as you. Do that?", "run",
             err))
        return false;
    if (!sc_ai_measure(proposal, &trial, &measured, &cause))
        return sc_fail(err, cause.kind, "optimize: %s", cause.text);
    sc_optimize_show_measured(&measured);
    if (!measured.same_status || (!measured.same_output && measured.is_steady))
        *ret_why_not = "the program does something else with it";
    else if (measured.is_unseen)
        *ret_why_not = "what was run did not try it";
    sc_ai_measured_done(&measured);
    return true;
}

static bool apply(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                  struct sc_err *err)
{
    struct sc_err cause = {0};
    char *backup = NULL;
    SC_AUTO_FREE char *question = sc_format("Write the proposal into '%s'?", proposal->path);
    if (!may(values, question, "applied", err))
        return false;
    if (!sc_ai_apply(proposal, &backup, &cause))
        return sc_fail(err, cause.kind, "optimize: %s", cause.text);
    (void)fprintf(stderr, "scalene: optimize: '%s' is changed; what it was is in '%s'\n",
                  proposal->path, backup);
    free(backup);
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
    /* who is asked at a terminal has read what has changed */
    if (proposal->interface_changes.count > 0 && values->of[SC_OPT_OPTIMIZE_YES].flag &&
        !values->of[SC_OPT_OPTIMIZE_MEASURE].flag)
        why_not = "other code may call what it changes; --measure tries it";
    if (why_not != NULL)
        return sc_fail(err, SC_ERR_FAILED, "optimize: the proposal is not applied, as %s", why_not);
    return apply(values, proposal, err);
}
