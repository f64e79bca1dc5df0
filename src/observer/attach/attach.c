/* observer/attach/attach.c - see attach.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/attach/attach.h"

#include <dirent.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "cpython/modules.h"
#include "observer/attach/loader.h"
#include "observer/lifecycle/following.h"
#include "observer/lifecycle/process_poll.h"
#include "observer/process/running_python.h"
#include "observer/process/without_agent.h"
#include "observer/waiting/watch.h"

#define DESCENDANTS_MAX  4096U
#define LOOK_INTERVAL_NS 250000000U
#define FINDS_MAX        100U
#define FIND_PAUSE_NS    10000000
#define LOOK_SHARE       50U /* a look may take this part of the time between two */

/* A process that is to be followed. */
struct candidate {
    struct sc_remote remote;
    struct sc_interpreter_facts facts;
    struct sc_layout layout;
    bool is_found;
};

static bool is_in_our_namespace(pid_t pid, const char *name)
{
    struct stat own;
    struct stat other;
    SC_AUTO_FREE char *own_path = sc_format("/proc/self/ns/%s", name);
    SC_AUTO_FREE char *path = sc_format("/proc/%d/ns/%s", (int)pid, name);
    return stat(own_path, &own) == 0 && stat(path, &other) == 0 && own.st_ino == other.st_ino;
}

static bool has_our_root(pid_t pid)
{
    struct stat own;
    struct stat other;
    SC_AUTO_FREE char *root = sc_format("/proc/%d/root", (int)pid);
    return stat("/", &own) == 0 && stat(root, &other) == 0 && own.st_ino == other.st_ino &&
           own.st_dev == other.st_dev;
}

struct sc_helper *sc_attach_sources(pid_t pid, uint64_t timeout_ns)
{
    bool is_other = pid != 0 && (!is_in_our_namespace(pid, "mnt") || !has_our_root(pid));
    return is_other ? sc_helper_new_for(pid, timeout_ns) : NULL;
}

/* To open what we have open, the process must be able to read our memory
 * (PTRACE_MODE_READ_FSCREDS in ptrace(2)): what it can have us do, it must be able to do itself. */
static bool has_our_rights(pid_t pid)
{
    uint64_t ours = 0;
    uint64_t theirs = 0;
    struct stat facts;
    SC_AUTO_FREE char *folder = sc_format("/proc/%d", (int)pid);
    (void)sc_status_mask(getpid(), getpid(), "\nCapPrm:", &ours);
    (void)sc_status_mask(pid, pid, "\nCapEff:", &theirs);
    return (theirs >> CAP_SYS_PTRACE & 1U) != 0 ||
           ((ours & ~theirs) == 0 && stat(folder, &facts) == 0 && facts.st_gid == getegid() &&
            prctl(PR_GET_DUMPABLE) == 1);
}

/* Why the process can neither open our files nor connect to us; NULL when it can. */
static const char *obstacle_of(pid_t pid)
{
    if (sc_process_is_other_users(pid))
        return "only its own user can have it load the agent";
    if (!is_in_our_namespace(pid, "mnt") || !is_in_our_namespace(pid, "pid") ||
        !is_in_our_namespace(pid, "net") || !is_in_our_namespace(pid, "user"))
        return "it is in another container";
    if (!has_our_root(pid))
        return "it has another root directory";
    return has_our_rights(pid) ? NULL
                               : "it has fewer rights than scalene attach, or another group, so "
                                 "it may not open the script";
}

static bool follow_from_outside(struct sc_observation *observation, struct candidate *candidate,
                                struct sc_err *err)
{
    const struct sc_target target = {.read = sc_remote_read, .context = &candidate->remote};
    pid_t pid = candidate->remote.pid;
    struct sc_pid_numbers numbers;
    struct sc_segment_facts facts;
    struct sc_reader reader;
    sc_remote_forget(&candidate->remote);
    sc_without_agent_facts(&candidate->facts, &target, &facts);
    pid_t own_pid =
        sc_pid_numbers_read(pid, pid, &numbers) == SC_PROC_READ ? sc_pid_own(&numbers) : pid;
    if (!sc_reader_make_segment(&reader, (uint32_t)own_pid, &facts,
                                (uint64_t)(observation->interval_s * 1e9), sc_now_ns(), err))
        return false;
    return sc_following_begin(observation, pid, "", &reader, true) ||
           sc_fail(err, SC_ERR_FAILED, "%s", observation->failure.text);
}

/* What the process and its threads have used so far is none of the profile's. */
static void forget_cpu_time(const struct sc_observation *observation, pid_t pid)
{
    uint64_t cpu_ns = 0;
    SC_EACH_PROCESS(process, observation) {
        if (process->pid != pid || process->ending.is_over || !sc_process_cpu(pid, &cpu_ns))
            continue;
        process->program.inherited_cpu_ns = cpu_ns;
        sc_process_skip(process, sc_now_ns());
    }
}

