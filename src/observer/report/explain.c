/* observer/report/explain.c - see explain.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/report/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/io.h"
#include "base/mem.h"
#include "observer/system/descriptors.h"
#include "observer/system/executable.h"
#include "observer/system/permits.h"
#include "observer/system/procfs.h"

#define FEW_SAMPLES         20U
#define SPENT_SHARE         0.025 /* of all CPU time: half of what ticks may take (agent/budget.h) */
#define OUTSIDE_SHARE       0.1   /* of all CPU time, from which on it is worth a sentence */
#define PROCESS_TAIL_S      0.002 /* CPU time of a process after it has reported its end */
#define UNMEASURED_TAIL_S   0.02  /* from poll to poll, where it has reported a part or nothing */
#define NATIVE_THREADS_S    0.1   /* CPU time that no start and end of an interpreter takes */
#define NAMED_OBSTACLES_MAX 10U   /* files that could not be followed */

#define RAN_AS_ANOTHER                                                                             \
    "ran as another user, and only processes of the user who started scalene are followed"

static void add(struct sc_profile *profile, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct sc_profile *profile, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    if (text != NULL)
        sc_vec_push(&profile->notes, text);
}

/* Why a Python was refused; the caller frees it. */
static char *refusal_of(const struct sc_observation *observation, const struct sc_hello *hello)
{
    unsigned major = hello->version_hex >> 24;
    unsigned minor = hello->version_hex >> 16 & 255U;
    switch ((enum sc_hello_status)hello->status) {
    case SC_HELLO_TOO_OLD:
        return sc_format("Python %u.%u is too old, 3.8 or later is needed", major, minor);
    case SC_HELLO_UNKNOWN:
        return sc_format("Python %u.%u is newer than this version knows (3.15); "
                         "SCALENE_ALLOW_UNKNOWN_PYTHON=1 tries all the same",
                         major, minor);
    case SC_HELLO_UNREADABLE:
        return sc_format("this build of Python %u.%u does not describe its memory in a way that is "
                         "understood",
                         major, minor);
    case SC_HELLO_NO_SYMBOLS:
        return sc_format("this build of Python %u.%u hides symbols that are needed", major, minor);
    case SC_HELLO_NO_MEMORY:
        return sc_format("the program could not make a buffer of %u KB (a limit on memory, on open "
                         "files or on their size, or a filter that refuses memfd_create?)",
                         (unsigned)(sizeof(struct sc_segment) >> 10));
    case SC_HELLO_TOO_MANY:
        return sc_strdup("more of them began at once than the limit on open files lets meet the "
                         "observer (ulimit -n raises it)");
    case SC_HELLO_OTHER_USER:
        return sc_strdup("it " RAN_AS_ANOTHER);
    case SC_HELLO_OK: /* it is we who could not follow it */
        return sc_strdup(observation->failure.text);
    case SC_HELLO_EXECUTES: /* is no refusal */
        break;
    }
    return sc_strdup("the reason is not known");
}

