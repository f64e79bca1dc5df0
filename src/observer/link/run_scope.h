/*
 * observer/link/run_scope.h - which code of a run is in scope: from the plan, and the Pythons that
 * it starts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "build/build.h"
#include "observer/link/run_plan.h"
#include "observer/system/library_dirs.h"

struct sc_process;

struct sc_run_scope {
    struct sc_scope scope;
    char *program;        /* resolved, or as it was asked for */
    char *entrypoint_dir; /* the directory of a program that is a file, else "" */
    char *root_dir;       /* the scope's */
    struct sc_library_dirs libraries;
    char *text;       /* that was given with -c, the source behind the scope's text_name, or NULL */
    bool has_process; /* a Python process has been added */
    bool is_started;  /* not from within, so it counts what its processes were started to run */
    SC_VEC(char *) tools; /* their names */
};

/* directory: the run's working directory, or NULL. helper: reads the program's files, or NULL. */
void sc_run_scope_init(struct sc_run_scope *ret_scope, const struct sc_run_plan *plan,
                       const char *directory, struct sc_helper *helper);
void sc_run_scope_done(struct sc_run_scope *scope);

/* Adds a Python process: its libraries are not the user's code, and the package that it was started
 * with is a tool. */
void sc_run_scope_add(struct sc_run_scope *scope, const struct sc_process *process);
