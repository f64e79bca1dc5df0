/*
 * agent/label.c - units of work: a module whose functions enter and leave labels, and name the
 * observer.
 *
 * enter(name) writes a record and returns a number that leave() is given; 0, where nothing was
 * written. The number begins with that of the thread, so a label may be left in another one: a
 * generator may be closed anywhere. scalene_profiler.label (python/scalene/_label.py) is what
 * programs use. It finds the module as builtins.profile.__self__.
 *
 * Both are C functions, so no Python code of ours runs between the two records.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/label.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/home.h"
#include "agent/state.h"
#include "channel/writer.h"

#define MOMENT_NS    10000U
#define THREAD_SHIFT 42U /* a thread's number has 22 bits */

static _Atomic uint64_t entered;

static uint64_t own_tid(void)
{
    return (uint64_t)(sc_agent_thread.registered ? sc_agent_thread.tid : syscall(SYS_gettid));
}

/* The thread's CPU clock, which only a system call can read. What has passed since it was read a
 * moment ago is taken to have been spent on a CPU. */
static uint64_t own_cpu_ns(uint64_t now_ns)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    uint64_t passed_ns = now_ns - thread->label_ns;
    if (passed_ns < MOMENT_NS)
        return thread->label_cpu_ns + passed_ns;
    thread->label_ns = now_ns;
    thread->label_cpu_ns = sc_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return thread->label_cpu_ns;
}

/* Entering leaves a quarter of the ring to others: what could not be left would seem to run on, and
 * samples and blocks need room, too. */
static bool has_room(void)
{
    return sc_ring_used(sc_agent.segment) < SC_RING_BYTES - SC_RING_BYTES / 4;
}

static bool send(uint64_t span, bool is_left, const char *name, size_t length)
{
    struct sc_record_label *record =
        is_left || has_room() ? sc_ring_reserve(sc_agent.segment, sizeof(*record) + length) : NULL;
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_LABEL_LOST);
        return false;
    }
    uint64_t tid = span >> THREAD_SHIFT;
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->cpu_ns = tid == own_tid() ? own_cpu_ns(record->time_ns) : 0;
    record->span = span;
    record->tid = (uint32_t)tid;
    record->length = (uint16_t)length;
    record->is_left = is_left;
    char *text = (char *)(record + 1);
    for (size_t i = 0; i < length; i++)
        text[i] = name[i];
    sc_ring_commit(record, SC_RECORD_LABEL, sizeof(*record) + length);
    return true;
}

/* So many bytes of a name are kept: whole characters of UTF-8. */
static size_t kept_length(const char *name)
{
    size_t length = strlen(name);
    if (length <= SC_LABEL_MAX)
        return length;
    for (length = SC_LABEL_MAX; length > 0 && ((unsigned char)name[length] & 0xC0U) == 0x80U;)
        length--;
    return length;
}

static sc_object *enter(sc_object *self, sc_object *name)
{
    (void)self;
    uint64_t span = 0;
    const char *text = sc_python_api.string_utf8(name);
    if (text == NULL) { /* no text, or one that UTF-8 cannot express */
        sc_python_api.error_clear();
        text = "?";
    }
    if (sc_agent_is_active() && !sc_agent_is_paused())
        span = own_tid() << THREAD_SHIFT | (atomic_fetch_add(&entered, 1) + 1);
    /* it is freed after the label is left, so it must not be part of what it allocates */
    sc_object *number = sc_python_api.number_new(span);
    sc_agent_enter();
    bool is_here = sc_agent_is_active() && sc_home_is_this_process();
    bool is_lost =
        span != 0 && number != NULL && is_here && !send(span, false, text, kept_length(text));
    sc_agent_leave();
    if (!is_lost)
        return number;
    sc_python_api.release(number);
    return sc_python_api.number_new(0);
}

static sc_object *leave(sc_object *self, sc_object *number)
{
    (void)self;
    uint64_t span = sc_python_api.number_value(number);
    if (sc_python_api.error_occurred() != NULL)
        return NULL;
    sc_agent_enter();
    if (span != 0 && sc_agent_is_active() && sc_home_is_this_process())
        (void)send(span, true, NULL, 0);
    sc_agent_leave();
    sc_python_api.retain(number);
    return number;
}

static sc_object *observer(sc_object *self, sc_object *none)
{
    (void)self;
    (void)none;
    return sc_python_api.number_new(sc_agent_is_active() ? (unsigned)sc_agent.observer : 0);
}

sc_object *sc_label_module_new(void)
{
    static struct sc_method_definition definitions[] = {
        {"enter", enter, SC_METH_O, "enter(name, /)\n--\n\nEnters a label; returns its number."},
        {"leave", leave, SC_METH_O, "leave(number, /)\n--\n\nLeaves the label of that number."},
        {"observer", observer, SC_METH_NOARGS,
         "observer()\n--\n\nReturns the number of the process that observes this one, or 0."},
    };
    sc_object *module = sc_python_api.module_new("_scalene_agent");
    sc_object *members = module != NULL ? sc_python_api.get_attribute(module, "__dict__") : NULL;
    for (size_t i = 0; members != NULL && i < sizeof(definitions) / sizeof(definitions[0]); i++) {
        sc_object *function = sc_python_api.c_function_new(&definitions[i], NULL, NULL);
        if (function == NULL)
            break;
        (void)sc_python_api.dict_set(members, definitions[i].name, function);
        sc_python_api.release(function);
    }
    if (members != NULL)
        sc_python_api.release(members);
    if (sc_python_api.error_occurred() != NULL)
        sc_python_api.error_clear();
    return module;
}
