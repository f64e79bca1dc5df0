/* observer/link/run_scope.c - see run_scope.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/link/run_scope.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/mem.h"
#include "costs/console_script.h"
#include "observer/process/process.h"
#include "observer/process/started.h"
#include "observer/system/procfs.h"

/* The part of a command line that is read. */
#define COMMAND_BYTES 8192

/* More packages than this do not count as tools. */
#define TOOLS_MAX 16U

/* So many words of a tool's command line are taken for names of packages. */
#define ARGUMENTS_MAX 4U

/* What Python calls the text of -c. */
#define TEXT_NAME "<string>"

/* The directory of a path, "" without one. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return sc_strdup("");
    return slash == path ? sc_strdup("/") : sc_strndup(path, (size_t)(slash - path));
}

static char *absolute_program(const struct sc_run_plan *plan, struct sc_helper *helper)
{
    if (plan->program_kind != SC_PROGRAM_FILE)
        return sc_strdup(plan->program);
    char *resolved = sc_helper_resolve(helper, plan->program);
    return resolved != NULL ? resolved : sc_strdup(plan->program);
}

/* Where code in scope lives: --program-path, the program's directory, or where Python looks first
 * for a module: the working directory, also for a tool of an environment. */
static char *root_of(const struct sc_run_plan *plan, const char *program, const char *directory,
                     struct sc_helper *helper)
{
    if (plan->program_path != NULL)
        return sc_strdup(plan->program_path);
    SC_AUTO_FREE char *tool =
        plan->program_kind == SC_PROGRAM_FILE ? sc_console_script_package(helper, program) : NULL;
    if (plan->program_kind == SC_PROGRAM_FILE && tool == NULL)
        return directory_of(program);
    return sc_strdup(directory != NULL ? directory : "/");
}

void sc_run_scope_init(struct sc_run_scope *ret_scope, const struct sc_run_plan *plan,
                       const char *directory, struct sc_helper *helper)
{
    /* what is run is waited for, as Python does next */
    struct sc_helper *finder = plan->attach_pid != 0 ? helper : NULL;
    char *program = absolute_program(plan, finder);
    char *root_dir = root_of(plan, program, directory, finder);
    *ret_scope = (struct sc_run_scope){
        .program = program,
        .entrypoint_dir =
            plan->program_kind == SC_PROGRAM_FILE ? directory_of(program) : sc_strdup(""),
        .root_dir = root_dir,
        .text = plan->program_text != NULL ? sc_strdup(plan->program_text) : NULL,
        .is_started = plan->attach_pid == 0 || plan->attaches,
        .scope =
            {
                .root_dir = root_dir,
                .profile_all = plan->profile_all,
                .profile_system_libraries = plan->profile_system_libraries,
                .only = plan->profile_only,
                .only_count = plan->profile_only_count,
                .exclude = plan->profile_exclude,
                .exclude_count = plan->profile_exclude_count,
                .text_name = plan->program_text != NULL ? TEXT_NAME : NULL,
                .cpu_percent_threshold = plan->cpu_percent_threshold,
                .malloc_threshold = plan->malloc_threshold,
                .helper = helper,
            },
    };
}

void sc_run_scope_done(struct sc_run_scope *scope)
{
    sc_library_dirs_done(&scope->libraries);
    sc_vec_free(&scope->tools);
    free(scope->program);
    free(scope->text);
    free(scope->entrypoint_dir);
    free(scope->root_dir);
}

/* The file that a process has been given as its script, to be freed; NULL when it is not there. */
static char *script_of(const struct sc_run_scope *scope, pid_t pid, const char *script)
{
    if (script[0] == '/')
        return sc_helper_resolve(scope->scope.helper, script);
    SC_AUTO_FREE char *now = sc_process_link(pid, "cwd");
    SC_AUTO_FREE char *first = sc_process_began_in(pid);
    const char *const directories[] = {now, first};
    char *resolved = NULL;
    for (size_t i = 0; i < 2 && resolved == NULL; i++) {
        SC_AUTO_FREE char *path =
            directories[i] != NULL ? sc_format("%s/%s", directories[i], script) : NULL;
        resolved = path != NULL ? sc_helper_resolve(scope->scope.helper, path) : NULL;
    }
    return resolved;
}

