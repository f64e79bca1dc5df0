/*
 * observer/snapshot/judge.c - who waits for whom: locks, joins, the interpreter lock, event loops.
 *
 * Which lock of the platform a thread waits for is known from the address that it is in the kernel
 * with. Threads that wait for a mutex of the interpreter's are in the kernel with another one;
 * there it is a lock at hand in the innermost frame on which some thread is parked, if there is
 * just one that the thread does not hold. Who holds it: an RLock knows; of others the thread that
 * is in a `with` block of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "observer/charge/wait.h"
#include "observer/snapshot/taking.h"
#include "observer/snapshot/wait_words.h"
#include "observer/waiting/waits.h"

/* A thread that uses so much CPU time at one instruction is in native code. On a busy machine it
 * may take a while to get that. */
#define RUNS_LONG_NS 20000000U
#define PAUSE_NS     5000000
#define LOOKS_MAX    100U

char *sc_snapshot_thread_words(const struct sc_snapshot_thread *thread)
{
    return thread->name[0] != '\0' ? sc_format("thread %d (%s)", (int)thread->tid, thread->name)
                                   : sc_format("thread %d", (int)thread->tid);
}

static void say(struct sc_snapshot_thread *thread, char *words)
{
    free(thread->doing);
    thread->doing = words;
}

static bool holds(const struct sc_taken_thread *thread, uint64_t lock)
{
    for (size_t i = 0; i < thread->held_count; i++) {
        if (thread->held[i].object == lock)
            return true;
    }
    return false;
}

static const struct sc_lock *lock_waited_for(const struct sc_taken_thread *thread)
{
    const struct sc_lock *found = NULL;
    const struct sc_lock *own = NULL; /* that the thread holds, too */
    for (size_t i = 0; i < thread->seen_count; i++) {
        const struct sc_lock *lock = &thread->seen[i];
        /* a semaphore's word may be a few bytes inside it (glibc's struct new_sem) */
        if (lock->word != 0 && thread->blocked.arguments[0] - lock->word < 8)
            return lock;
        if (lock->word != 0 || !lock->is_waited_for)
            continue;
        if (holds(thread, lock->object)) {
            own = lock;
            continue;
        }
        if (found != NULL)
            return NULL;
        found = lock;
    }
    return found != NULL ? found : own;
}

static size_t thread_of_ident(const struct sc_taking *taking, uint64_t ident)
{
    for (size_t i = 0; i < taking->threads.count; i++) {
        if (taking->threads.items[i].entry.ident == ident && ident != 0)
            return i;
    }
    return SC_SNAPSHOT_NOBODY;
}

static size_t holder_of(const struct sc_taking *taking, const struct sc_lock *lock)
{
    if (lock->is_recursive)
        return thread_of_ident(taking, lock->owner);
    for (size_t i = 0; i < taking->threads.count; i++) {
        if (holds(&taking->threads.items[i], lock->object))
            return i;
    }
    return SC_SNAPSHOT_NOBODY;
}

static void say_lock(struct sc_taking *taking, size_t index, const struct sc_lock *lock)
{
    struct sc_snapshot_thread *thread = &taking->snapshot->threads.items[index];
    const char *kind = lock->is_recursive ? "RLock" : "Lock";
    size_t holder = holder_of(taking, lock);
    thread->waits_for = holder;
    if (holder == SC_SNAPSHOT_NOBODY) {
        say(thread, sc_format("waits for the %s at 0x%" PRIx64, kind, lock->object));
    } else if (holder == index) {
        say(thread, sc_format("waits for the %s at 0x%" PRIx64 ", which it holds itself", kind,
                              lock->object));
    } else {
        SC_AUTO_FREE char *words =
            sc_snapshot_thread_words(&taking->snapshot->threads.items[holder]);
        say(thread, sc_format("waits for the %s at 0x%" PRIx64 ", which %s holds", kind,
                              lock->object, words));
    }
}

static void say_join(struct sc_taking *taking, size_t index, size_t other)
{
    struct sc_snapshot_thread *thread = &taking->snapshot->threads.items[index];
    SC_AUTO_FREE char *words = sc_snapshot_thread_words(&taking->snapshot->threads.items[other]);
    thread->waits_for = other;
    say(thread, sc_format("waits for %s to end", words));
}

