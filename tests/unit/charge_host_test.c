/*
 * tests/unit/charge_host_test.c - for whom native threads work, and what becomes of time of theirs
 * for which nobody was found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "charge_fixture.h"

struct host_row {
    const char *name;
    struct sc_charge_thread threads[3];
    struct sc_charge_host host;
    uint64_t now_ns; /* 0: NOW */
};

/* Threads of Python: the milliseconds since the last sample, its place and more, or what one waits
 * for, and where. */
#define RAN(ms, ...)                                                                               \
    WITH(.has_python = true, .sampled_ns = NOW - (ms)*MS, .sampled_node = __VA_ARGS__)
#define IN_C(ms, ...) RAN(ms, __VA_ARGS__, .sampled_kind = SC_SAMPLE_NATIVE)
#define WAITS(cause, ...)                                                                          \
    WITH(.has_python = true, .blocked = true, .blocked_cause = SC_WAIT_##cause,                    \
         .blocked_node = __VA_ARGS__)

static const struct host_row host_rows[] = {
    {.name = "nobody is there"},
    ROW(.name = "one that is in C code", .threads = {RAN(1, THERE), IN_C(1, HERE)},
        .host = {.found = true, .node = HERE}),
    ROW(.name = "it was that too long ago", .threads = {IN_C(5, HERE)}),
    ROW(.name = "one never sampled was in no C code",
        .threads = {{.has_python = true, .sampled_kind = SC_SAMPLE_NATIVE}}, .now_ns = MS),
    ROW(.name = "a native thread is the host of no thread",
        .threads = {WITH(.sampled_ns = NOW - MS, .sampled_node = HERE,
                         .sampled_kind = SC_SAMPLE_NATIVE)}),
    ROW(.name = "nor is one that is over", .threads = {IN_C(1, HERE, .ended = true)}),
    ROW(.name = "the first of two that wait",
        .threads = {{.has_python = true}, WAITS(LOCK, WAITING), WAITS(LOCK, HERE)},
        .host = {.found = true, .on_python = true, .node = WAITING}),
    ROW(.name = "one that waits for an unknown reason", .threads = {WAITS(OTHER, WAITING)},
        .host = {.found = true, .on_python = true, .node = WAITING}),
    ROW(.name = "input is not waiting for a thread", .threads = {WAITS(IO, WAITING)}),
    ROW(.name = "nor is a wait that is over",
        .threads = {{.has_python = true, .blocked_node = WAITING, .blocked_cause = SC_WAIT_LOCK}}),
    ROW(.name = "nor one in an unknown place",
        .threads = {{.has_python = true, .blocked = true, .blocked_cause = SC_WAIT_LOCK}}),
    ROW(.name = "while a Python thread interprets, one that waits does so for that",
        .threads = {WAITS(LOCK, WAITING), RAN(1, THERE, .life = SC_LIFE_OF_THREAD)}),
    ROW(.name = "also while the main thread does",
        .threads = {WAITS(LOCK, WAITING), RAN(1, THERE, .is_main = true)}),
    ROW(.name = "but what a thread of C code calls of Python is for that one, too",
        .threads = {RAN(1, THERE), WAITS(LOCK, WAITING)},
        .host = {.found = true, .on_python = true, .node = WAITING}),
    ROW(.name = "one that waits now does so, whatever it did a moment ago",
        .threads = {RAN(1, THERE, .is_main = true, .blocked = true, .blocked_node = WAITING,
                        .blocked_cause = SC_WAIT_LOCK)},
        .host = {.found = true, .on_python = true, .node = WAITING}),
    ROW(.name = "C code below no Python frame is the host of no thread, or two threads were each "
                "other's",
        .threads = {IN_C(1, HERE, .sampled_bare = true), WAITS(OTHER, WAITING, .is_main = true)},
        .host = {.found = true, .on_python = true, .node = WAITING}),
    ROW(.name = "C code goes before waiting, wherever it stands",
        .threads = {WAITS(LOCK, WAITING), IN_C(4, HERE)}, .host = {.found = true, .node = HERE}),
};

/* As they lie in what observes them: inside something larger. */
struct larger {
    uint64_t before;
    struct sc_charge_thread books;
    uint64_t behind[3];
};

TEST(hosts)
{
    FOR_EACH_ROW(row, host_rows) {
        struct larger larger[3] = {0};
        for (size_t j = 0; j < 3; j++)
            larger[j].books = row->threads[j];
        struct sc_charge_threads threads = {
            .first = &larger[0].books, .count = 3, .step_bytes = sizeof(larger[0])};
        struct sc_charge_host host =
            sc_charge_find_host(&begun, &threads, row->now_ns != 0 ? row->now_ns : NOW);
        assert_int_equal(host.found, row->host.found);
        assert_int_equal(host.on_python, row->host.on_python);
        assert_int_equal(host.node, row->host.node);
    }
}

