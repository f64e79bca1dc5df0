/* cli/plan.c - see plan.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/agent_path.h"
#include "cli/config.h"
#include "cli/interpreter.h"
#include "cli/outfile.h"
#include "cli/paths.h"
#include "cli/run_labels.h"
#include "cli/script.h"
#include "push/keep.h"
#include "push/pieces.h"
#include "push/push.h"

/* What the name is of a profile that nobody has named. */
#define DEFAULT_NAME "scalene-profile.json"

static bool given(const struct sc_values *values, enum sc_option_id id)
{
    return values->of[id].source != SC_FROM_DEFAULT;
}

/* --on and --off exclude each other; the one on the command line wins over one in a file. */
static bool check_on_off(struct sc_values *values, struct sc_err *err)
{
    struct sc_value *on = &values->of[SC_OPT_ON];
    struct sc_value *off = &values->of[SC_OPT_OFF];
    if (!on->flag || !off->flag)
        return true;
    if (on->source == off->source)
        return sc_fail(err, on->source == SC_FROM_COMMAND ? SC_ERR_USAGE : SC_ERR_FAILED,
                       "run: only one of --on and --off can be given");
    off->flag = off->source > on->source;
    on->flag = !off->flag;
    return true;
}

static bool check_program(struct sc_planned_run *run, struct sc_err *err)
{
    const struct sc_run_words *words = &run->words;
    if (!words->found && words->missing == NULL)
        return sc_fail(err, SC_ERR_FAILED,
                       "run: no program was given; write, for example: scalene run program.py");
    const char *word = words->found ? words->program : words->missing;
    if (words->found && words->kind != SC_PROGRAM_FILE) {
        run->program = sc_strdup(word);
        return true;
    }
    run->program = sc_path_expand(word);
    if (strcmp(word, "-") == 0)
        return true;
    struct stat status;
    SC_AUTO_FREE char *absolute = sc_path_absolute(run->program);
    if (stat(run->program, &status) != 0) {
        int code = errno;
        char *command = strchr(word, '/') == NULL ? sc_path_find_command(word) : NULL;
        if (command == NULL)
            return sc_fail_errno(err, code, "cannot run '%s'", absolute);
        free(run->program);
        run->program = command;
        return words->found || sc_fail(err, SC_ERR_FAILED,
                                       "run: '%s' is no file here; for the command %s, write: "
                                       "scalene run -- %s ...",
                                       word, command, word);
    }
    if (S_ISDIR(status.st_mode)) {
        SC_AUTO_FREE char *main_file = sc_format("%s/__main__.py", absolute);
        if (access(main_file, F_OK) != 0)
            return sc_fail(err, SC_ERR_FAILED,
                           "cannot run '%s': it is a directory without a __main__.py", absolute);
    } else if (access(run->program, R_OK) != 0) {
        return sc_fail_errno(err, errno, "cannot run '%s'", absolute);
    }
    return true;
}

static bool check_program_path(struct sc_planned_run *run, struct sc_err *err)
{
    const char *text = run->values.of[SC_OPT_PROGRAM_PATH].text;
    if (text == NULL || text[0] == '\0')
        return true;
    SC_AUTO_FREE char *expanded = sc_path_expand(text);
    char *resolved = realpath(expanded, NULL);
    if (resolved == NULL)
        return sc_fail_errno(err, errno, "run: --program-path: cannot use '%s'", text);
    run->program_path = resolved;
    struct stat status;
    if (stat(resolved, &status) != 0 || !S_ISDIR(status.st_mode))
        return sc_fail(err, SC_ERR_FAILED, "run: --program-path: '%s' is no directory", text);
    return true;
}