static void judge_blocked(struct sc_taking *taking, size_t index)
{
    struct sc_taken_thread *taken = &taking->threads.items[index];
    struct sc_snapshot_thread *thread = &taking->snapshot->threads.items[index];
    const struct sc_interpreter_facts *facts = &taking->process.facts;
    enum sc_wait cause = sc_wait_cause(&taken->blocked, facts->runtime, facts->runtime_size);
    const char *library = sc_wait_of_library(&thread->frames);
    if (cause == SC_WAIT_GIL && thread->ident != 0 && !facts->free_threaded) {
        taken->waits_for_gil = true;
        say(thread, sc_strdup("waits for the GIL"));
        return;
    }
    size_t joined = thread_of_ident(taking, taken->joined);
    const struct sc_lock *lock = cause == SC_WAIT_LOCK ? lock_waited_for(taken) : NULL;
    if (joined != SC_SNAPSHOT_NOBODY)
        say_join(taking, index, joined);
    else if (library != NULL)
        say(thread, sc_strdup(library));
    else if (lock != NULL)
        say_lock(taking, index, lock);
    else if (cause == SC_WAIT_SLEEP)
        say(thread, sc_strdup("sleeps"));
    else
        say(thread, sc_wait_of_call(taking->process.pid, &taken->blocked));
}

/* Whether the thread has not run since its stack was read. */
static bool stands(const struct sc_taking *taking, size_t index)
{
    struct sc_schedstat now;
    return sc_schedstat_read(taking->process.pid, taking->snapshot->threads.items[index].tid, -1,
                             &now) == SC_PROC_READ &&
           !sc_wait_has_run(&taking->threads.items[index].stat, &now);
}

/* Follows the threads that wait for each other from one of them on; true when that leads back to
 * it, and it is the first of them, so that a circle is found once. */
static bool is_circle(const struct sc_taking *taking, size_t first)
{
    size_t at = first;
    for (size_t steps = 0; steps <= taking->threads.count; steps++) {
        if (!stands(taking, at))
            return false;
        at = taking->snapshot->threads.items[at].waits_for;
        if (at == SC_SNAPSHOT_NOBODY || at < first)
            return false;
        if (at == first)
            return true;
    }
    return false;
}

static void find_deadlocks(struct sc_taking *taking)
{
    struct sc_snapshot *snapshot = taking->snapshot;
    for (size_t first = 0; first < snapshot->threads.count; first++) {
        struct sc_str text = {0};
        if (snapshot->threads.items[first].waits_for == SC_SNAPSHOT_NOBODY ||
            !is_circle(taking, first))
            continue;
        sc_str_add(&text, "deadlock: ");
        for (size_t at = first; text.length < 4096;) {
            SC_AUTO_FREE char *words = sc_snapshot_thread_words(&snapshot->threads.items[at]);
            sc_str_add_format(&text, "%s%s %s", at == first ? "" : "; ", words,
                              snapshot->threads.items[at].doing);
            at = snapshot->threads.items[at].waits_for;
            if (at == first)
                break;
        }
        sc_vec_push(&snapshot->findings, sc_str_take(&text));
    }
}

static const struct sc_snapshot_frame *innermost(const struct sc_snapshot_thread *thread)
{
    for (size_t i = 0; i < thread->frames.count; i++) {
        if (!thread->frames.items[i].is_native)
            return &thread->frames.items[i];
    }
    return NULL;
}

/* Whether the thread is at the instruction at which its stack was read. */
static bool is_still_there(struct sc_taking *taking, const struct sc_taken_thread *thread)
{
    struct sc_process *process = &taking->process;
    struct sc_walk walk;
    struct sc_py_frame frame;
    sc_remote_forget(&process->remote);
    sc_walk_begin(&walk, &process->layout, &process->target, process->facts.code_type,
                  thread->entry.state);
    return sc_walk_next(&walk, &frame) && frame.address == thread->innermost.address &&
           frame.code == thread->innermost.code &&
           frame.instruction == thread->innermost.instruction;
}

/* Whether the thread runs for a while without leaving its instruction, so in native code: the
 * interpreter would go on. */