struct hostless_row {
    const char *name;
    uint64_t since_tick_ns;
    uint64_t before_ns;
    struct sc_charge_host host;
    uint32_t node;
    bool on_python;
    uint64_t charged_ns;
    uint64_t left_ns; /* for the next call */
};

static const struct hostless_row hostless_rows[] = {
    ROW(.name = "a host that is found now takes it all", .since_tick_ns = 3 * MS,
        .before_ns = 2 * MS, .host = {.found = true, .node = HERE}, .node = HERE,
        .charged_ns = 5 * MS),
    ROW(.name = "one that waits, on its Python frame", .since_tick_ns = 3 * MS,
        .host = {.found = true, .on_python = true, .node = WAITING}, .node = WAITING,
        .on_python = true, .charged_ns = 3 * MS),
    {.name = "without one the time waits for a tick", .since_tick_ns = 3 * MS, .left_ns = 3 * MS},
    ROW(.name = "and then it is charged to no line", .since_tick_ns = 3 * MS, .before_ns = 2 * MS,
        .host = {.node = HERE}, .charged_ns = 2 * MS, .left_ns = 3 * MS),
    {.name = "nothing, nothing", .host = {.found = true, .node = HERE}},
};

TEST(hostless_time_waits_for_one_tick)
{
    FOR_EACH(row, hostless_rows) {
        struct sc_charge_process process = begun;
        process.hostless_ns[0] = row->since_tick_ns;
        process.hostless_ns[1] = row->before_ns;
        struct sc_charges charges = sc_charge_hostless(&process, row->host);
        struct sc_charges expected = {0};
        if (row->charged_ns > 0)
            expected.charge = (struct sc_charge){.node = row->node,
                                                 .on_python = row->on_python,
                                                 .to = SC_CHARGE_STACK,
                                                 .time = SC_TIME_PARALLEL,
                                                 .ns = row->charged_ns};
        assert_charges(row->name, &charges, &expected);
        assert_int_equal(process.hostless_ns[0], 0);
        assert_int_equal(process.hostless_ns[1], row->left_ns);
    }
}

struct holder_row {
    const char *name;
    struct sc_charge_thread threads[3]; /* the last one waits */
    uint32_t node;
};

static const struct holder_row holder_rows[] = {
    {.name = "nobody was ever sampled", .threads = {{.has_python = true}}},
    ROW(.name = "the one that was sampled last", .threads = {RAN(2, HERE), RAN(1, THERE)},
        .node = THERE),
    ROW(.name = "not the one that waits", .threads = {RAN(9, HERE), {0}, RAN(1, THERE)},
        .node = HERE),
    ROW(.name = "nor another one that waits for the lock",
        .threads = {RAN(9, HERE), RAN(1, THERE, .blocked = true, .blocked_cause = SC_WAIT_GIL)},
        .node = HERE),
    ROW(.name = "nor one that has waited for another lock all the time",
        .threads = {RAN(9, HERE), RAN(1, THERE, .blocked = true, .is_steady = true,
                                      .blocked_cause = SC_WAIT_LOCK)},
        .node = HERE),
    ROW(.name = "one that has begun to wait for it may have had it",
        .threads = {RAN(9, HERE), RAN(1, THERE, .blocked = true, .blocked_cause = SC_WAIT_LOCK)},
        .node = THERE),
    ROW(.name = "one that sleeps by now may have had it",
        .threads = {RAN(1, HERE, .blocked = true, .blocked_cause = SC_WAIT_SLEEP)}, .node = HERE),
    ROW(.name = "C code below no Python frame has no lock",
        .threads = {RAN(1, HERE, .sampled_bare = true),
                    {.sampled_ns = NOW - MS, .sampled_node = THERE}}),
    ROW(.name = "nor has one that is over", .threads = {RAN(1, HERE, .ended = true)}),
};

TEST(holders)
{
    FOR_EACH_ROW(row, holder_rows) {
        struct larger larger[3] = {0};
        for (size_t j = 0; j < 3; j++)
            larger[j].books = row->threads[j];
        struct sc_charge_threads threads = {
            .first = &larger[0].books, .count = 3, .step_bytes = sizeof(larger[0])};
        const struct sc_charge_thread *holder = sc_charge_find_holder(&threads, &larger[2].books);
        assert_int_equal(holder != NULL ? holder->sampled_node : 0, row->node);
    }
}