/* Answers 's' for a statically linked file, 'u' for one that is set-uid, else nothing. */
static void look_at_executable(const char *path, size_t length, struct sc_str *ret_answer)
{
    struct stat status;
    (void)length;
    if (sc_executable_is_static(path))
        sc_str_add_char(ret_answer, 's');
    else if (stat(path, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0)
        sc_str_add_char(ret_answer, 'u');
}

static char kind_of(const struct sc_observation *observation)
{
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    const char *path = observation->executable;
    if (path != NULL)
        (void)sc_helper_ask(observation->helper, path, look_at_executable, path, strlen(path),
                            &answer);
    return answer.length > 0 ? answer.data[0] : '-';
}

static void explain_no_agent(const struct sc_observation *observation, struct sc_profile *profile)
{
    const char *executable = observation->executable;
    if (observation->tree.refused.count > 0) {
        SC_AUTO_FREE char *why = refusal_of(observation, &observation->tree.refused.items[0].hello);
        add(profile, "nothing was profiled: %s", why);
        return;
    }
    char kind = kind_of(observation);
    if (kind == 's') {
        add(profile, "nothing was profiled: '%s' is statically linked, so the agent was not loaded",
            executable);
    } else if (kind == 'u') {
        add(profile, "nothing was profiled: '%s' is set-uid, so the agent was not loaded",
            executable);
    } else if (observation->is_other_users) {
        add(profile, "nothing was profiled: '%s' " RAN_AS_ANOTHER, executable);
    } else if (executable != NULL && sc_ends_with(executable, "/scalene")) {
        add(profile, "nothing was profiled: '%s' profiles its program itself", executable);
    } else {
        add(profile,
            "nothing was profiled: '%s' is not a Python interpreter and started none; a program "
            "that loads "
            "one into itself, as frozen programs do, cannot be followed",
            executable != NULL ? executable : observation->plan->command[0]);
    }
}

static void name_hidden_files(struct sc_profile *profile)
{
    size_t shown = profile->hidden_files.count < 3 ? profile->hidden_files.count : 3;
    for (size_t i = 0; i < shown; i++) {
        const struct sc_hidden_file *file = &profile->hidden_files.items[i];
        add(profile, "not shown: %s, %.0f %% of the time (%s)", file->name, file->percent,
            file->reason);
    }
}

/* How many of the files that are not shown are so for this reason. */
static size_t count_hidden(const struct sc_profile *profile, const char *reason)
{
    size_t count = 0;
    SC_EACH(const struct sc_hidden_file, file, &profile->hidden_files)
        count += strcmp(file->reason, reason) == 0;
    return count;
}

/* The Python that the program ran with, as the run has named it: the link to it in a virtual
 * environment is what says where its packages are. Where that is another file, a script that has
 * chosen one, the one that ran. */
static const char *python_of(const struct sc_observation *observation)
{
    const char *named = observation->plan->python;
    const char *path = observation->processes.items[0]->program.path;
    struct stat one;
    struct stat other;
    bool is_same = named != NULL && path != NULL && stat(named, &one) == 0 &&
                   stat(path, &other) == 0 && one.st_dev == other.st_dev &&
                   one.st_ino == other.st_ino;
    return is_same ? named : path;
}

/* A program that ends with a mistake before its own code runs, as one with a syntax error does, is
 * no program that was too short. Its interpreter is named, since another one than expected often is
 * why a module is missing. */
static bool explain_failure(const struct sc_observation *observation, struct sc_profile *profile)
{
    SC_AUTO_FREE char *ending = sc_profile_ending(profile);
    /* what is hidden is the interpreter's own */
    if (ending == NULL || count_hidden(profile, "internal") < profile->hidden_files.count)
        return false;
    const char *python = python_of(observation);
    SC_AUTO_FREE char *ran_with =
        python != NULL ? sc_format("; it ran with '%s'", python) : sc_strdup("");
    bool is_signal = strcmp(profile->exit_kind, "signal") == 0;
    add(profile, "the program %s %s before its code could be sampled: its own output may say why%s",
        is_signal ? "was" : "ended with", ending, ran_with);
    return true;
}

static void explain_no_files(const struct sc_observation *observation, struct sc_profile *profile)
{
    if (explain_failure(observation, profile))
        return;
    if (observation->on_from_ns == UINT64_MAX) {
        add(profile, "profiling was off: nothing switched it on (--off)");
        return;
    }
    if (profile->samples_taken + profile->samples_waiting == 0) {
        add(profile,
            "the program did not run for long enough to be sampled: it used %.1f ms of CPU time in "
            "%.1f ms, and a sample is taken every %.3g ms",
            profile->target_cpu_s * 1e3, profile->elapsed_s * 1e3, profile->interval_s * 1e3);
        return;
    }
    if (profile->hidden_files.count == 0) {
        if (profile->native_threads_cpu_s >= NATIVE_THREADS_S &&
            profile->native_threads_cpu_s >= profile->target_cpu_s / 2)
            add(profile,
                "no time was seen in Python code: %.1f s of CPU time were used by threads without "
                "Python frames",
                profile->native_threads_cpu_s);
        else
            add(profile,
                "no time was seen in Python code: the program did not run for long enough");
        return;
    }
    name_hidden_files(profile);
    if (count_hidden(profile, "excluded") > 0)
        add(profile, "--profile-only and --profile-exclude may leave out too much");
    if (count_hidden(profile, "threshold") > 0)
        add(profile, "--cpu-percent-threshold 0 shows files that take little time, too");
    if (count_hidden(profile, "library") > 0 || count_hidden(profile, "outside") > 0)
        add(profile, "only code below '%s' is shown; --profile-all shows all files",
            profile->root_dir);
}

/* Without an agent no number of them is to be expected: looks at short work hardly ever meet it. */
static bool expects_samples(const struct sc_observation *observation)
{
    SC_EACH_PROCESS(process, observation) {
        if (process->has_no_agent)
            return false;
    }
    return true;
}

static uint64_t attempts(const struct sc_observation *observation)
{
    uint64_t sum = 0;
    SC_EACH_PROCESS(process, observation)
        sum += process->counts.attempts + process->looks.outside;
    return sum;
}

static void explain_sealed(const struct sc_observation *observation, struct sc_profile *profile)
{
    SC_EACH_PROCESS(process, observation) {
        uint64_t sealed_ns = process->counts.sealed_ns;
        if (sealed_ns == 0)
            continue;
        double after_s =
            sealed_ns > process->known_ns ? (double)(sealed_ns - process->known_ns) / 1e9 : 0;
        add(profile,
            "process %d restricted its own system calls after %.1f s (seccomp, or no new "
            "privileges): from then on its time is read from outside only, and its memory and "
            "what it starts are not followed",
            (int)process->pid, after_s);
        return;
    }
}

/* Why nothing was noted of what running threads do, to be freed. */
static char *why_unnoted(const struct sc_process *process)
{
    if (process->looks.with_moment > 0 || process->looks.outside == 0)
        return sc_strdup("");
    const char *not_known =
        "; system time and native functions of running threads are not told apart, ";
    if (!process->threads.are_noted)
        return sc_format("%ssince the system permits no perf events (root, or "
                         "kernel.perf_event_paranoid 1 or less, has them)",
                         not_known);
    return process->threads.count > SC_NOTED_THREADS_MAX
               ? sc_format("%sbut for the first %u threads", not_known, SC_NOTED_THREADS_MAX)
               : sc_strdup("");
}

/* What a profile from outside lacks. */
static void explain_no_agent_in(const struct sc_observation *observation,
                                struct sc_profile *profile)
{
    const char *why = observation->not_loaded != NULL ? observation->not_loaded : "";
    SC_EACH_PROCESS(process, observation) {
        if (!process->has_no_agent)
            continue;
        SC_AUTO_FREE char *unnoted = why_unnoted(process);
        add(profile,
            "process %d was read from outside%s%s%s: time and waits are measured, memory, copies "
            "and GPUs are not (Python 3.14 and later, and scalene run, measure all)%s",
            (int)process->pid, why[0] != '\0' ? " (" : "", why, why[0] != '\0' ? ")" : "", unnoted);
        return;
    }
}

/* Whether samples are rare because each costs much: the stacks are deep. */
static bool is_budget_spent(const struct sc_profile *profile)
{
    return profile->handler_cpu_s > SPENT_SHARE * profile->target_cpu_s;
}

static void explain_unsampled(const struct sc_observation *observation, struct sc_profile *profile)
{
    uint64_t outside_ns = 0;
    SC_EACH_PROCESS(process, observation) {
        if (process->counts.sealed_ns == 0 && !process->has_no_agent)
            outside_ns += process->looks.outside_ns;
    }
    /* a limit on pending signals counts timers, too */
    bool lacked_timers = profile->losses[SC_LOSS_NO_TIMER] > 0;
    if ((double)outside_ns > OUTSIDE_SHARE * profile->target_cpu_s * 1e9)
        add(profile,
            "%.1f s of CPU time were used by threads that %s: they were read from outside, which "
            "cannot separate system time from Python's%s",
            (double)outside_ns / 1e9,
            lacked_timers ? "block the signal SIGURG or were given no timer (ulimit -i)"
            : is_budget_spent(profile) ? "had no sample for long, as their stacks are deep"
                                       : "block the signal SIGURG",
            sc_process_processors(0) > 1
                ? ""
                : " and, with a single CPU, finds them too often where they call the system");
}

static void explain_coarse(const struct sc_observation *observation, struct sc_profile *profile)
{
    if (observation->is_coarse)
        add(profile,
            "samples came with the kernel's ticks, every %.3g ms: finer ones need perf events, "
            "which the system does not permit",
            (double)sc_jiffy_ns() / 1e6);
}

static void explain_descriptors(struct sc_profile *profile)
{
    struct rlimit limit;
    uint64_t lacking = sc_descriptors_lacking();
    if (lacking > 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0)
        add(profile,
            "the limit on open files (%llu) left the profiler without one %llu time%s: what waits "
            "may count as kept off a CPU or not at all, and child processes may be missing",
            (unsigned long long)limit.rlim_cur, (unsigned long long)lacking,
            lacking == 1 ? "" : "s");
}

static void explain_signals(const struct sc_observation *observation, struct sc_profile *profile)
{
    double expected = profile->target_cpu_s / profile->interval_s;
    double found = (double)attempts(observation);
    if (!expects_samples(observation) || expected <= 4 * FEW_SAMPLES || found >= expected / 10)
        return;
    if (found > 0 && is_budget_spent(profile))
        add(profile,
            "few samples came: the stacks are so deep that reading one takes %.2g ms, and that "
            "may take a twentieth of the CPU time",
            profile->handler_cpu_s * 1e3 / found);
    else
        add(profile,
            "few samples came: the program has taken over the signal SIGURG, or its timers "
            "are not allowed");
}

/* Moves one of the notes to the front, behind the others that are there for the same reason. */
static void count_as_refusal(struct sc_profile *profile, size_t place)
{
    char **notes = profile->notes.items;
    char *note = notes[place];
    size_t first = (size_t)profile->refusal_notes++;
    memmove(notes + first + 1, notes + first, (place - first) * sizeof(*notes));
    notes[first] = note;
}

/* What is missing in the profile because the system lets us read a process only in part. */
static void explain_refused(const struct sc_observation *observation, struct sc_profile *profile)
{
    size_t before = profile->notes.count;
    for (size_t i = 0; i < observation->processes.count && profile->notes.count == before; i++) {
        const struct sc_process *process = observation->processes.items[i];
        const struct sc_refusals *refused = &process->refused;
        if (process->program.is_replaced) /* perhaps by a program with another user's rights */
            continue;
        int pid = (int)process->pid;
        if (refused->memory)
            add(profile,
                "the system forbids reading the memory of process %d (ptrace is not permitted), "
                "so " SC_COST_OF_MEMORY,
                pid);
        if (refused->calls)
            add(profile,
                "the system forbids asking what process %d waits for (ptrace is not permitted), "
                "so " SC_COST_OF_CALLS,
                pid);
        if (refused->maps)
            add(profile,
                "the system forbids asking which files process %d has loaded (ptrace is not "
                "permitted), so " SC_COST_OF_MAPS,
                pid);
        if (refused->pages)
            add(profile,
                "the system forbids asking which pages process %d has touched (/proc/%d/pagemap), "
                "so " SC_COST_OF_PAGES,
                pid, pid);
    }
    for (size_t i = before; i < profile->notes.count; i++)
        count_as_refusal(profile, i);
}

static void explain_silent(const struct sc_observation *observation, struct sc_profile *profile)
{
    const char *path = NULL;
    const struct sc_helper *sources = observation->run_scope.scope.helper;
    int refusal = sc_helper_refusal(sources);
    uint64_t lost = sc_helper_lost(sources, &path);
    if (refusal != 0)
        add(profile,
            "a process that reads files could not be started (%s): sources are not shown, and "
            "files count as yours or a library's by their names alone (%llu questions)",
            strerror(refusal), (unsigned long long)lost);
    else if (lost > 0 && path != NULL)
        add(profile,
            "the file system of '%s' did not answer in time: sources there are not shown, and "
            "files count as yours or a library's by their names alone (%llu questions)",
            path, (unsigned long long)lost);
    refusal = sc_helper_refusal(observation->slow);
    lost = sc_helper_lost(observation->slow, &path);
    if (refusal != 0)
        add(profile,
            "a process that reads programs could not be started (%s): native functions have no "
            "names (%llu questions)",
            strerror(refusal), (unsigned long long)lost);
    else if (lost > 0 && path != NULL)
        add(profile,
            "'%s' could not be read in time, or is broken: native functions of it have no names, "
            "or it is not known whether it was followed (%llu questions)",
            path, (unsigned long long)lost);
}

static void explain_tasks(const struct sc_observation *observation, struct sc_profile *profile)
{
    bool is_refused = false;
    SC_EACH_PROCESS(process, observation)
        is_refused = is_refused || process->tasks.is_refused;
    if (is_refused)
        add(profile, "asyncio of this Python is not laid out as expected, so what its tasks wait "
                     "for is not known");
}

/* CPU time of children that were waited for and are none of those followed. */
static double other_children_cpu_s(const struct sc_observation *observation)
{
    double others_s = observation->children_cpu_s;
    SC_EACH_PROCESS(process, observation) {
        if (process->pid != observation->pid)
            others_s -= sc_process_own_cpu_s(process);
    }
    return others_s;
}

/* What was executed and cannot be followed. */
static void name_obstacles(const struct sc_observation *observation, struct sc_profile *profile)
{
    const struct sc_tree *tree = &observation->tree;
    unsigned named = 0;
    for (uint32_t i = 0; i < tree->executed.count && named < NAMED_OBSTACLES_MAX; i++) {
        const struct sc_executed *executed = &tree->executed.items[i];
        if (executed->unfollowed_count == 0)
            continue;
        uint64_t count = executed->unfollowed_count;
        SC_AUTO_FREE char *times =
            count == 1 ? sc_strdup("once") : sc_format("%llu times", (unsigned long long)count);
        const char *obstacle = executed->obstacle != NULL
                                   ? executed->obstacle
                                   : "ran as another user, or in another root directory, and could "
                                     "not read the agent's library, or was started on a stack too "
                                     "small for its environment";
        add(profile, "not followed: '%s' %s, so the agent was not loaded; it was executed %s",
            executed->path != NULL ? executed->path : sc_intern_text(&tree->files, i), obstacle,
            times);
        named++;
    }
    for (uint32_t i = 0; i < tree->refused.count && named < NAMED_OBSTACLES_MAX; i++, named++) {
        const struct sc_refused *refused = &tree->refused.items[i];
        const char *path = sc_intern_text(&tree->pythons, i);
        SC_AUTO_FREE char *why = refusal_of(observation, &refused->hello);
        add(profile, "not followed: '%s' in %llu process%s: %s", path[0] != '\0' ? path : "python",
            (unsigned long long)refused->count, refused->count == 1 ? "" : "es", why);
    }
}

static void explain_processes(const struct sc_observation *observation, struct sc_profile *profile)
{
    double others_s = other_children_cpu_s(observation);
    double tails_s = 0.0;
    SC_EACH_PROCESS(process, observation) {
        bool is_sum = process->summed_count > 0;
        uint64_t count = is_sum ? process->summed_count : 1;
        uint64_t unmeasured = is_sum ? process->summed_unmeasured : process->ending.is_unmeasured;
        tails_s +=
            UNMEASURED_TAIL_S * (double)unmeasured + PROCESS_TAIL_S * (double)(count - unmeasured);
    }
    /* the kernel reports children's time in steps of 10 ms */
    if (others_s > 0.02 + 0.01 * profile->target_cpu_s + tails_s)
        add(profile,
            "child processes that are no CPython, or could not be followed, used %.2f s of CPU "
            "time",
            others_s);
    SC_EACH_PROCESS(process, observation) {
        if (process->ending.has_outlived && !observation->plan->attaches)
            add(profile, "process %d was still running when the program had ended: %s",
                (int)process->pid, process->command);
    }
}

/* A driver that says why there is no GPU has its own note. */
static void explain_no_gpu(const struct sc_observation *observation, struct sc_profile *profile)
{
    if (!observation->plan->gpu_wanted || profile->gpu)
        return;
    struct sc_accelerators *accelerators = observation->loads.accelerators;
    SC_AUTO_FREE char *why =
        accelerators != NULL ? sc_accelerators_notes(accelerators) : sc_strdup("");
    if (why[0] == '\0')
        add(profile, "--gpu was given, but no GPU was found, nor a driver for one");
}

/* Notes that ask the user to do something come first, and are also printed at the end of the
 * run. */
void sc_observation_explain(const struct sc_observation *observation, struct sc_profile *profile)
{
    if (observation->processes.count == 0) {
        explain_no_agent(observation, profile);
        profile->urgent_notes = profile->notes.count;
        return;
    }
    if (observation->has_no_control_socket)
        add(profile, "another process listened for this one's orders: it could not be switched on "
                     "and off from outside (scalene profile)");
    explain_sealed(observation, profile);
    explain_signals(observation, profile);
    explain_coarse(observation, profile);
    explain_descriptors(profile);
    explain_refused(observation, profile);
    explain_silent(observation, profile);
    name_obstacles(observation, profile);
    explain_no_gpu(observation, profile);
    uint64_t samples = profile->samples_taken + profile->samples_waiting;
    if (profile->files.count == 0)
        explain_no_files(observation, profile);
    else if (samples == 0)
        add(profile, "no sample was taken, so nothing is known of the time; run longer or lower "
                     "--cpu-sampling-rate");
    else if (samples < FEW_SAMPLES)
        add(profile,
            "only %llu sample%s: shares are rough; run longer or lower --cpu-sampling-rate",
            (unsigned long long)samples, samples == 1 ? "" : "s");
    profile->urgent_notes = profile->notes.count;
    explain_no_agent_in(observation, profile);
    explain_unsampled(observation, profile);
    explain_tasks(observation, profile);
    explain_processes(observation, profile);
}

void sc_say_where(const struct sc_run_plan *plan)
{
    const char *space = plan->outfile_is_default ? "" : " ";
    SC_AUTO_FREE char *argument =
        plan->outfile_is_default ? NULL : sc_shell_word(plan->typed_outfile);
    (void)fprintf(stderr, "\nScalene: profile saved to %s\n", plan->typed_outfile);
    if (!sc_starts_with(plan->outfile, "/dev/")) /* it cannot be read a second time */
        (void)fprintf(stderr,
                      "  To view in browser:  scalene view%s%s\n"
                      "  To view in terminal: scalene view --cli%s%s\n",
                      space, argument != NULL ? argument : "", space,
                      argument != NULL ? argument : "");
}