/* The package that a process runs, to be freed, or NULL. */
static char *tool_of(const struct sc_run_scope *scope, pid_t pid, const struct sc_started *started)
{
    if (started->module != NULL) {
        const char *name = started->module + strspn(started->module, "_");
        return sc_strndup(name, strcspn(name, "."));
    }
    SC_AUTO_FREE char *script =
        started->script != NULL ? script_of(scope, pid, started->script) : NULL;
    return script != NULL ? sc_console_script_package(scope->scope.helper, script) : NULL;
}

/* Takes the name of a package, or NULL. */
static void add_tool_package(struct sc_run_scope *scope, char *tool)
{
    bool is_new = tool != NULL && tool[0] != '\0' && scope->tools.count < TOOLS_MAX;
    for (size_t i = 0; is_new && i < scope->tools.count; i++)
        is_new = strcmp(scope->tools.items[i], tool) != 0;
    if (is_new)
        sc_vec_push(&scope->tools, tool);
    else
        free(tool);
    scope->scope.tools = (const char *const *)scope->tools.items;
    scope->scope.tool_count = scope->tools.count;
}

/* The package that a process was started with, and those that its arguments name. */
static void add_tools(struct sc_run_scope *scope, pid_t pid, const struct sc_started *started,
                      const char *end)
{
    const char *word = started->arguments;
    unsigned count = 0;
    char *tool = tool_of(scope, pid, started);
    if (tool == NULL)
        return;
    add_tool_package(scope, tool);
    for (; word != NULL && word < end && count < ARGUMENTS_MAX; word += strlen(word) + 1) {
        size_t length = sc_started_package(word);
        if (length == 0)
            continue;
        size_t underscores = strspn(word, "_");
        add_tool_package(scope, sc_strndup(word + underscores, length - underscores));
        count++;
    }
}

/* What the user runs may be a text (`scalene run -- python -c TEXT`). A text that a program starts
 * another Python with is not shown, as libraries do that. */
static void set_text(struct sc_run_scope *scope, const char *text)
{
    scope->scope.text_name = TEXT_NAME;
    scope->text = text != NULL ? sc_strdup(text) : NULL;
}

/* What a process that is not a copy of another was started to run. */
static void add_started(struct sc_run_scope *scope, const struct sc_process *process)
{
    char words[COMMAND_BYTES];
    size_t length = sc_process_cmdline(process->pid, words, sizeof(words));
    struct sc_started started = sc_started_of(words, length);
    if (started.text == NULL)
        add_tools(scope, process->pid, &started, words + length);
    else if (!scope->has_process && scope->scope.text_name == NULL)
        set_text(scope, length + 1 < sizeof(words) ? started.text : NULL /* it may be cut */);
}

/* The Python of a virtual environment is a link: the process is that of another folder, and only
 * its first word names the environment. */
static void add_libraries(struct sc_run_scope *scope, const struct sc_process *process)
{
    char words[COMMAND_BYTES];
    bool has_words = sc_process_cmdline(process->pid, words, sizeof(words)) > 0;
    const char *const named[] = {process->program.path,
                                 has_words && words[0] == '/' ? words : NULL};
    for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
        if (i == 0 || named[i] != NULL)
            sc_library_dirs_add(&scope->libraries, scope->scope.helper, named[i],
                                process->facts.version, process->facts.free_threaded);
    }
}

void sc_run_scope_add(struct sc_run_scope *scope, const struct sc_process *process)
{
    if (scope->has_process && process->is_forked) /* a copy runs what is known already */
        return;
    add_libraries(scope, process);
    scope->scope.library_dirs = (const char *const *)scope->libraries.paths.items;
    scope->scope.library_dir_count = scope->libraries.paths.count;
    if (scope->is_started && !process->is_forked)
        add_started(scope, process);
    scope->has_process = true; /* what is in scope is the same from now on */
}
