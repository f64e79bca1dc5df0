/*
 * observer/attach/attach.c - begins to observe a process that runs already.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/attach/attach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/io.h"
#include "observer/attach/loader.h"
#include "observer/lifecycle/following.h"
#include "observer/process/running_python.h"
#include "observer/process/without_agent.h"
#include "observer/system/descendants.h"

#define DESCENDANTS_MAX  4096U
#define LOOK_INTERVAL_NS 250000000U
#define LOOK_SHARE       50U /* a look may take this part of the time between two */

/* A process that is to be followed. */
struct candidate {
    struct sc_remote remote;
    struct sc_interpreter_facts facts;
    struct sc_layout layout;
};

static bool is_followed(const struct sc_observation *observation, pid_t pid)
{
    for (size_t i = 0; i < observation->processes.count; i++) {
        const struct sc_process *process = observation->processes.items[i];
        if (process->pid == pid && !process->ended)
            return true;
    }
    return false;
}

static bool is_in_our_namespace(pid_t pid, const char *name)
{
    struct stat own;
    struct stat other;
    SC_AUTO_FREE char *own_path = sc_format("/proc/self/ns/%s", name);
    SC_AUTO_FREE char *path = sc_format("/proc/%d/ns/%s", (int)pid, name);
    return stat(own_path, &own) == 0 && stat(path, &other) == 0 && own.st_ino == other.st_ino;
}

/* Why the process can neither open our files nor connect to us; NULL when it can. */
static const char *obstacle_of(pid_t pid)
{
    if (sc_process_is_other_users(pid))
        return "only its own user can have it load the agent";
    if (!is_in_our_namespace(pid, "mnt") || !is_in_our_namespace(pid, "pid") ||
        !is_in_our_namespace(pid, "net"))
        return "it is in another container";
    return NULL;
}

/* True when the process has loaded an agent, and is followed by it. */
static bool follow_by_agent(struct sc_observation *observation, struct candidate *candidate)
{
    const struct sc_loading loading = {&candidate->remote, &candidate->facts, &candidate->layout};
    const char *why_not = obstacle_of(candidate->remote.pid);
    if (observation->loader == NULL || candidate->facts.version < SC_SCRIPT_FIRST_VERSION)
        return false;
    if (why_not == NULL && sc_loader_load(observation->loader, &loading, observation))
        return true;
    if (observation->not_loaded == NULL)
        observation->not_loaded =
            sc_strdup(why_not != NULL ? why_not : sc_loader_why_not(observation->loader));
    return false;
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
    if (!sc_reader_make(&reader, (uint32_t)own_pid, &facts,
                        (uint64_t)(observation->interval_s * 1e9), sc_now_ns(), err))
        return false;
    sc_following_begin_without_agent(observation, pid, &reader);
    return is_followed(observation, pid) ||
           sc_fail(err, SC_ERR_FAILED, "%s", observation->failure.text);
}

/* Follows one process, by an agent where it loads one. */
static bool follow(struct sc_observation *observation, pid_t pid, struct sc_err *err)
{
    struct candidate candidate = {.remote = {.pid = pid}};
    bool is_found = sc_running_python_can_look(pid, err) &&
                    sc_running_python_find(&candidate.remote, observation->helper, &candidate.facts,
                                           &candidate.layout, err);
    bool is_begun = is_found && follow_by_agent(observation, &candidate);
    if (is_found && !is_begun)
        is_begun = follow_from_outside(observation, &candidate, err);
    sc_remote_done(&candidate.remote);
    return is_begun;
}

/* Follows the Pythons below the process that are not followed yet, parents before children. */
static void follow_below(struct sc_observation *observation)
{
    pid_t *pids = sc_alloc(DESCENDANTS_MAX, sizeof(*pids));
    size_t count = sc_descendants_list(observation->pid, pids, DESCENDANTS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct sc_err ignored = {0}; /* it is no Python, or has ended */
        if (!is_followed(observation, pids[i]) && pids[i] != getpid())
            (void)follow(observation, pids[i], &ignored);
    }
    free(pids);
}

bool sc_attach_begin(struct sc_observation *observation, const char *rendezvous,
                     void (*take_hello)(struct sc_observation *), struct sc_err *err)
{
    const struct sc_run_plan *plan = observation->plan;
    if (plan->agent_path != NULL)
        observation->loader = sc_loader_new(plan->agent_path, rendezvous, take_hello);
    if (!follow(observation, observation->pid, err))
        return false;
    if (plan->with_children)
        follow_below(observation);
    return true;
}

void sc_attach_look(struct sc_observation *observation, uint64_t now_ns)
{
    if (!observation->plan->with_children || now_ns < observation->children_look_ns)
        return;
    follow_below(observation);
    uint64_t took_ns = sc_now_ns() - now_ns;
    uint64_t pause_ns = took_ns * LOOK_SHARE;
    observation->children_look_ns =
        now_ns + (pause_ns > LOOK_INTERVAL_NS ? pause_ns : LOOK_INTERVAL_NS);
}

void sc_attach_leave(struct sc_observation *observation)
{
    for (size_t i = 0; i < observation->processes.count; i++) {
        struct sc_process *process = observation->processes.items[i];
        const struct sc_loading loading = {&process->remote, &process->facts, &process->layout};
        if (!process->ended && !process->has_no_agent && observation->loader != NULL)
            sc_loader_unload(observation->loader, &loading);
    }
    sc_loader_free(observation->loader);
    observation->loader = NULL;
}
