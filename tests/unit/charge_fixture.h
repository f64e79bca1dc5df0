/*
 * tests/unit/charge_fixture.h - how tables of books and charges are written and compared.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/charge/charge.h"
#include "sc_test.h"

#define MS    ((uint64_t)1000000)
#define BEGUN (1000 * MS)

#define NOW (BEGUN + 100 * MS)

enum { HERE = 7, THERE = 8, WAITING = 9 };

static const struct sc_charge_process begun = {
    .interval_ns = MS, .begun = true, .begun_ns = BEGUN, .charged_cpu_ns = 50 * MS};

static inline void assert_charges(const char *name, const struct sc_charges *got,
                                  const struct sc_charges *expected)
{
    (void)printf("  %s\n", name);
    assert_int_equal(got->charge.node, expected->charge.node);
    assert_int_equal(got->charge.on_python, expected->charge.on_python);
    assert_int_equal(got->charge.to, expected->charge.to);
    assert_int_equal(got->charge.time, expected->charge.time);
    assert_int_equal(got->charge.ns, expected->charge.ns);
    assert_int_equal(got->cpu_ns, expected->cpu_ns);
    assert_int_equal(got->chore, expected->chore);
    assert_int_equal(got->has_span, expected->has_span);
    assert_int_equal(got->node, expected->node);
    assert_int_equal(got->since_ns, expected->since_ns);
    assert_int_equal(got->until_ns, expected->until_ns);
    assert_int_equal(got->span_ns, expected->span_ns);
}

#define BOTH(at, what, much)                                                                       \
    {                                                                                              \
        .node = (at), .to = SC_CHARGE_BOTH, .time = (what), .ns = (much)                           \
    }
#define SPAN(at, since, until)                                                                     \
    .has_span = true, .node = (at), .since_ns = (since), .until_ns = (until),                      \
    .span_ns = (until) - (since)

/* One time, charged to a place and its thread, and its span; the same without one; and what waits
 * for a place. */
#define CHARGED(at, what, since, until)                                                            \
    CHARGED_TO(at, what, (until) - (since)), SPAN(at, since, until)
#define CHARGED_TO(at, what, much) .charge = BOTH(at, what, much), .cpu_ns = (much)
#define CHARGED_TO_THREAD(what, much)                                                              \
    .charge = {.to = SC_CHARGE_THREAD, .time = (what), .ns = (much)}, .cpu_ns = (much)

/* What is booked afterwards. */
#define AFTER(thread, process) .thread_ns = (thread), .process_ns = (process)

/* A thread or a sample in a row, for as few lines as its members need. */
#define WITH(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
