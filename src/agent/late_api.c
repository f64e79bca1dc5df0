/*
 * agent/late_api.c - what Python calls in this library when it was loaded into a running program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cuda/cuda.h"
#include "agent/hook_exec.h"
#include "agent/hook_python_signal.h"
#include "agent/late.h"
#include "agent/lifecycle.h"
#include "agent/python.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "agent/thread.h"
#include "agent/timer.h"
#include "agent/timers.h"

#define FLUSH_WAIT_NS 500000000U

/* Whether the thread blocks the tick signal, so that a tick would stay pending. */
static bool is_blocked(const char *tid)
{
    static const char label[] = "\nSigBlk:";
    char path[64];
    char text[4096];
    (void)snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0)
        (void)close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *mask = strstr(text, label);
    return mask != NULL &&
           (strtoull(mask + strlen(label), NULL, 16) >> (SC_TICK_SIGNAL - 1) & 1U) != 0;
}

/* Starts timers for the threads that exist already, which our pthread_create has not seen. */
static void start_timers(void)
{
    pid_t own = (pid_t)syscall(SYS_gettid);
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0 && tid != own && !is_blocked(entry->d_name) && !sc_timer_start_for(tid))
            sc_agent_lose(SC_AGENT_LOSS_NO_TIMER);
    }
    (void)closedir(tasks);
}

/* Whether this library, or the one with other hooks, was preloaded: then other modules are already
 * bound to its functions. */
static bool is_preloaded(void)
{
    Dl_info first;
    Dl_info own;
    void *found = dlsym(RTLD_DEFAULT, "pthread_create");
    void *agent = dlsym(RTLD_DEFAULT, "scalene_agent_begin"); /* our own, if no other comes first */
    return found == NULL || dladdr(found, &first) == 0 || dladdr(&sc_agent, &own) == 0 ||
           first.dli_fbase == own.dli_fbase ||
           (agent != NULL && dladdr(agent, &first) != 0 && first.dli_fbase != own.dli_fbase);
}

/* Begins a profile of this process; rendezvous is what SC_RENDEZVOUS_VARIABLE would contain. What
 * an observer has left that is gone is ended before. Returns 0, or the reason why not: 1 a profile
 * is under way, 2 this library was preloaded, 3 this CPython is not supported or the observer
 * cannot be reached (the observer knows more), 4 the program has restricted its system calls. */
SC_EXPORT int scalene_agent_begin(const char *rendezvous);
SC_EXPORT void scalene_agent_end(void);
SC_EXPORT int scalene_agent_begin(const char *rendezvous)
{
    int saved_errno = errno;
    if (sc_agent_is_active() && sc_late_is() && !sc_agent_is_observed())
        scalene_agent_end();
    if (sc_agent_is_active())
        return 1;
    if (sc_agent.is_sealed)
        return 4;
    if (!sc_late_is()) {
        if (is_preloaded())
            return 2;
        sc_late_become();
    }
    if (!sc_agent_attach(rendezvous))
        return 3;
    sc_late_redirect_imports();
    sc_python_begin_now(true);
    sc_python_signal_begin_late();
    sc_cuda_begin_late();
    sc_timer_stop(&sc_agent_thread); /* of an earlier profile that another thread has ended */
    sc_thread_begin("", (pid_t)syscall(SYS_gettid) == sc_agent.pid, 0);
    start_timers();
    errno = saved_errno;
    return 0;
}

/* Records what Python knows of a thread: its kernel tid, threading's ident (which is pthread_self),
 * and its name. */
SC_EXPORT void scalene_agent_name_thread(int tid, unsigned long long ident, const char *name);
SC_EXPORT void scalene_agent_name_thread(int tid, unsigned long long ident, const char *name)
{
    if (sc_agent_is_active())
        sc_thread_report((pid_t)tid, ident, name);
}

/* Sends the finished work of devices, before the observer is asked for the profile. */
SC_EXPORT void scalene_agent_flush(void);
SC_EXPORT void scalene_agent_flush(void)
{
    sc_cuda_flush(FLUSH_WAIT_NS);
}

/* Ends the profile: ticks stop, and the hooks pass through. Threads that wait would keep their
 * timers, which count against a limit that all of the user's programs share. */
SC_EXPORT void scalene_agent_end(void)
{
    int saved_errno = errno;
    if (sc_late_is() && sc_agent_is_active()) {
        sc_hook_exec_stop();
        sc_agent_detach();
        sc_timers_delete_all();
    }
    errno = saved_errno;
}