/* Has those that can do that load the agent. */
static void load_agents(struct sc_observation *observation, struct candidate *candidates,
                        size_t count)
{
    SC_AUTO_FREE SC_VEC(struct sc_loading) list = {0};
    const char *why_not = NULL;
    for (size_t i = 0; i < count; i++) {
        struct candidate *one = &candidates[i];
        const char *obstacle = obstacle_of(one->remote.pid);
        if (!one->is_found || one->facts.version < SC_SCRIPT_FIRST_VERSION)
            continue;
        why_not = why_not != NULL ? why_not : obstacle;
        if (obstacle == NULL)
            sc_vec_push(&list, (struct sc_loading){.remote = &one->remote,
                                                   .facts = &one->facts,
                                                   .layout = &one->layout});
    }
    sc_loader_load(&observation->loader, list.items, list.count, observation);
    if (why_not != NULL && observation->not_loaded == NULL)
        observation->not_loaded = sc_strdup(why_not);
    for (size_t i = 0; i < list.count; i++) {
        if (observation->not_loaded == NULL)
            observation->not_loaded = list.items[i].why_not;
        else
            free(list.items[i].why_not);
    }
}

static bool is_there(pid_t pid, struct sc_err *err)
{
    if (!sc_running_python_exists(pid, err))
        return false;
    return !sc_process_is_over(pid) || sc_fail(err, SC_ERR_FAILED, "it has ended");
}

static bool runs_program(struct candidate *candidate)
{
    const struct sc_target target = {.read = sc_remote_read, .context = &candidate->remote};
    struct sc_task_layout at;
    struct sc_python python;
    return sc_python_init(&python, &at, &candidate->layout, &target, candidate->facts.runtime) &&
           sc_runs_program(&python, candidate->facts.runtime);
}

/* Finds the Python of a process. One that is just executing its program, or has not begun with it,
 * is looked at again, up to so many times. */
static bool find(struct sc_observation *observation, struct candidate *one, unsigned looks,
                 struct sc_err *err)
{
    const struct timespec pause = {.tv_nsec = FIND_PAUSE_NS};
    struct sc_err cause;
    for (unsigned i = 0;; i++) {
        cause = (struct sc_err){0};
        one->is_found = is_there(one->remote.pid, &cause) &&
                        sc_running_python_find(&one->remote, observation->helper, &one->facts,
                                               &one->layout, &cause);
        bool is_over = !one->is_found && sc_process_is_over(one->remote.pid);
        if ((one->is_found && runs_program(one)) || is_over || i == looks)
            break;
        (void)nanosleep(&pause, NULL);
        one->remote.forbidden = false;
        sc_remote_forget(&one->remote);
    }
    return one->is_found || sc_fail(err, cause.kind, "%s", cause.text);
}

/* Follows processes, each by an agent where it loads one. False with err set where the first of
 * them cannot be followed. */
static bool follow(struct sc_observation *observation, const pid_t *pids, size_t count,
                   struct sc_err *err)
{
    SC_AUTO_FREE struct candidate *candidates = sc_alloc(count + 1, sizeof(*candidates));
    for (size_t i = 0; i < count; i++) {
        struct candidate *one = &candidates[i];
        struct sc_err ignored = {0}; /* of others: one is no Python, or has ended */
        struct sc_err *why = i == 0 ? err : &ignored;
        one->remote.pid = pids[i];
        bool is_asked_for = i == 0 && observation->processes.count == 0;
        (void)find(observation, one, is_asked_for ? FINDS_MAX : 0, why);
        one->is_found = one->is_found && (is_asked_for || runs_program(one)); /* or the next time */
    }
    /* where there is nothing to attach to, no child gets an agent */
    bool is_refused = observation->processes.count == 0 && !candidates[0].is_found;
    observation->loading_ns = sc_now_ns();
    if (observation->loader.agent_path != NULL && !is_refused)
        load_agents(observation, candidates, count);
    for (size_t i = 0; i < count; i++) {
        struct sc_err ignored = {0};
        struct sc_err *why = i == 0 ? err : &ignored;
        if (candidates[i].is_found && !is_refused &&
            sc_following_find(observation, pids[i]) == NULL && is_there(pids[i], why))
            (void)follow_from_outside(observation, &candidates[i], why);
        forget_cpu_time(observation, pids[i]);
        sc_remote_done(&candidates[i].remote);
    }
    observation->loading_ns = 0;
    return sc_following_find(observation, pids[0]) != NULL;
}

struct pair {
    pid_t pid;
    pid_t parent;
};

static bool is_among(const pid_t *pids, size_t count, pid_t pid)
{
    for (size_t i = 0; i < count; i++) {
        if (pids[i] == pid)
            return true;
    }
    return false;
}

/* Adds the processes below the count first of pids, up to capacity, a parent before its children;
 * returns how many there are then. One that has lost its parent is found by its own number only. */