static bool make_command(struct sc_planned_run *run, struct sc_err *err)
{
    const struct sc_run_words *words = &run->words;
    if (words->kind == SC_PROGRAM_COMMAND) {
        SC_AUTO_FREE char *file = sc_path_find_command(words->program);
        if (file == NULL)
            return sc_fail(err, SC_ERR_FAILED, "run: there is no program '%s'", words->program);
    } else {
        const char *python = run->values.of[SC_OPT_PYTHON].text;
        SC_AUTO_FREE char *neighbour = NULL;
        if (words->kind == SC_PROGRAM_FILE && (python == NULL || python[0] == '\0'))
            python = neighbour = sc_script_neighbour(run->program);
        if (!sc_interpreter_choose(python, &run->interpreter, err))
            return false;
        run->interpreter_file = sc_path_find_command(run->interpreter);
        sc_vec_push(&run->command, run->interpreter);
        for (size_t i = 0; i < words->interpreter.count; i++)
            sc_vec_push(&run->command, words->interpreter.items[i]);
        static char module_flag[] = "-m";
        static char code_flag[] = "-c";
        if (words->kind == SC_PROGRAM_MODULE)
            sc_vec_push(&run->command, module_flag);
        if (words->kind == SC_PROGRAM_CODE) {
            sc_vec_push(&run->command, code_flag);
            sc_vec_push(&run->program_args, code_flag);
        }
    }
    sc_vec_push(&run->command, run->program);
    if (words->kind != SC_PROGRAM_CODE)
        sc_vec_push(&run->program_args, run->program);
    for (size_t i = 0; i < words->args.count; i++) {
        sc_vec_push(&run->command, words->args.items[i]);
        sc_vec_push(&run->program_args, words->args.items[i]);
    }
    sc_vec_push(&run->command, NULL);
    sc_vec_push(&run->program_args, NULL);
    return true;
}

/* Whether options choose what is measured; without any, time, GPU and memory all are. */
static bool is_narrowed(const struct sc_planned_run *run)
{
    const struct sc_value *of = run->values.of;
    return of[SC_OPT_CPU_ONLY].flag || of[SC_OPT_GPU].flag || of[SC_OPT_MEMORY].flag;
}

static bool wants_memory(const struct sc_planned_run *run)
{
    if (given(&run->values, SC_OPT_MEMORY)) /* false, in a file */
        return run->values.of[SC_OPT_MEMORY].flag;
    return !is_narrowed(run);
}

static bool wants_gpu(const struct sc_planned_run *run)
{
    const struct sc_value *gpu = &run->values.of[SC_OPT_GPU];
    if (given(&run->values, SC_OPT_GPU)) /* --no-gpu: all but the GPU */
        return gpu->flag;
    return !is_narrowed(run);
}

/* Before the program starts, as the address or the token may be refused. */
static bool open_push(struct sc_planned_run *run, struct sc_err *err)
{
    static const enum sc_option_id parts[] = {SC_OPT_PUSH_INTERVAL, SC_OPT_PUSH_NAME,
                                              SC_OPT_PUSH_TOKEN_FILE};
    const struct sc_value *of = run->values.of;
    const char *address = sc_value_given(&of[SC_OPT_PUSH]);
    const char *file = sc_value_given(&of[SC_OPT_PUSH_TOKEN_FILE]);
    SC_AUTO_FREE char *token_file = file != NULL ? sc_path_expand(file) : NULL;
    for (size_t i = 0; address == NULL && i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (given(&run->values, parts[i]))
            return sc_fail(err, SC_ERR_USAGE, "run: --%s goes with --push URL",
                           sc_options[parts[i]].name);
    }
    if (address == NULL)
        return true;
    run->push = sc_push_new(address, sc_value_given(&of[SC_OPT_PUSH_NAME]), token_file, err);
    if (run->push == NULL)
        sc_err_name(err, "run");
    return run->push != NULL;
}

/* "500MB", "1GB", "1.5 GB", "1T"; units are powers of 1,024. 0 where it is none of these. */
static uint64_t bytes_of(const char *text)
{
    static const char units[] = "KMGT";
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9')
        return 0;
    double bytes = strtod(text, &end);
    end += *end == ' ';
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit == NULL || (end[1] != '\0' && strcmp(end + 1, "B") != 0))
        return 0;
    for (const char *at = units; at <= unit; at++)
        bytes *= 1024;
    return bytes < 1e18 ? (uint64_t)bytes : 0;
}

