/*
 * observer/snapshot/judge.c - who waits for whom: locks, joins, the interpreter lock, event loops.
 *
 * Which lock of the platform a thread waits for is known from the address that it is in the kernel
 * with. A thread that waits for a mutex of the interpreter's is there with an address on its own
 * stack, beside that of the mutex. Who holds it: an RLock knows. A thread that
 * is in a `with` block of another one holds it if nobody has released it meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
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

/* The first may have begun before. */
#define WAITS_UNTIL_ASKED 2U

/* A thread that is blocked for so long is not just about to go on. */
#define STANDS_LONG_NS 20000000

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

/* Whether the wait ends by itself: the fourth argument of futex(2). */
static bool has_timeout(const struct sc_blocked *blocked)
{
    return !blocked->is_refused && blocked->number == SYS_futex && blocked->arguments[3] != 0;
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
    if (thread->is_parked)
        return &thread->parked_for;
    for (size_t i = 0; i < thread->seen_count; i++) {
        const struct sc_lock *lock = &thread->seen[i];
        /* a semaphore's word may be a few bytes inside it (glibc's struct new_sem) */
        if (thread->blocked.arguments[0] - lock->word < 8)
            return lock;
    }
    return NULL;
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
    size_t found = SC_SNAPSHOT_NOBODY;
    if (lock->is_recursive)
        return thread_of_ident(taking, lock->owner);
    for (size_t i = 0; i < taking->threads.count; i++) {
        if (!holds(&taking->threads.items[i], lock->object))
            continue;
        if (found != SC_SNAPSHOT_NOBODY)
            return SC_SNAPSHOT_NOBODY; /* one of the two has released it in its block */
        found = i;
    }
    return found;
}

static const struct sc_snapshot_frame *innermost(const struct sc_snapshot_thread *thread)
{
    for (size_t i = 0; i < thread->frames.count; i++) {
        if (!thread->frames.items[i].is_native)
            return &thread->frames.items[i];
    }
    return NULL;
}

static void say_lock(struct sc_taking *taking, size_t index, const struct sc_lock *lock)
{
    struct sc_snapshot_thread *thread = &taking->snapshot->threads.items[index];
    const char *kind = lock->is_recursive ? "RLock" : "Lock";
    const char *limit = taking->threads.items[index].has_timeout ? ", for a limited time" : "";
    size_t holder = holder_of(taking, lock);
    bool is_other = holder != SC_SNAPSHOT_NOBODY && holder != index;
    SC_AUTO_FREE char *name =
        is_other ? sc_snapshot_thread_words(&taking->snapshot->threads.items[holder])
                 : sc_strdup("it");
    SC_AUTO_FREE char *where = lock->is_recursive ? sc_format(", which %s holds", name)
                                                  : sc_format(", in whose `with` block %s is%s",
                                                              name, is_other ? "" : " itself");
    thread->waits_for = holder;
    taking->threads.items[index].is_unsure = !lock->is_recursive;
    say(thread, sc_format("waits for the %s at 0x%" PRIx64 "%s%s", kind, lock->object,
                          holder != SC_SNAPSHOT_NOBODY ? where : "", limit));
}

static void say_join(struct sc_taking *taking, size_t index, size_t other)
{
    struct sc_snapshot_thread *thread = &taking->snapshot->threads.items[index];
    SC_AUTO_FREE char *words = sc_snapshot_thread_words(&taking->snapshot->threads.items[other]);
    thread->waits_for = other;
    say(thread, sc_format("waits for %s to end%s", words,
                          taking->threads.items[index].has_timeout ? ", for a limited time" : ""));
}

