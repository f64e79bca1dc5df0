/*
 * neuron/trace.h - what AWS Neuron's tools have written about a run: which source line each
 * execution came from, and when the runtime and the cores were busy with it.
 *
 * The debug file (debug_rank_0.txt) is text in parts that a line of "---" separates. A line
 * "PID: 123" names the process; a part with "SOURCE: path:line" is one execution, in the order they
 * happened, and "KERNEL: name" is what it ran.
 *
 * The trace is JSON, a list of events or an object that has one under trace_event: name,
 * process_id, thread_id, timestamp and duration (nanoseconds, since 1970), exec_id beside them or
 * in args. Three kinds count: nrt_execute (the runtime's call), kbl_exec_pre (it gets its exec_id)
 * and nc_exec_running (a core is busy with an exec_id). Source: the profiler's guides in the
 * documentation of AWS Neuron, and what the original's tool takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* One execution as the debug file records it. */
struct sc_neuron_call {
    char *source;    /* the file's path as it was written, or NULL */
    char *kernel;    /* or NULL */
    uint32_t lineno; /* 0 when the line is not known */
};

/* Initialise with {0}. */
struct sc_neuron_calls {
    struct sc_neuron_call *items;
    size_t count;
    size_t capacity;
    bool has_pid;
    json_int_t pid;
};

/* An event of the trace. All values are borrowed from it. */
struct sc_neuron_event {
    const json_t *event;
    json_int_t start_ns;
    json_int_t duration_ns;
    size_t order; /* in the trace */
};

struct sc_neuron_events SC_VEC_OF(struct sc_neuron_event);

/* The process's events by kind, each in order of time. Initialise with {0}. */
struct sc_neuron_trace {
    struct sc_neuron_events executions; /* nrt_execute */
    struct sc_neuron_events starts;     /* kbl_exec_pre */
    struct sc_neuron_events runs;       /* nc_exec_running */
};

/* Any text is fine; one without executions gives none. */
void sc_neuron_calls_read(const char *text, struct sc_neuron_calls *ret_calls);
void sc_neuron_calls_done(struct sc_neuron_calls *calls);

/* Events of other processes than calls names are left out. root must outlive the result. */
bool sc_neuron_trace_read(const json_t *root, const struct sc_neuron_calls *calls,
                          struct sc_neuron_trace *ret_trace, struct sc_err *err);
void sc_neuron_trace_done(struct sc_neuron_trace *trace);

/* The exec_id of an event, as text; "" when it has none. To be freed. */
char *sc_neuron_event_id(const struct sc_neuron_event *event);
