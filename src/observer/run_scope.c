/*
 * observer/run_scope.c - which code of a run is in scope.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/run_scope.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "observer/process.h"

/* The directory of a path, "" without one. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return sc_strdup("");
    return slash == path ? sc_strdup("/") : sc_strndup(path, (size_t)(slash - path));
}

static char *absolute_program(const struct sc_run_plan *plan)
{
    if (plan->program_kind != SC_PROGRAM_FILE)
        return sc_strdup(plan->program);
    char *resolved = realpath(plan->program, NULL);
    return resolved != NULL ? resolved : sc_strdup(plan->program);
}

/* Where code in scope lives: --program-path, the program's directory, or where Python looks first
 * for a module: the working directory. */
static char *root_of(const struct sc_run_plan *plan, const char *program, const char *directory)
{
    if (plan->program_path != NULL)
        return sc_strdup(plan->program_path);
    if (plan->program_kind == SC_PROGRAM_FILE)
        return directory_of(program);
    return sc_strdup(directory != NULL ? directory : "/");
}

void sc_run_scope_init(struct sc_run_scope *ret_scope, const struct sc_run_plan *plan,
                       const char *directory)
{
    char *program = absolute_program(plan);
    char *root_dir = root_of(plan, program, directory);
    *ret_scope = (struct sc_run_scope){
        .program = program,
        .entrypoint_dir =
            plan->program_kind == SC_PROGRAM_FILE ? directory_of(program) : sc_strdup(""),
        .root_dir = root_dir,
        .scope =
            {
                .root_dir = root_dir,
                .profile_all = plan->profile_all,
                .profile_system_libraries = plan->profile_system_libraries,
                .only = plan->profile_only,
                .only_count = plan->profile_only_count,
                .exclude = plan->profile_exclude,
                .exclude_count = plan->profile_exclude_count,
                /* what Python calls the text of -c */
                .text_name = plan->program_text != NULL ? "<string>" : NULL,
                .cpu_percent_threshold = plan->cpu_percent_threshold,
                .malloc_threshold = plan->malloc_threshold,
            },
    };
}

void sc_run_scope_done(struct sc_run_scope *scope)
{
    sc_library_dirs_done(&scope->libraries);
    free(scope->program);
    free(scope->entrypoint_dir);
    free(scope->root_dir);
}

void sc_run_scope_add(struct sc_run_scope *scope, const struct sc_process *process)
{
    sc_library_dirs_add(&scope->libraries, scope->scope.beside, process->executable,
                        process->facts.version, process->facts.free_threaded);
    scope->scope.library_dirs = (const char *const *)scope->libraries.paths.items;
    scope->scope.library_dir_count = scope->libraries.paths.count;
}
