/*
 * agent/lifecycle.c - starts, stops and forks the agent in a process.
 *
 * The constructor does nothing unless an observer has left its address in the environment. It
 * removes the two variables that loaded the agent, so that no program sees them; hook_exec.c adds
 * them again for the programs that this one starts. It does more only in a CPython.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/lifecycle.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/cuda/cuda.h"
#include "agent/home.h"
#include "agent/hook_exec.h"
#include "agent/hook_signal.h"
#include "agent/kept.h"
#include "agent/meet.h"
#include "agent/memory/start.h"
#include "agent/own_stack.h"
#include "agent/python.h"
#include "agent/real.h"
#include "agent/rendezvous.h"
#include "agent/rules.h"
#include "agent/scratch.h"
#include "agent/state.h"
#include "agent/switches.h"
#include "agent/thread.h"
#include "agent/wrapper.h"
#include "channel/writer.h"
#include "unwind/unwind.h"

#define CUDA_END_WAIT_NS 300000000U

/* Kept for fork children, which connect to the observer again. */
static struct sc_rendezvous rendezvous;

/* Removes a text from the memory that /proc/PID/environ shows. Readers of that end at an empty
 * entry, so it must be behind all others, as launch.c puts it. */
static void wipe(char *text, size_t length)
{
    for (char **entry = environ; *entry != NULL; entry++)
        if (*entry > text)
            return;
    memset(text, 0, length);
}

/* Not by unsetenv: bash has one of its own, which does nothing before bash has begun. */
static void remove_variable(const char *name)
{
    char *value = getenv(name);
    if (value == NULL)
        return;
    char *text = value - strlen(name) - 1;
    char **entry = environ;
    while (*entry != NULL && *entry != text)
        entry++;
    for (; *entry != NULL; entry++)
        entry[0] = entry[1];
    wipe(text, strlen(text));
}

/* Removes our own path from LD_PRELOAD, and the whole variable when nothing else is in it. */
static void clean_environment(const char *self)
{
    remove_variable(SC_RENDEZVOUS_VARIABLE);
    char *preload = getenv("LD_PRELOAD");
    char *ours = preload != NULL ? strstr(preload, self) : NULL;
    size_t length = strlen(self);
    if (ours == NULL || (ours[length] != '\0' && ours[length] != ':' && ours[length] != ' '))
        return;
    char *rest = ours + length;
    size_t rest_length = strlen(rest);
    if (*rest != '\0') { /* "ours:others" */
        memmove(ours, rest + 1, rest_length);
        wipe(ours + rest_length, length);
    } else if (ours > preload) { /* "others:ours" */
        ours[-1] = '\0';
        wipe(ours, length);
    } else {
        remove_variable("LD_PRELOAD");
    }
}

/* In a fork child: the ring and the thread records are the parent's; the child gets its own. Other
 * threads do not exist after fork, but they may have held our locks, so locks are reset. */
static void follow_child(void)
{
    struct sc_segment *parents = sc_agent.segment;
    if (!sc_agent_is_active())
        return;
    int saved_errno = errno;
    int cancel_state;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state); /* fork ends no thread */
    struct sc_segment_facts facts = parents->facts;
    bool begun = atomic_load(&parents->program_started_ns) != 0;
    atomic_store(&sc_agent.active, false);
    (void)munmap(parents, sizeof(*parents));
    sc_agent.segment = NULL;
    sc_agent.pid = getpid();
    sc_thread_after_fork();
    atomic_store(&sc_agent.busy, 0); /* it counted threads of the parent */
    sc_scratch_after_fork();
    sc_ring_after_fork();
    sc_kept_after_fork();
    sc_unwind_modules_after_fork();
    bool followed = sc_rendezvous_meet(&rendezvous, &facts, true);
    sc_memory_after_fork(followed);
    if (followed) {
        sc_home_begin();
        atomic_store(&sc_agent.active, true);
        sc_thread_begin("MainThread", true, 0);
        if (begun) {
            struct sc_segment *segment = sc_agent.segment;
            atomic_store(&segment->program_started_cpu_ns, sc_clock_ns(CLOCK_THREAD_CPUTIME_ID));
            atomic_store(&segment->program_started_ns, sc_clock_ns(CLOCK_MONOTONIC));
        }
    }
    (void)pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
}

/* The kernel's peak when the agent came: of what was here before exec, or of a parent by vfork. */
static long rss_before_kb;

/* The peak of memory in it is the process's. No CPU clock is read, as RUSAGE_SELF would. */
static struct rusage usage_without_clock(void)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_THREAD, &usage);
    return usage;
}

/* The peak of resident memory since the last exec; 0 when it is not known. */
static uint64_t peak_rss_kb(long peak_kb)
{
    static const char label[] = "\nVmHWM:";
    char text[1024];
    if (peak_kb > rss_before_kb)
        return (uint64_t)peak_kb;
    int cancel_state; /* _exit ends no thread alone */
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0)
        (void)close(fd);
    (void)pthread_setcancelstate(cancel_state, NULL);
    text[got > 0 ? got : 0] = '\0';
    const char *found = strstr(text, label);
    return found != NULL ? strtoul(found + sizeof(label) - 1, NULL, 10) : 0;
}

/* Whether the process's CPU clock may not be asked. When the kernel reads it, it may see that the
 * thread's turn is used up, and give its CPU to another one. A daemon thread that runs after
 * Python's finalization may find the interpreter's memory freed, and crash (CPython 3.10): without
 * us, the process is nearly always over before. */
