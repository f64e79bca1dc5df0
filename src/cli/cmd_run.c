/*
 * cli/cmd_run.c - `scalene run`: runs a program and writes a profile of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/plan.h"
#include "report/report.h"

/* Ends this process by the signal the program died of, so that a shell sees the same; returns only
 * when that is not possible. */
static void die_by(int number)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none); /* only the program's own core file is of interest */
    struct sigaction action = {.sa_handler = SIG_DFL};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL); /* fails for SIGKILL, which needs none */
    sigset_t only;
    (void)sigemptyset(&only);
    (void)sigaddset(&only, number);
    (void)fflush(NULL);
    (void)raise(number);
    (void)sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static void print_first(const struct sc_planned_run *run)
{
    struct sc_str later = {0};
    sc_plan_list_later(run, &later);
    if (later.length > 0)
        (void)fprintf(stderr, "scalene: run: %s\n", later.data);
    sc_str_done(&later);
    if (run->words.typo != NULL)
        (void)fprintf(stderr,
                      "scalene: run: '%s' goes to the program; if it is meant for scalene, write "
                      "--%s\n",
                      run->words.typo, run->words.typo_meant);
}

static void set_environment(const struct sc_planned_run *run)
{
    if (!run->values.of[SC_OPT_DISABLE_JIT].flag)
        return;
    (void)setenv("JAX_DISABLE_JIT", "1", 0);
    (void)setenv("PYTORCH_JIT", "0", 0);
}

int sc_cmd_run(char *const *words, struct sc_err *err)
{
    struct sc_planned_run run = {0};
    int status = 0;
    int number = 0;
    if (sc_plan_make(words, &run, err)) {
        if (run.values.of[SC_OPT_HELP].flag) {
            sc_help_show(SC_VERB_RUN, SC_GROUP_BASIC);
        } else if (run.values.of[SC_OPT_HELP_ADVANCED].flag) {
            sc_help_show(SC_VERB_RUN, SC_GROUP_ADVANCED);
        } else {
            print_first(&run);
            set_environment(&run);
            (void)fflush(NULL);
            run.plan.complete = sc_report_note_findings;
            if (!sc_observe(&run.plan, &status, &number, err))
                status = 1;
        }
    }
    sc_planned_run_done(&run);
    if (err->kind != SC_ERR_NONE)
        return sc_err_status(err);
    if (number != 0) {
        die_by(number);
        return 128 + number;
    }
    return status;
}