static bool open_keep(struct sc_planned_run *run, struct sc_err *err)
{
    const char *size = sc_value_given(&run->values.of[SC_OPT_KEEP]);
    if (size == NULL)
        return !given(&run->values, SC_OPT_KEEP_INTERVAL) ||
               sc_fail(err, SC_ERR_USAGE, "run: --keep-interval goes with --keep SIZE");
    struct stat facts;
    uint64_t bytes = bytes_of(size);
    if (bytes < SC_KEEP_BYTES_MIN)
        return sc_fail(err, SC_ERR_USAGE,
                       "run: --keep takes a size of 1MB or more, as 500MB or 1GB, not '%.40s'",
                       size);
    if (stat(run->outfile, &facts) == 0 && !S_ISREG(facts.st_mode))
        return sc_fail(err, SC_ERR_FAILED, "run: --keep needs a profile that is a file");
    SC_AUTO_FREE char *folder = sc_pieces_folder(run->outfile);
    run->keep = sc_keep_new(folder, bytes, err);
    if (run->keep == NULL)
        sc_err_name(err, "run");
    return run->keep != NULL;
}

/* Such lines are written for readers that find a line's record by its number. */
static bool is_for_readers_of_the_original(const struct sc_planned_run *run)
{
    for (size_t i = 0; i < run->words.ignored.count; i++) {
        if (strcmp(run->words.ignored.items[i], "--json") == 0)
            return true;
    }
    return run->values.of[SC_OPT_REDUCED_PROFILE].flag;
}

/* The profile's name as the user has typed it, with its places filled: relative, or absolute. */
static const char *typed_outfile(const struct sc_planned_run *run)
{
    const char *typed = run->values.of[SC_OPT_OUTFILE].text;
    SC_AUTO_FREE char *here = sc_path_absolute("");
    size_t length = strlen(here);
    bool is_below = sc_starts_with(run->outfile, here) && run->outfile[length] != '-';
    return typed[0] != '/' && typed[0] != '~' && is_below ? run->outfile + length : run->outfile;
}

static void fill_plan(struct sc_planned_run *run)
{
    const struct sc_value *of = run->values.of;
    static const char code_name[] = "-c";
    bool is_code = run->words.kind == SC_PROGRAM_CODE;
    const char *allow = getenv("SCALENE_ALLOW_UNKNOWN_PYTHON");
    run->plan = (struct sc_run_plan){
        .command = run->command.items,
        .python = run->interpreter_file,
        .agent_path = run->agent_link != NULL ? run->agent_link : run->agent_path,
        .outfile = run->outfile,
        .typed_outfile = typed_outfile(run),
        .outfile_is_default = strcmp(typed_outfile(run), DEFAULT_NAME) == 0,
        .labels = &run->labels,
        .program = is_code ? code_name : run->program,
        .program_text = is_code ? run->program : NULL,
        .program_kind = run->words.kind,
        .program_args = run->program_args.items,
        .program_path = run->program_path,
        .profile_all = of[SC_OPT_PROFILE_ALL].flag,
        .profile_system_libraries = of[SC_OPT_PROFILE_SYSTEM_LIBRARIES].flag,
        .profile_only = (const char *const *)of[SC_OPT_PROFILE_ONLY].list.items,
        .profile_only_count = of[SC_OPT_PROFILE_ONLY].list.count,
        .profile_exclude = (const char *const *)of[SC_OPT_PROFILE_EXCLUDE].list.items,
        .profile_exclude_count = of[SC_OPT_PROFILE_EXCLUDE].list.count,
        .cpu_percent_threshold = of[SC_OPT_CPU_PERCENT_THRESHOLD].number,
        .malloc_threshold = of[SC_OPT_MALLOC_THRESHOLD].count,
        .cpu_sampling_rate_s = of[SC_OPT_CPU_SAMPLING_RATE].number,
        .samples_evenly = given(&run->values, SC_OPT_CPU_SAMPLING_RATE),
        .use_virtual_time = of[SC_OPT_USE_VIRTUAL_TIME].flag,
        .profile_interval_s = of[SC_OPT_PROFILE_INTERVAL].number,
        .start_off = of[SC_OPT_OFF].flag,
        .allocation_window_bytes = of[SC_OPT_ALLOCATION_SAMPLING_WINDOW].count,
        .find_leaks = of[SC_OPT_MEMORY_LEAK_DETECTOR].flag,
        .memory = wants_memory(run),
        .stacks = of[SC_OPT_STACKS].flag,
        .gpu = wants_gpu(run),
        .gpu_wanted = of[SC_OPT_GPU].flag,
        .gpu_trace = wants_gpu(run) && of[SC_OPT_GPU_TRACE].flag,
        .async_profile = of[SC_OPT_ASYNC].flag,
        .allow_unknown_python = allow != NULL && strcmp(allow, "1") == 0,
        .quiet = of[SC_OPT_QUIET].flag,
        .full_profile = of[SC_OPT_FULL_PROFILE].flag || is_for_readers_of_the_original(run),
    };
    if (run->push != NULL)
        run->plan.shares[0] = (struct sc_run_share){.interval_s = of[SC_OPT_PUSH_INTERVAL].number,
                                                    .context = run->push,
                                                    .is_ready = sc_push_has_room,
                                                    .take = sc_push_take,
                                                    .end = sc_push_end};
    if (run->keep != NULL)
        run->plan.shares[1] = (struct sc_run_share){.interval_s = of[SC_OPT_KEEP_INTERVAL].number,
                                                    .context = run->keep,
                                                    .is_ready = sc_keep_is_ready,
                                                    .take = sc_keep_take,
                                                    .end = sc_keep_end};
}

