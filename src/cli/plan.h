/*
 * cli/plan.h - makes the observer's plan from the words after `run`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "cli/run_words.h"
#include "observer/observer.h"
#include "profile/labels.h"

/* The plan and everything its pointers point to. Initialise with {0}. */
struct sc_planned_run {
    struct sc_run_plan plan;
    struct sc_values values;
    struct sc_run_words words;
    struct sc_words command; /* items borrowed, but for the interpreter and the program */
    struct sc_words program_args;
    char *interpreter; /* the word that the user has for it, and the file that it means */
    char *interpreter_file;
    char *program; /* as Python is given it: "~" is replaced */
    char *agent_path;
    char *agent_link; /* a link to agent_path where LD_PRELOAD cannot hold that; else NULL */
    struct sc_labels labels;
    char *outfile;
    char *program_path;
    struct sc_push *push; /* NULL without --push */
    struct sc_keep *keep; /* NULL without --keep */
};

/* Reads words (those behind `run`, ended by NULL) and the YAML file, checks everything that can be
 * checked before the program starts, and fills run->plan. Stops early, without a plan, when help is
 * asked for. Nothing is started and nothing is printed. */
bool sc_plan_make(char *const *words, bool is_old, struct sc_planned_run *run, struct sc_err *err);

/* The same for a process that runs already, which has asked for its profile itself: program is what
 * it calls itself, and words begin with options. *ret_count is how many words were options. Nothing
 * in the plan is started. */
bool sc_plan_attach(pid_t pid, const char *program, char *const *words, struct sc_planned_run *run,
                    size_t *ret_count, struct sc_err *err);

struct sc_str;

/* Adds one line that lists the given options of other versions, without a newline; nothing when
 * there are none. */
void sc_plan_list_ignored(const struct sc_planned_run *run, struct sc_str *ret_text);

/* The same of options that are taken and have no effect. */
void sc_plan_list_without_effect(const struct sc_planned_run *run, struct sc_str *ret_text);

void sc_planned_run_done(struct sc_planned_run *run);
