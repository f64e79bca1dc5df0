/*
 * cli/cmd_observe.c - `scalene observe PID PROGRAM SOURCES [options] [words]`: started by the
 * Python package when a program that was started without us asks to be profiled.
 *
 * The program is not changed: we leave its session and are no child of it, so it never has to wait
 * for us, and no signal to its process group ends us. When we listen, one answer is written to
 * standard output: fields that end in a zero byte. They are our process id, how many of the words
 * were options, whether profiling is to begin at once, the path of the agent, the rendezvous for
 * it, and where the profile will be. Then standard output is closed.
 *
 * PID 0 asks only how many of the words are options, which is then all of the answer.
 *
 * PROGRAM is what the program calls itself; SOURCES names a file of costs/cell_sources.h, or is
 * empty.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "report/report.h"

static size_t option_count;

/* False when the program has given up waiting, as after Ctrl-C: then nothing would ever end us. */
static bool print_ready(const struct sc_run_plan *plan, const char *rendezvous)
{
    (void)printf("%d%c%zu%c%d%c%s%c%s%c%s%c", (int)getpid(), 0, option_count, 0, !plan->start_off,
                 0, plan->agent_path, 0, rendezvous, 0, plan->outfile, 0);
    bool is_read = fflush(stdout) == 0;
    clearerr(stdout); /* which is no failure of ours */
    SC_AUTO_CLOSE int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0)
        (void)dup2(nowhere, STDOUT_FILENO);
    return is_read;
}

static bool print_count(void)
{
    (void)printf("%zu%c", option_count, 0);
    return false;
}

static bool print_notes(const struct sc_planned_run *run)
{
    SC_AUTO(sc_str_done) struct sc_str ignored = {0};
    SC_AUTO(sc_str_done) struct sc_str without_effect = {0};
    sc_plan_list_ignored(run, &ignored);
    sc_plan_list_without_effect(run, &without_effect);
    if (ignored.length > 0)
        (void)fprintf(stderr, "scalene: %s\n", ignored.data);
    if (without_effect.length > 0)
        (void)fprintf(stderr, "scalene: %s\n", without_effect.data);
    return true;
}

/* Continues in a new process. False in the calling one, which has nothing more to do, and on
 * failure. */
static bool leave(int *ret_status, struct sc_err *err)
{
    pid_t pid = fork();
    if (pid < 0)
        *ret_status = (sc_fail_errno(err, errno, "cannot leave the program"), 1);
    else if (pid > 0)
        *ret_status = 0;
    if (pid != 0)
        return false;
    (void)setsid();
    return true;
}

int sc_cmd_observe(char *const *words, struct sc_err *err)
{
    SC_AUTO(sc_planned_run_done) struct sc_planned_run run = {0};
    int status = 0;
    int number = 0;
    char *end = NULL;
    if (words[0] == NULL || words[1] == NULL || words[2] == NULL) {
        (void)sc_fail(err, SC_ERR_USAGE, "observe: this is for the Python package alone");
        return sc_err_status(err);
    }
    long pid = strtol(words[0], &end, 10);
    if (*end != '\0' || pid < 0)
        (void)sc_fail(err, SC_ERR_USAGE, "observe: '%.40s' is no process", words[0]);
    else if (sc_plan_attach((pid_t)pid, words[1], words + 3, &run, &option_count, err) &&
             (pid != 0 || print_count()) && print_notes(&run) && leave(&status, err)) {
        run.plan.on_ready = print_ready;
        run.plan.complete = sc_report_note_findings;
        run.plan.cell_sources_path = words[2][0] != '\0' ? words[2] : NULL;
        (void)sc_observe(&run.plan, &status, &number, err);
        status = 0;
    }
    return status;
}