/* Who has started the run, and where, and the name of the profile, which may say so, too. pid: the
 * process that runs already, or 0. One that has started us has given us its environment as it is
 * now. */
static bool name_run(struct sc_planned_run *run, pid_t pid, struct sc_err *err)
{
    const struct sc_value *of = run->values.of;
    bool is_file = run->words.kind == SC_PROGRAM_FILE && run->program != NULL;
    pid_t other = pid != getppid() ? pid : 0;
    SC_AUTO_FREE char *directory = sc_path_directory(is_file ? run->program : "");
    if (!sc_run_labels_make(other, is_file || other == 0 ? directory : NULL, &of[SC_OPT_LABEL],
                            &run->labels, err))
        return false;
    struct sc_name_facts facts = {
        .labels = &run->labels, .pid = pid != 0 ? pid : getpid(), .time = time(NULL)};
    return sc_outfile_resolve("run", of[SC_OPT_OUTFILE].text,
                              of[SC_OPT_OUTFILE_AS_IS].flag ? NULL : &facts, &run->outfile, err);
}

static bool read_config(struct sc_planned_run *run, struct sc_err *err)
{
    if (run->values.of[SC_OPT_CONFIG].text == NULL)
        return true;
    SC_AUTO_FREE char *config = sc_path_expand(run->values.of[SC_OPT_CONFIG].text);
    if (!run->words.config_is_behind)
        return sc_config_read(config, &run->values, err);
    struct sc_err cause = {0};
    return sc_config_read(config, &run->values, &cause) ||
           sc_fail(err, cause.kind, "%.300s " SC_PROGRAMS_OWN, cause.text);
}

bool sc_plan_make(char *const *words, bool is_old, struct sc_planned_run *run, struct sc_err *err)
{
    sc_values_init(&run->values);
    if (!sc_run_words_read(words, is_old, &run->values, &run->words, err))
        return false;
    if (run->values.of[SC_OPT_HELP].flag || run->values.of[SC_OPT_HELP_ADVANCED].flag)
        return true;
    if (!read_config(run, err) || !check_on_off(&run->values, err) || !check_program(run, err) ||
        !check_program_path(run, err) || !name_run(run, 0, err) || !make_command(run, err) ||
        !sc_agent_path(wants_memory(run), &run->agent_path, err) ||
        !sc_agent_link_make(run->agent_path, &run->agent_link, err) || !open_push(run, err) ||
        !open_keep(run, err))
        return false;
    fill_plan(run);
    return true;
}

/* Reads options up to the first other word or the separator "---"; *ret_count words were read.
 * Options that `run` would hand on to the program are ignored: here the program runs already; with
 * the separator so is every word before it, such as the value of an ignored option. */
static bool read_options(char *const *words, bool to_separator, struct sc_values *values,
                         struct sc_words *ret_ignored, size_t *ret_count, struct sc_err *err)
{
    size_t index = 0;
    for (; words[index] != NULL; index++) {
        struct sc_found_option found;
        if (strcmp(words[index], "---") == 0) {
            index++;
            break;
        }
        enum sc_match match = sc_option_find(SC_VERB_RUN, words[index], &found, err);
        if (match == SC_MATCH_NONE && (to_separator || sc_starts_with(words[index], "--"))) {
            sc_vec_push(ret_ignored, words[index]);
            continue;
        }
        if (match == SC_MATCH_NONE)
            break;
        if (match == SC_MATCH_AMBIGUOUS || !sc_option_take(values, &found, words, &index, err))
            return false;
    }
    *ret_count = index;
    return true;
}

