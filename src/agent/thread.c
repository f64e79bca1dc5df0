/*
 * agent/thread.c - follows the start and the end of threads.
 *
 * pthread_create is replaced so that every thread, Python's or not, arms its own timer before its
 * code runs. What is passed to the new thread is in a small static pool, so nothing is allocated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/home.h"
#include "agent/hook_mask.h"
#include "agent/own_stack.h"
#include "agent/python.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/scratch.h"
#include "agent/state.h"
#include "agent/timer.h"
#include "agent/timers.h"
#include "channel/writer.h"

#define STARTS 256U

static bool begins_with_python; /* the process, in its first thread; its fork children too */
static pthread_key_t end_key;
static _Atomic uint32_t pythons; /* threads that it has started */

/* Passed from pthread_create to the new thread. */
struct start {
    _Atomic uint32_t taken;
    void *(*routine)(void *);
    void *argument;
    size_t stack_bytes;
    pid_t creator;
    char name[64];
};

static struct start starts[STARTS];

static void copy_name(char to[64], const char *from)
{
    size_t i = 0;
    for (; i < 63 && from[i] != '\0'; i++)
        to[i] = from[i];
    to[i] = '\0';
}

static void end_thread(void *unused)
{
    (void)unused;
    struct sc_agent_thread *thread = &sc_agent_thread;
    if (!thread->registered || !sc_home_is_this_process())
        return;
    int saved_errno = errno;
    thread->registered = false;
    if (thread->begins_in_python && thread->tid != sc_agent.pid)
        atomic_fetch_sub_explicit(&pythons, 1, memory_order_relaxed);
    sc_agent_enter();
    sc_timer_stop(thread);
    sc_scratch_reclaim((uint64_t)(uintptr_t)__builtin_frame_address(0));
    if (sc_agent_is_active()) {
        struct sc_record_thread_end *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
        if (record != NULL) {
            record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
            record->cpu_ns = sc_clock_ns(CLOCK_THREAD_CPUTIME_ID);
            record->tid = (uint32_t)thread->tid;
            sc_ring_commit(record, SC_RECORD_THREAD_END, sizeof(*record));
        } else {
            sc_agent_lose(SC_AGENT_LOSS_RING_FULL);
        }
    }
    sc_agent_leave();
    errno = saved_errno;
}

/* Whether the executable is python itself, by its file name, and not a program that embeds Python.
 */
static bool is_pythons_program(void)
{
    static const char wanted[] = "python";
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
    ssize_t name = length;
    while (name > 0 && path[name - 1] != '/')
        name--;
    return length - name >= (ssize_t)sizeof(wanted) - 1 &&
           memcmp(path + name, wanted, sizeof(wanted) - 1) == 0;
}

bool sc_thread_init(void)
{
    begins_with_python = is_pythons_program();
    return pthread_key_create(&end_key, end_thread) == 0;
}

static void send_start(pid_t tid, uint64_t ident, const char *name, bool is_main, bool is_pythons,
                       pid_t creator)
{
    struct sc_record_thread_start *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_RING_FULL);
        return;
    }
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->pthread_self = ident;
    record->tid = (uint32_t)tid;
    record->is_main = is_main;
    record->is_pythons = is_pythons;
    record->creator_tid = (uint32_t)creator;
    record->unused = 0;
    copy_name(record->name, name);
    sc_ring_commit(record, SC_RECORD_THREAD_START, sizeof(*record));
}

void sc_thread_report(pid_t tid, uint64_t ident, const char *name)
{
    send_start(tid, ident, name, tid == sc_agent.pid, false, 0);
}

SC_SIGNAL_SAFE static void identify(struct sc_agent_thread *thread)
{
    thread->tid = (pid_t)syscall(SYS_gettid);
    thread->label_ns = 0; /* a forked child has another CPU clock */
    thread->random = ((uint64_t)thread->tid << 32 | 1U) ^ sc_clock_ns(CLOCK_MONOTONIC);
}