static size_t add_descendants(pid_t *pids, size_t count, size_t capacity)
{
    SC_AUTO_FREE SC_VEC(struct pair) all = {0};
    DIR *directory = opendir("/proc");
    for (const struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        pid_t found = (pid_t)strtol(entry->d_name, NULL, 10);
        if (found > 0)
            sc_vec_push(&all, (struct pair){found, sc_process_parent(found)});
    }
    if (directory != NULL)
        (void)closedir(directory);
    /* a child may have a lower number than its parent, once the numbers have run through */
    for (size_t before = SIZE_MAX; before != count;) {
        before = count;
        for (size_t i = 0; i < all.count && count < capacity; i++) {
            if (is_among(pids, count, all.items[i].parent) &&
                !is_among(pids, count, all.items[i].pid))
                pids[count++] = all.items[i].pid;
        }
    }
    return count;
}

/* Puts the process, and those that are followed already, before those below them: the children of a
 * daemon are not below the process that it has split off from. */
static size_t list_processes(const struct sc_observation *observation,
                             pid_t pids[DESCENDANTS_MAX + 1])
{
    size_t count = 1;
    pids[0] = observation->pid;
    for (size_t i = 0; i < observation->processes.count && count < DESCENDANTS_MAX; i++) {
        const struct sc_process *process = observation->processes.items[i];
        if (!process->ending.is_over && process->pid != observation->pid)
            pids[count++] = process->pid;
    }
    return add_descendants(pids, count, DESCENDANTS_MAX);
}

/* Follows the process, and the Pythons below it where they are wanted, as far as that is not done
 * yet; parents before children. False with err set where nothing can be followed. */
static bool follow_new(struct sc_observation *observation, struct sc_err *err)
{
    SC_AUTO_FREE pid_t *pids = sc_alloc(DESCENDANTS_MAX + 1, sizeof(*pids));
    size_t count = 1;
    size_t kept = 0;
    pids[0] = observation->pid;
    if (observation->plan->with_children)
        count = list_processes(observation, pids);
    for (size_t i = 0; i < count; i++) {
        if (sc_following_find(observation, pids[i]) == NULL && pids[i] != getpid())
            pids[kept++] = pids[i];
    }
    return kept == 0 || follow(observation, pids, kept, err);
}

bool sc_attach_begin(struct sc_observation *observation, const char *rendezvous,
                     bool (*attend)(struct sc_observation *), struct sc_err *err)
{
    observation->loader = (struct sc_loader){.agent_path = observation->plan->agent_path,
                                             .rendezvous = sc_strdup(rendezvous),
                                             .attend = attend};
    bool is_good = follow_new(observation, err);
    for (size_t i = 0; observation->plan->start_off && i < observation->processes.count; i++) {
        if (is_good && observation->processes.items[i]->has_no_agent)
            is_good = sc_fail(err, SC_ERR_USAGE,
                              "it is read from outside, where `scalene profile` cannot switch, so "
                              "--off would stay for ever");
    }
    if (!is_good) /* perhaps its children have an agent by now */
        sc_attach_leave(observation);
    return is_good;
}

void sc_attach_poll(struct sc_observation *observation, uint64_t now_ns)
{
    struct sc_err ignored = {0};        /* it is a Python no longer, or is about to end */
    uint64_t used_ns = sc_own_cpu_ns(); /* not that of waiting until an agent is loaded */
    if (!observation->plan->attaches || now_ns < observation->next_children_look_ns)
        return;
    (void)follow_new(observation, &ignored);
    used_ns = sc_own_cpu_ns() - used_ns;
    uint64_t pause_ns = used_ns * LOOK_SHARE;
    observation->next_children_look_ns =
        sc_now_ns() + (pause_ns > LOOK_INTERVAL_NS ? pause_ns : LOOK_INTERVAL_NS);
}

void sc_attach_leave(struct sc_observation *observation)
{
    SC_AUTO_FREE SC_VEC(struct sc_loading) list = {0};
    SC_EACH_PROCESS(process, observation) {
        bool has_agent = !process->ending.is_over && !process->has_no_agent;
        if (has_agent && obstacle_of(process->pid) == NULL) /* it may have given up rights */
            sc_vec_push(&list, (struct sc_loading){.remote = &process->stacks.remote,
                                                   .facts = &process->facts,
                                                   .layout = &process->layout});
    }
    sc_loader_unload(&observation->loader, list.items, list.count);
    for (size_t i = 0; i < list.count; i++)
        free(list.items[i].why_not);
}

void sc_attach_take_alarm(struct sc_observation *observation, int fd)
{
    SC_EACH_PROCESS(process, observation) {
        for (size_t k = 0; process->has_no_agent && k < process->threads.count; k++) {
            if (process->threads.items[k].alarm.fd == fd && fd >= 0)
                sc_watch_alarm(process, &process->threads.items[k], sc_now_ns());
        }
    }
}
