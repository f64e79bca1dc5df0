/*
 * cli/cmd_compare.c - `scalene compare -- A -- B`: which of two commands is faster.
 *
 * What is timed is the commands as they are, without a profiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/copy.h"
#include "base/own_folder.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/plan.h"
#include "cli/rounds_show.h"
#include "report/number.h"

extern char **environ;

/* One of both: what the user wrote, as `run` takes it, and what that starts. */
struct side {
    struct sc_words words; /* borrowed, ended by NULL */
    char *text;            /* the same, in one line */
    struct sc_planned_run planned;
    char *output;  /* the file that its output goes to */
    char *outfile; /* the option that names its profile */
};

struct compare {
    struct sc_words options; /* borrowed, ended by NULL */
    struct sc_values values;
    struct side sides[2];
    char *folder;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupted != 0;
}

/* Divides the line: options, then both commands, each after the word -- (or ---, where a command
 * has a -- of its own). */
static bool divide(struct compare *compare, char *const *words, struct sc_err *err)
{
    const char *mark = NULL;
    size_t parts = 0;
    for (size_t i = 0; words[i] != NULL; i++) {
        if (mark == NULL && (strcmp(words[i], "--") == 0 || strcmp(words[i], "---") == 0))
            mark = words[i];
        if (mark != NULL && strcmp(words[i], mark) == 0) {
            if (++parts > 2)
                return sc_fail(err, SC_ERR_USAGE,
                               "compare: there are more than two commands; write --- before each "
                               "of both where one has -- in it");
        } else {
            sc_vec_push(parts == 0 ? &compare->options : &compare->sides[parts - 1].words,
                        words[i]);
        }
    }
    sc_vec_push(&compare->options, NULL);
    return true;
}

/* Finds out what a command starts. A program of Python's may be named alone, as for `run`. */
static bool plan_side(struct side *side, int which, const char *folder, struct sc_err *err)
{
    char *const *words = side->words.items;
    struct sc_words of_run = {0};
    struct sc_str text = {0};
    struct sc_err cause = {0};
    if (side->words.count == 0)
        return sc_fail(err, SC_ERR_USAGE,
                       "compare: two commands are needed: scalene compare -- A -- B");
    bool is_program = words[0][0] == '-' || sc_ends_with(words[0], ".py");
    static char mark[] = "--";
    side->outfile = sc_format("--outfile=%s/profile-%d.json", folder, which);
    sc_vec_push(&of_run, side->outfile);
    if (!is_program)
        sc_vec_push(&of_run, mark);
    for (size_t i = 0; i < side->words.count; i++) {
        sc_vec_push(&of_run, words[i]);
        sc_str_add_format(&text, "%s%s", i > 0 ? " " : "", words[i]);
    }
    sc_vec_push(&of_run, NULL);
    side->text = text.data;
    bool good = sc_plan_make(of_run.items, false, &side->planned, &cause);
    if (good && side->planned.plan.command == NULL)
        good = sc_fail(&cause, SC_ERR_USAGE, "it names no program");
    if (!good)
        (void)sc_fail(err, cause.kind, "compare: %s: %s", which == 0 ? "A" : "B", cause.text);
    sc_vec_done(&of_run);
    return good;
}

static void show_round(void *context, unsigned round, const struct sc_timed_run runs[2])
{
    (void)context;
    (void)fprintf(stderr, "\r\033[Kround %u%s: A %s, B %s", round,
                  round == 0 ? " (to warm up)" : "", sc_number_duration(runs[0].elapsed_s).text,
                  sc_number_duration(runs[1].elapsed_s).text);
}

static bool run_rounds(struct compare *compare, struct sc_rounds *rounds, struct sc_err *err)
{
    const struct sc_value *of = compare->values.of;
    bool is_terminal = isatty(STDERR_FILENO) == 1;
    struct sc_rounds_plan plan = {
        .rounds = (unsigned)of[SC_OPT_COMPARE_ROUNDS].count,
        .budget_s = of[SC_OPT_COMPARE_BUDGET].number,
        .takes_failures = of[SC_OPT_COMPARE_IGNORE_FAILURE].flag,
        .on_round = is_terminal ? show_round : NULL,
    };
    for (int i = 0; i < 2; i++) {
        struct side *side = &compare->sides[i];
        side->output = sc_format("%s/output-%s", compare->folder, i == 0 ? "a" : "b");
        plan.commands[i] = (struct sc_timed_command){
            .words = side->planned.plan.command,
            .environment = environ,
            .output = side->output,
            .is_cancelled = is_interrupted,
        };
    }
    struct sc_err cause = {0};
    bool good = sc_rounds_run(&plan, rounds, &cause);
    if (is_terminal)
        (void)fputs("\r\033[K", stderr);
    return good || sc_fail(err, cause.kind, "compare: %s", cause.text);
}

static void show(struct compare *compare, const struct sc_rounds *rounds, struct sc_err *err)
{
    struct sc_str text = {0};
    char *const commands[2] = {compare->sides[0].text, compare->sides[1].text};
    if (compare->values.of[SC_OPT_COMPARE_JSON].flag)
        sc_rounds_json(rounds, commands, &text);
    else
        sc_rounds_text(rounds, commands, &text);
    if (fputs(sc_str_text(&text), stdout) < 0 || fflush(stdout) != 0)
        (void)sc_fail_errno(err, errno, "compare: cannot write");
    sc_str_done(&text);
}

static void compare_both(struct compare *compare, struct sc_err *err)
{
    struct sc_rounds rounds = {0};
    compare->folder = sc_new_private_folder(err);
    if (compare->folder == NULL)
        return;
    (void)signal(SIGINT, on_interrupt);
    (void)signal(SIGTERM, on_interrupt);
    if (plan_side(&compare->sides[0], 0, compare->folder, err) &&
        plan_side(&compare->sides[1], 1, compare->folder, err) && run_rounds(compare, &rounds, err))
        show(compare, &rounds, err);
    sc_remove_tree(compare->folder);
}

int sc_cmd_compare(char *const *words, struct sc_err *err)
{
    struct compare compare = {0};
    struct sc_words operands = {0};
    sc_values_init(&compare.values);
    if (divide(&compare, words, err) &&
        sc_options_parse(SC_VERB_COMPARE, compare.options.items, &compare.values, &operands, err)) {
        if (compare.values.of[SC_OPT_COMPARE_HELP].flag)
            sc_help_show(SC_VERB_COMPARE, SC_GROUP_BASIC);
        else if (operands.count > 0)
            (void)sc_fail(err, SC_ERR_USAGE,
                          "compare: '%.100s' stands before the first --: scalene compare -- A -- B",
                          operands.items[0]);
        else
            compare_both(&compare, err);
    }
    for (int i = 0; i < 2; i++) {
        sc_vec_done(&compare.sides[i].words);
        sc_planned_run_done(&compare.sides[i].planned);
        free(compare.sides[i].text);
        free(compare.sides[i].output);
        free(compare.sides[i].outfile);
    }
    free(compare.folder);
    sc_vec_done(&compare.options);
    sc_vec_done(&operands);
    sc_values_done(&compare.values);
    return sc_err_status(err);
}