/* Whether the process has a file of that name, perhaps in a container of its own. */
static bool is_file_of(pid_t pid, const char *path)
{
    struct stat status;
    SC_AUTO_FREE char *theirs = sc_format("/proc/%d/root%s", (int)pid, path);
    bool is_there = (path[0] == '/' && stat(theirs, &status) == 0) || stat(path, &status) == 0;
    return is_there && S_ISREG(status.st_mode);
}

bool sc_plan_attach(pid_t pid, const char *program, char *const *words, struct sc_planned_run *run,
                    size_t *ret_count, struct sc_err *err)
{
    sc_values_init(&run->values);
    run->program = sc_strdup(program);
    run->words.kind = is_file_of(pid, program) ? SC_PROGRAM_FILE : SC_PROGRAM_COMMAND;
    /* without a process they may be a statement with options before it, as "x --- y" is one */
    bool to_separator = false;
    for (size_t i = 0; pid != 0 && words[i] != NULL && !to_separator; i++)
        to_separator = strcmp(words[i], "---") == 0;
    /* always the agent that can follow memory: a later profile of the process may ask for that */
    if (!read_options(words, to_separator, &run->values, &run->words.ignored, ret_count, err) ||
        !read_config(run, err) || !check_on_off(&run->values, err) ||
        !check_program_path(run, err) || !name_run(run, pid, err) ||
        !sc_agent_path(true, &run->agent_path, err) || !open_push(run, err) || !open_keep(run, err))
        return false;
    sc_vec_push(&run->command, run->program);
    sc_vec_push(&run->command, NULL);
    sc_vec_push(&run->program_args, run->program);
    for (char *const *word = words + *ret_count; *word != NULL; word++)
        sc_vec_push(&run->program_args, *word);
    sc_vec_push(&run->program_args, NULL);
    fill_plan(run);
    run->plan.attach_pid = pid;
    return true;
}

void sc_plan_list_ignored(const struct sc_planned_run *run, struct sc_str *ret_text)
{
    const struct sc_words *ignored = &run->words.ignored;
    bool is_form = false;
    for (size_t i = 0; i < ignored->count; i++) {
        sc_str_add_format(ret_text, "%s %s",
                          i == 0 ? "ignored, as this version has no such option:" : "",
                          ignored->items[i]);
        is_form = is_form || sc_is_among(ignored->items[i], "--json --html --cli --web");
    }
    if (is_form)
        sc_str_add(ret_text, " (the profile is JSON; `scalene view` shows it)");
    if (run->words.ignored_is_behind)
        sc_str_add(ret_text, " " SC_PROGRAMS_OWN);
}

void sc_plan_list_without_effect(const struct sc_planned_run *run, struct sc_str *ret_text)
{
    for (int i = 0; i < SC_OPT_COUNT_; i++) {
        enum sc_option_id id = (enum sc_option_id)i;
        const struct sc_option *option = &sc_options[id];
        bool can_be_off = option->kind == SC_ARG_FLAG || option->kind == SC_ARG_SWITCH;
        if (option->verb != SC_VERB_RUN || (option->traits & SC_TRAIT_IGNORED) == 0 ||
            !given(&run->values, id) || (can_be_off && !run->values.of[id].flag))
            continue; /* switching off what has no effect needs no message */
        sc_str_add_format(ret_text, "%s--%s",
                          ret_text->length == 0 ? "without an effect here: " : ", ", option->name);
    }
}

void sc_planned_run_done(struct sc_planned_run *run)
{
    sc_vec_done(&run->command);
    sc_vec_done(&run->program_args);
    sc_run_words_done(&run->words);
    sc_values_done(&run->values);
    free(run->interpreter);
    free(run->interpreter_file);
    free(run->program);
    sc_agent_link_remove(run->agent_link);
    free(run->agent_path);
    free(run->outfile);
    sc_labels_done(&run->labels);
    free(run->program_path);
    sc_push_free(run->push);
    sc_keep_free(run->keep);
    memset(run, 0, sizeof(*run));
}
