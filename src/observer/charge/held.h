/*
 * observer/charge/held.h - samples that see only user code; their weight is known at the next
 * sample that sees all code.
 *
 * A perf event samples a thread at short intervals, but only in user code; a timer samples it
 * anywhere, but at longer intervals (docs/design/0005-ticks.md). So the samples of an event are
 * held until the timer's next one. If that one is in a system call, all CPU time since the timer's
 * last sample is charged to the call; else each held sample stands for the event's period, and the
 * timer's for the rest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "observer/charge/charge.h"

/* A working timer gives a sample well before so many are held. */
#define SC_HELD_MAX 256U

struct sc_held {
    struct sc_charge_sample sample;
    uint32_t path;  /* its thread's labels (costs/units.h) */
    uint32_t ticks; /* of the event, since the thread's previous sample; not each one is sampled */
};

/* The held samples of one thread, in order. Initialise with {0}. */
struct sc_held_samples {
    SC_VEC(struct sc_held) list;
};

/* What ends the time that the held samples share. */
enum sc_held_end {
    SC_HELD_BY_CALL, /* the timer, in a system call */
    SC_HELD_BY_CODE, /* the timer, in other code */
    SC_HELD_BY_NONE, /* the thread ended or the list is full: they share all the time */
};

/* Gives the held samples the clocks to be charged with one after the other, from since_ns up to
 * until_ns at most. period_ns: of the event. */
void sc_held_weigh(struct sc_held_samples *held, uint64_t since_ns, uint64_t until_ns,
                   uint64_t period_ns, enum sc_held_end end);