static void add_blocked_finding(struct sc_taking *taking, size_t index)
{
    struct sc_taken_thread *taken = &taking->threads.items[index];
    struct sc_snapshot_thread *thread = &taking->snapshot->threads.items[index];
    const struct sc_interpreter_facts *facts = &taking->process.facts;
    enum sc_wait cause = sc_wait_cause(&taken->blocked, facts->runtime, facts->runtime_size);
    const char *library = sc_wait_of_library(&thread->frames);
    taken->has_timeout = has_timeout(&taken->blocked);
    if (cause == SC_WAIT_GIL && thread->ident != 0 && !facts->free_threaded) {
        taken->waits_for_gil = true;
        say(thread, sc_strdup("waits for the GIL"));
        return;
    }
    bool is_lock = cause == SC_WAIT_LOCK;
    size_t joined = is_lock ? thread_of_ident(taking, taken->joined) : SC_SNAPSHOT_NOBODY;
    const struct sc_lock *lock = is_lock ? lock_waited_for(taken) : NULL;
    if (joined != SC_SNAPSHOT_NOBODY)
        say_join(taking, index, joined);
    else if (lock != NULL && (library == NULL || holder_of(taking, lock) != SC_SNAPSHOT_NOBODY))
        say_lock(taking, index, lock);
    else if (library != NULL)
        say(thread, sc_strdup(library));
    else if (cause == SC_WAIT_SLEEP)
        say(thread, sc_strdup("sleeps"));
    else
        say(thread, sc_wait_of_call(taking->subject.core == NULL ? taking->subject.pid : 0,
                                    &taken->blocked, &taking->sockets));
}

/* Whether the thread has not run since its stack was read. */
static bool stands(const struct sc_taking *taking, size_t index)
{
    struct sc_schedstat now;
    return sc_subject_schedstat(taking->subject, taking->snapshot->threads.items[index].tid,
                                &now) &&
           !sc_wait_has_run(&taking->threads.items[index].stat, &now);
}

/* Follows the threads that wait for each other from one of them on; true when that leads back to
 * it, and it is the first of them, so that a circle is found once. */
static bool is_circle(const struct sc_taking *taking, size_t first)
{
    size_t at = first;
    for (size_t steps = 0; steps <= taking->threads.count; steps++) {
        if (!stands(taking, at) || taking->threads.items[at].has_timeout)
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
        bool is_unsure = false;
        for (size_t at = first; text.length < 4096;) {
            is_unsure |= taking->threads.items[at].is_unsure;
            SC_AUTO_FREE char *words = sc_snapshot_thread_words(&snapshot->threads.items[at]);
            sc_str_add_format(&text, "%s%s %s", at == first ? "" : "; ", words,
                              snapshot->threads.items[at].doing);
            at = snapshot->threads.items[at].waits_for;
            if (at == first)
                break;
        }
        SC_AUTO_FREE char *circle = sc_str_take(&text);
        sc_vec_push(
            &snapshot->findings,
            sc_format("deadlock%s: %s",
                      is_unsure ? ", unless a lock was released inside its `with` block" : "",
                      circle));
    }
}

/* Whether the thread is at the instruction at which its stack was read, and no other thread has had
 * the interpreter lock since. */
static bool is_still_there(struct sc_taking *taking, const struct sc_taken_thread *thread)
{
    struct sc_process *process = &taking->process;
    struct sc_walk walk;
    struct sc_py_frame frame;
    sc_remote_forget(&process->stacks.remote);
    sc_walk_begin(&walk, &process->layout, &process->stacks.target, process->facts.code_type,
                  thread->entry.state);
    struct sc_gil gil =
        sc_gil_read(&taking->python, process->facts.runtime, thread->entry.interpreter);
    return sc_walk_next(&walk, &frame) && frame.address == thread->innermost.address &&
           frame.code == thread->innermost.code &&
           frame.instruction == thread->innermost.instruction &&
           gil.holder == thread->entry.state && gil.switches == thread->gil.switches;
}

/* How often a thread has given its CPU away; 0 when that cannot be known. */
static uint64_t waits_of(const struct sc_taking *taking, size_t index)
{
    uint64_t switches = 0;
    pid_t tid = taking->snapshot->threads.items[index].tid;
    return sc_voluntary_switches(taking->process.pid, tid, &switches) ? switches : 0;
}