SC_SIGNAL_SAFE void sc_thread_adopt(int timer_id)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    identify(thread);
    thread->timer_id = timer_id;
    thread->has_timer = true;
    thread->registered = true;
}

uint32_t sc_thread_pythons_count(void)
{
    return atomic_load_explicit(&pythons, memory_order_relaxed);
}

void sc_thread_begin(const char *name, bool is_main, pid_t creator)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    identify(thread);
    bool is_pythons = !is_main && thread->begins_in_python;
    if (is_pythons)
        atomic_fetch_add_explicit(&pythons, 1, memory_order_relaxed);
    send_start(thread->tid, (uint64_t)pthread_self(), name, is_main, is_pythons, creator);
    if (is_main) {
        thread->begins_in_python = begins_with_python;
        sc_own_stack_begin_main();
    }
    thread->registered = true;
    (void)pthread_setspecific(end_key, thread);
    thread->tick_held = sc_mask_is_blocked(); /* the mask is inherited from its creator */
    if (!thread->tick_held && !sc_timer_start(thread))
        sc_agent_lose(SC_AGENT_LOSS_NO_TIMER);
}

void sc_thread_after_fork(void)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    atomic_store_explicit(&pythons, 0, memory_order_relaxed);
    thread->registered = false;
    thread->has_timer = false;
    sc_timers_after_fork();
    thread->uses_perf = false;
    thread->in_handler = false;
    thread->due_cpu_ns = 0;
    thread->ticks = 0;
    thread->waits = 0; /* the kernel counts anew, too */
    thread->kernel_ticks = 0;
}

static void *run_thread(void *argument)
{
    struct start *start = argument;
    void *(*routine)(void *) = start->routine;
    void *routine_argument = start->argument;
    uint64_t address = (uint64_t)(uintptr_t)routine;
    sc_agent_thread.begins_in_python =
        address >= sc_agent.python_start && address < sc_agent.python_end;
    sc_own_stack_begin(start->stack_bytes);
    sc_agent_enter();
    if (sc_agent_is_active() && sc_home_is_this_process())
        sc_thread_begin(start->name, false, start->creator);
    sc_agent_leave();
    atomic_store_explicit(&start->taken, 0, memory_order_release);
    return routine(routine_argument);
}

static struct start *take_start(void)
{
    for (unsigned i = 0; i < STARTS; i++) {
        uint32_t free = 0;
        if (atomic_compare_exchange_strong_explicit(&starts[i].taken, &free, 1,
                                                    memory_order_acquire, memory_order_relaxed))
            return &starts[i];
    }
    return NULL;
}

static size_t stack_bytes(const pthread_attr_t *attributes)
{
    pthread_attr_t usual;
    size_t bytes = 0;
    if (attributes == NULL && pthread_attr_init(&usual) != 0)
        return 0;
    (void)pthread_attr_getstacksize(attributes != NULL ? attributes : &usual, &bytes);
    if (attributes == NULL)
        (void)pthread_attr_destroy(&usual);
    return bytes;
}

SC_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                             void *(*routine)(void *), void *argument)
{
    struct start *start = sc_agent_is_active() ? take_start() : NULL;
    if (start == NULL) {
        if (sc_agent_is_active())
            sc_agent_lose(SC_AGENT_LOSS_NO_SLOT);
        return sc_real()->pthread_create(thread, attributes, routine, argument);
    }
    start->routine = routine;
    start->argument = argument;
    start->stack_bytes = stack_bytes(attributes);
    start->creator = sc_agent_thread.registered ? sc_agent_thread.tid : 0;
    start->name[0] = '\0';
    sc_python_starting_thread_name(start->name);
    int code = sc_real()->pthread_create(thread, attributes, run_thread, start);
    if (code != 0)
        atomic_store_explicit(&start->taken, 0, memory_order_release);
    return code;
}