static bool has_no_clock(bool is_by_exit)
{
    return is_by_exit && sc_thread_pythons_count() > 0;
}

static uint64_t cpu_ns_of(const struct rusage *usage)
{
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000U +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000U;
}

/* Sends the last record of a process. A process that is killed sends none. by_exit: NULL where the
 * functions of atexit are not called. */
static void send_end(int status, void *by_exit)
{
    if (!sc_agent_is_active() || getpid() != sc_agent.pid) /* a vfork child: its parent goes on */
        return;
    const struct rusage usage = usage_without_clock();
    uint64_t max_rss_kb = peak_rss_kb(usage.ru_maxrss);
    bool is_least = has_no_clock(by_exit != NULL);
    struct sc_record_process_end *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL)
        return;
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->cpu_ns = is_least ? cpu_ns_of(&usage) : sc_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    record->max_rss_kb = max_rss_kb;
    record->status = status;
    record->is_least = is_least;
    sc_ring_commit(record, SC_RECORD_PROCESS_END, sizeof(*record));
    sc_memory_end();
}

/* musl has no on_exit, so there the status is left to the parent and the kernel. */
#if SC_HAS_ON_EXIT
static bool follow_exit(void)
{
    return on_exit(send_end, &sc_agent) == 0;
}
#else
static void send_end_only(void)
{
    send_end(SC_STATUS_UNKNOWN, &sc_agent);
}

static bool follow_exit(void)
{
    return atexit(send_end_only) == 0;
}
#endif

/* Installs what stays installed when a profile ends. */
static bool install(void)
{
    static bool is_installed;
    if (!is_installed)
        is_installed = sc_thread_init() && sc_hook_signal_init() &&
                       pthread_atfork(NULL, NULL, follow_child) == 0 && follow_exit();
    return is_installed;
}

static bool attach(void)
{
    struct timespec jiffy = {0};
    sc_clock_init();
    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &jiffy);
    sc_ring_is_abandoned = sc_own_stack_is_abandoned;
    rss_before_kb = usage_without_clock().ru_maxrss;
    sc_agent.pid = getpid();
    sc_agent.pace = rendezvous.pace;
    sc_agent.memory_window_bytes = rendezvous.memory_window_bytes;
    sc_agent.with_stacks = (rendezvous.flags & SC_RENDEZVOUS_NO_STACKS) == 0;
    sc_agent.traces_gpu = (rendezvous.flags & SC_RENDEZVOUS_GPU_TRACE) != 0;
    sc_agent.jiffy_ns = (uint64_t)jiffy.tv_sec * 1000000000U + (uint64_t)jiffy.tv_nsec;
    struct sc_segment_facts facts = {0};
    enum sc_hello_status status =
        sc_python_find(&facts, (rendezvous.flags & SC_RENDEZVOUS_ALLOW_UNKNOWN) != 0);
    if (status != SC_HELLO_OK) {
        sc_rendezvous_decline(&rendezvous, status, facts.interpreter.version_hex);
        return false;
    }
    if (!install() || !sc_rendezvous_meet(&rendezvous, &facts, false))
        return false;
    sc_home_begin();
    atomic_store(&sc_agent.active, true);
    return true;
}

bool sc_agent_attach(const char *rendezvous_text)
{
    Dl_info self;
    if (!sc_rendezvous_read(rendezvous_text, &rendezvous) || dladdr(&sc_agent, &self) == 0 ||
        !attach())
        return false;
    sc_hook_exec_init(rendezvous_text, self.dli_fname);
    return true;
}

bool sc_agent_is_observed(void)
{
    pid_t observer = 0;
    int fd = sc_meet(&rendezvous.address, rendezvous.address_length, &observer);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

void sc_agent_detach(void)
{
    sc_cuda_stop(); /* what devices have done so far belongs to this profile */
    atomic_store(&sc_agent.active, false);
    sc_memory_stop();
    sc_rendezvous_leave();
}

__attribute__((constructor)) static void start(void)
{
    int saved_errno = errno;
    const char *text = getenv(SC_RENDEZVOUS_VARIABLE);
    Dl_info self;
    (void)sc_real(); /* a hook may be called first in a signal handler, where nothing may be looked
                      * up */
    if (text == NULL || !sc_rendezvous_read(text, &rendezvous) || dladdr(&sc_agent, &self) == 0)
        return;
    sc_hook_exec_init(text, self.dli_fname);
    clean_environment(self.dli_fname);
    if (sc_python_is_loaded() && attach()) {
        sc_thread_begin("MainThread", true, 0);
        if ((rendezvous.flags & SC_RENDEZVOUS_SWITCHES) != 0)
            sc_switches_init();
        sc_python_watch_start();
    } else {
        sc_wrapper_begin(&rendezvous.address, rendezvous.address_length);
    }
    errno = saved_errno;
}

/* For _exit and similar functions, by which Python ends many processes. A signal handler may call
 * them, too, wherever it interrupted the program. */
static void end_at_once(int status)
{
    sc_cuda_end(CUDA_END_WAIT_NS);
    send_end(status, NULL);
}

SC_EXPORT void _exit(int status)
{
    end_at_once(status);
    sc_real()->_exit(status);
    __builtin_unreachable();
}

SC_EXPORT void _Exit(int status)
{
    _exit(status);
}

SC_EXPORT void quick_exit(int status)
{
    end_at_once(status);
    sc_real()->quick_exit(status);
    __builtin_unreachable();
}
