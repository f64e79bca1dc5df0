/*
 * cli/cmd_attach.c - `scalene attach`: profiles a Python that runs already.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/plan.h"
#include "observer/process/started.h"
#include "observer/system/procfs.h"
#include "report/report.h"

#define COMMAND_BYTES 8192

/* The words of the command line, sorted. */
struct attach_words {
    struct sc_values values; /* of the options of attach */
    struct sc_words of_run;  /* options of run, with their values */
    struct sc_words operands;
};

/* Takes the word at *index, an option of attach or of run. */
static bool take_option(struct attach_words *sorted, char *const *words, size_t *index,
                        struct sc_err *err)
{
    struct sc_found_option found;
    enum sc_match match = sc_option_find(SC_VERB_ATTACH, words[*index], &found, err);
    if (match == SC_MATCH_ONE)
        return sc_option_take(&sorted->values, &found, words, index, err);
    if (match == SC_MATCH_NONE)
        match = sc_option_find(SC_VERB_RUN, words[*index], &found, err);
    if (match == SC_MATCH_AMBIGUOUS)
        return false;
    if (match == SC_MATCH_NONE)
        return sc_fail(err, SC_ERR_USAGE,
                       "attach: no such option: '%.100s' (scalene attach --help)", words[*index]);
    sc_vec_push(&sorted->of_run, words[*index]);
    if (sc_option_takes_value(found.id) && found.value == NULL && words[*index + 1] != NULL)
        sc_vec_push(&sorted->of_run, words[++*index]);
    return true;
}

static bool sort_words(struct attach_words *sorted, char *const *words, struct sc_err *err)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (words[i][0] != '-' || words[i][1] == '\0')
            sc_vec_push(&sorted->operands, words[i]);
        else if (!take_option(sorted, words, &i, err))
            return false;
    }
    sc_vec_push(&sorted->of_run, NULL);
    return true;
}

static bool has(pid_t pid, const char *directory, const char *name)
{
    SC_AUTO_FREE char *path = sc_format("/proc/%d/root%s/%s", (int)pid, directory, name);
    return access(path, F_OK) == 0;
}

/* The directory in which the process has found that, which it may have left; else its present one.
 * To be freed, or NULL. */
static char *directory_with(pid_t pid, const char *name)
{
    char *now = sc_process_link(pid, "cwd");
    char *first = sc_process_began_in(pid);
    bool is_first = now != NULL && first != NULL && !has(pid, now, name) && has(pid, first, name);
    free(is_first ? now : first);
    return is_first ? first : now;
}

/* What the process was started to run: its script, where that is a file, else its words. To be
 * freed. */
static char *program_of(pid_t pid)
{
    char words[COMMAND_BYTES];
    size_t length = sc_process_cmdline(pid, words, sizeof(words));
    struct sc_started started = sc_started_of(words, length);
    if (started.script == NULL)
        return sc_process_command(pid);
    if (started.script[0] == '/')
        return sc_strdup(started.script);
    SC_AUTO_FREE char *directory = directory_with(pid, started.script);
    return directory != NULL ? sc_format("%s/%s", directory, started.script)
                             : sc_process_command(pid);
}

static bool say_begun(const struct sc_run_plan *plan, const char *rendezvous)
{
    (void)rendezvous;
    if (!plan->quiet)
        (void)fprintf(stderr, "scalene: profiling process %d; Ctrl-C ends that and leaves it\n",
                      (int)plan->attach_pid);
    return true;
}

/* What is said of options of run names it. */
static void say_attach(struct sc_err *err)
{
    static const char verb[] = "run: ";
    const struct sc_err why = *err;
    if (!sc_starts_with(why.text, verb))
        return;
    *err = (struct sc_err){0};
    (void)sc_fail(err, why.kind, "attach: %s", why.text + strlen(verb));
}

/* The exit status, unless err is set. */
static int attach(const struct attach_words *sorted, pid_t pid, struct sc_err *err)
{
    const struct sc_value *of = sorted->values.of;
    SC_AUTO(sc_planned_run_done) struct sc_planned_run run = {0};
    size_t count = 0;
    int status = 0;
    int number = 0;
    SC_AUTO_FREE char *program = program_of(pid);
    if (sc_plan_attach(pid, program, sorted->of_run.items, &run, &count, err)) {
        run.plan.attaches = true;
        run.plan.with_children = of[SC_OPT_ATTACH_CHILDREN].flag;
        run.plan.duration_s = of[SC_OPT_ATTACH_DURATION].number;
        run.plan.on_ready = say_begun;
        run.plan.complete = sc_report_note_findings;
        if (of[SC_OPT_ATTACH_FROM_OUTSIDE].flag)
            run.plan.agent_path = NULL;
        if (!sc_observe(&run.plan, &status, &number, err)) {
            const struct sc_err why = *err;
            *err = (struct sc_err){0};
            (void)sc_fail(err, why.kind, "attach: process %d: %s", (int)pid, why.text);
        }
    } else {
        say_attach(err);
    }
    return status;
}

int sc_cmd_attach(char *const *words, struct sc_err *err)
{
    struct attach_words sorted = {0};
    pid_t pid = 0;
    int status = 0;
    sc_values_init(&sorted.values);
    if (sort_words(&sorted, words, err)) {
        if (sorted.values.of[SC_OPT_ATTACH_HELP].flag)
            sc_help_show(SC_VERB_ATTACH, SC_GROUP_BASIC);
        else if (sorted.operands.count != 1)
            (void)sc_fail(err, SC_ERR_USAGE, "attach: name one process by its number");
        else if (sc_pid_word_read("attach", sorted.operands.items[0], &pid, err))
            status = attach(&sorted, pid, err);
    }
    sc_vec_done(&sorted.of_run);
    sc_vec_done(&sorted.operands);
    sc_values_done(&sorted.values);
    return status;
}