/* Whether the thread runs for a while without leaving its instruction, so in native code: the
 * interpreter would give the lock to the thread that waits for it. It does so when the other has
 * asked for it, which that one does each time when it has waited for some milliseconds; what counts
 * is the time after that. */
static bool keeps_running_there(struct sc_taking *taking, size_t holder, size_t waiter)
{
    struct sc_taken_thread *thread = &taking->threads.items[holder];
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const uint64_t waits = waits_of(taking, waiter);
    pid_t tid = taking->snapshot->threads.items[holder].tid;
    uint64_t asked_run_ns = 0;
    for (unsigned i = 0; i < LOOKS_MAX; i++) {
        struct sc_schedstat now;
        (void)nanosleep(&pause, NULL);
        bool has_asked = waits_of(taking, waiter) >= waits + WAITS_UNTIL_ASKED;
        if (!is_still_there(taking, thread) ||
            sc_schedstat_read(taking->process.pid, tid, -1, &now) != SC_PROC_READ)
            return false;
        if (has_asked && asked_run_ns == 0)
            asked_run_ns = now.run_ns;
        if (has_asked && now.run_ns - asked_run_ns > RUNS_LONG_NS)
            return true;
    }
    return false;
}

/* Whether the thread has not run for a while, since its stack was read. */
static bool keeps_standing(const struct sc_taking *taking, size_t index)
{
    const struct timespec pause = {.tv_nsec = STANDS_LONG_NS};
    (void)nanosleep(&pause, NULL);
    return stands(taking, index);
}

static void add_gil_finding(struct sc_taking *taking, size_t holder)
{
    struct sc_snapshot *snapshot = taking->snapshot;
    size_t waiter = SC_SNAPSHOT_NOBODY;
    size_t waiting = 0;
    for (size_t i = 0; i < snapshot->threads.count; i++) {
        const struct sc_taken_thread *thread = &taking->threads.items[i];
        if (!thread->waits_for_gil ||
            thread->gil.holder != taking->threads.items[holder].entry.state)
            continue;
        waiting++;
        waiter = i;
    }
    if (waiting == 0)
        return;
    const struct sc_snapshot_frame *frame = innermost(&snapshot->threads.items[holder]);
    if (frame == NULL)
        return;
    SC_AUTO_FREE char *words = sc_snapshot_thread_words(&snapshot->threads.items[holder]);
    const char *number = waiting == 1 ? "one thread waits" : "other threads wait";
    bool is_blocked = snapshot->threads.items[holder].is_blocked;
    if (is_blocked && keeps_standing(taking, holder))
        sc_vec_push(&snapshot->findings,
                    sc_format("%s for the GIL, which %s keeps while it is blocked in %s (%s:%u)",
                              number, words, frame->function, frame->file, frame->line));
    else if (!is_blocked && keeps_running_there(taking, holder, waiter))
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
    SC_EACH(const struct sc_snapshot_frame, frame, &thread->frames) {
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
            taking->threads.items[i].is_stopped || !keeps_standing(taking, i))
            continue;
        SC_AUTO_FREE char *words = sc_snapshot_thread_words(thread);
        sc_vec_push(&snapshot->findings,
                    sc_format("the event loop of %s is blocked: %s (%s:%u) %s%s", words,
                              callback->function, callback->file, callback->line, thread->doing,
                              tasks > 0 ? "; it runs no other task meanwhile" : ""));
    }
}

void sc_snapshot_judge(struct sc_taking *taking)
{
    for (size_t i = 0; i < taking->threads.count; i++) {
        if (taking->snapshot->threads.items[i].is_blocked && !taking->threads.items[i].is_stopped)
            add_blocked_finding(taking, i);
    }
    find_deadlocks(taking);
    if (taking->subject.core != NULL)
        return; /* how long it has been so cannot be seen there */
    find_blocked_loops(taking);
    for (size_t i = 0; i < taking->threads.count; i++) {
        if (taking->snapshot->threads.items[i].holds_gil && !taking->threads.items[i].is_stopped)
            add_gil_finding(taking, i);
    }
}
