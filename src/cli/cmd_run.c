/*
 * cli/cmd_run.c - `scalene run`: runs a program and writes a profile of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/plan.h"
#include "render/render.h"
#include "render/screen.h"
#include "report/report.h"

void sc_die_by(int number)
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

static void print_list(const struct sc_planned_run *run,
                       void (*list)(const struct sc_planned_run *, struct sc_str *))
{
    SC_AUTO(sc_str_done) struct sc_str line = {0};
    list(run, &line);
    if (line.length > 0)
        (void)fprintf(stderr, "scalene: run: %s\n", line.data);
}

/* Who looks on from the shell needs the number for switching. */
static void say_number(const struct sc_planned_run *run)
{
    pid_t foreground = tcgetpgrp(STDERR_FILENO);
    if (!run->plan.quiet && foreground >= 0 && foreground != getpgrp())
        (void)fprintf(stderr,
                      "scalene: in the background; scalene profile --pid %d --on and --off switch "
                      "profiling, and --off writes the profile\n",
                      (int)getpid());
}

static void print_first(const struct sc_planned_run *run)
{
    print_list(run, sc_plan_list_ignored);
    print_list(run, sc_plan_list_without_effect);
    if (run->words.typo != NULL)
        (void)fprintf(stderr,
                      "scalene: run: '%s' goes to the program; if it is meant for scalene, write "
                      "--%s\n",
                      run->words.typo, run->words.typo_meant);
    say_number(run);
}

/* A program that ended with an error within a second has failed to do its work: its own message
 * should be the last. */
#define FAILED_AT_ONCE_S 1.0

/* Shows what the run has found, where somebody watches. */
static void summarize(const struct sc_run_plan *plan, const struct sc_profile *profile)
{
    bool has_failed = profile->exit_kind != NULL &&
                      (profile->exit_value != 0 || strcmp(profile->exit_kind, "signal") == 0);
    if (isatty(STDERR_FILENO) != 1 || (has_failed && profile->elapsed_s < FAILED_AT_ONCE_S))
        return;
    struct sc_screen screen = sc_screen_of(STDERR_FILENO);
    SC_AUTO(sc_report_done) struct sc_report report = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_report_init(&report, profile, true);
    SC_AUTO_FREE char *argument =
        plan->outfile_is_default ? NULL : sc_shell_word(plan->typed_outfile);
    sc_render_run_summary(&report, &screen.rendering, argument, &text);
    (void)fputs(sc_str_text(&text), stderr);
}

static void set_environment(const struct sc_planned_run *run)
{
    if (!run->values.of[SC_OPT_DISABLE_JIT].flag)
        return;
    (void)setenv("JAX_DISABLE_JIT", "1", 0);
    (void)setenv("PYTORCH_JIT", "0", 0);
}

static int run_words(char *const *words, bool is_old, struct sc_err *err)
{
    struct sc_planned_run run = {0};
    int status = 0;
    int number = 0;
    if (sc_plan_make(words, is_old, &run, err)) {
        if (run.values.of[SC_OPT_HELP].flag) {
            sc_help_show(SC_VERB_RUN, SC_GROUP_BASIC);
        } else if (run.values.of[SC_OPT_HELP_ADVANCED].flag) {
            sc_help_show(SC_VERB_RUN, SC_GROUP_ADVANCED);
        } else {
            print_first(&run);
            set_environment(&run);
            (void)fflush(NULL);
            run.plan.complete = sc_report_note_findings;
            run.plan.summarize = summarize;
            if (!sc_observe(&run.plan, &status, &number, err))
                status = 1;
        }
    }
    sc_planned_run_done(&run);
    if (err->kind != SC_ERR_NONE)
        return sc_err_status(err);
    if (number != 0) {
        sc_die_by(number);
        return 128 + number;
    }
    return status;
}

int sc_cmd_run(char *const *words, struct sc_err *err)
{
    return run_words(words, false, err);
}

int sc_cmd_run_old(char *const *words, struct sc_err *err)
{
    return run_words(words, true, err);
}