static bool keeps_running_there(struct sc_taking *taking, size_t index)
{
    struct sc_taken_thread *thread = &taking->threads.items[index];
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    pid_t tid = taking->snapshot->threads.items[index].tid;
    for (unsigned i = 0; i < LOOKS_MAX; i++) {
        struct sc_schedstat now;
        if (!is_still_there(taking, thread) ||
            sc_schedstat_read(taking->process.pid, tid, -1, &now) != SC_PROC_READ)
            return false;
        if (now.run_ns - thread->stat.run_ns > RUNS_LONG_NS)
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static void find_gil_holder(struct sc_taking *taking)
{
    struct sc_snapshot *snapshot = taking->snapshot;
    size_t holder = SC_SNAPSHOT_NOBODY;
    size_t waiting = 0;
    for (size_t i = 0; i < snapshot->threads.count; i++) {
        waiting += taking->threads.items[i].waits_for_gil;
        if (snapshot->threads.items[i].holds_gil)
            holder = i;
    }
    if (holder == SC_SNAPSHOT_NOBODY || waiting == 0)
        return;
    const struct sc_snapshot_frame *frame = innermost(&snapshot->threads.items[holder]);
    if (frame == NULL)
        return;
    SC_AUTO_FREE char *words = sc_snapshot_thread_words(&snapshot->threads.items[holder]);
    const char *number = waiting == 1 ? "one thread waits" : "other threads wait";
    bool is_blocked = snapshot->threads.items[holder].is_blocked;
    if (is_blocked && stands(taking, holder))
        sc_vec_push(&snapshot->findings,
                    sc_format("%s for the GIL, which %s keeps while it is blocked in %s (%s:%u)",
                              number, words, frame->function, frame->file, frame->line));
    else if (!is_blocked && keeps_running_there(taking, holder))
        sc_vec_push(&snapshot->findings,
                    sc_format("%s for the GIL, which %s keeps in native code that %s calls "
                              "(%s:%u)",
                              number, words, frame->function, frame->file, frame->line));
}

/* The frame that an event loop runs now, as a callback; NULL when there is none. */
static const struct sc_snapshot_frame *callback_of(const struct sc_snapshot_thread *thread)
{
    const struct sc_snapshot_frame *first = NULL;
    const struct sc_snapshot_frame *inner = NULL;
    bool is_handle = false;
    for (size_t i = 0; i < thread->frames.count; i++) {
        const struct sc_snapshot_frame *frame = &thread->frames.items[i];
        if (frame->is_native)
            continue;
        if (is_handle && sc_ends_with(frame->file, "/asyncio/base_events.py") &&
            sc_ends_with(frame->function, "_run_once"))
            return first;
        is_handle = sc_ends_with(frame->file, "/asyncio/events.py") &&
                    sc_ends_with(frame->function, "_run");
        first = is_handle ? inner : first;
        inner = frame;
    }
    return NULL;
}

static void find_blocked_loops(struct sc_taking *taking)
{
    struct sc_snapshot *snapshot = taking->snapshot;
    size_t tasks = snapshot->tasks.count + snapshot->tasks_left_out;
    for (size_t i = 0; i < snapshot->threads.count; i++) {
        const struct sc_snapshot_thread *thread = &snapshot->threads.items[i];
        const struct sc_snapshot_frame *callback = callback_of(thread);
        if (callback == NULL || !thread->is_blocked || taking->threads.items[i].waits_for_gil ||
            !stands(taking, i))
            continue;
        SC_AUTO_FREE char *words = sc_snapshot_thread_words(thread);
        sc_vec_push(&snapshot->findings,
                    sc_format("the event loop of %s is blocked: %s (%s:%u) %s%s", words,
                              callback->function, callback->file, callback->line, thread->doing,
                              tasks > 0 ? "; no other task can run meanwhile" : ""));
    }
}

void sc_snapshot_judge(struct sc_taking *taking)
{
    for (size_t i = 0; i < taking->threads.count; i++) {
        if (taking->snapshot->threads.items[i].is_blocked && !taking->threads.items[i].is_stopped)
            judge_blocked(taking, i);
    }
    find_deadlocks(taking);
    find_blocked_loops(taking);
    find_gil_holder(taking);
}
