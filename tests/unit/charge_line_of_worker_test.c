/*
 * tests/unit/charge_line_of_worker_test.c - which line waits for the work of a thread that runs
 * none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "charge_fixture.h"
#include "observer/charge/line_of_worker.h"

enum { MAIN = 1, HELPER, OTHER, WORKER };

struct line_row {
    const char *name;
    struct sc_charge_thread threads[3];
    uint32_t creator_id;
    uint32_t line;
};

#define WAITS_AT(place, why) .blocked = true, .blocked_line = (place), .blocked_cause = (why)

static const struct line_row line_rows[] = {
    {.name = "nobody is there", .creator_id = MAIN},
    ROW(.name = "the thread that began the worker waits for a lock",
        .threads = {{.id = MAIN, .is_main = true, WAITS_AT(HERE, SC_WAIT_LOCK)}},
        .creator_id = MAIN, .line = HERE),
    ROW(.name = "or for input, as an event loop does",
        .threads = {{.id = MAIN, .is_main = true, WAITS_AT(HERE, SC_WAIT_IO)}}, .creator_id = MAIN,
        .line = HERE),
    ROW(.name = "one that waits for the interpreter's lock would run",
        .threads = {{.id = MAIN, .is_main = true, WAITS_AT(HERE, SC_WAIT_GIL)}},
        .creator_id = MAIN),
    ROW(.name = "but where it does so only to see what workers have done",
        .threads =
            {{.id = MAIN, .is_main = true, .waits_by_call = true, WAITS_AT(HERE, SC_WAIT_GIL)}},
        .creator_id = MAIN, .line = HERE),
    ROW(.name = "or waits for a CPU to do so",
        .threads = {WITH(.id = MAIN, .is_main = true, .runnable = true, .blocked_line = HERE,
                         .waits_by_call = true)},
        .creator_id = MAIN, .line = HERE),
    ROW(.name = "while it waits for a CPU anywhere else nobody waits",
        .threads = {{.id = MAIN, .is_main = true, .runnable = true, .blocked_line = HERE}},
        .creator_id = MAIN),
    ROW(.name = "while it runs nobody waits, whoever else does",
        .threads = {{.id = MAIN, .is_main = true},
                    {.id = OTHER, WAITS_AT(THERE, SC_WAIT_LOCK), .blocked_since_ns = NOW}},
        .creator_id = MAIN),
    ROW(.name = "another one's wait is another's, though it began later",
        .threads = {{.id = OTHER, WAITS_AT(THERE, SC_WAIT_LOCK), .blocked_since_ns = NOW},
                    {.id = MAIN, .is_main = true, WAITS_AT(HERE, SC_WAIT_LOCK)}},
        .creator_id = MAIN, .line = HERE),
    ROW(.name = "of a thread that a pool's own thread began, who began that",
        .threads = {{.id = MAIN, .is_main = true, WAITS_AT(HERE, SC_WAIT_LOCK)},
                    {.id = HELPER, .creator_id = MAIN, WAITS_AT(0, SC_WAIT_LOCK)}},
        .creator_id = HELPER, .line = HERE),
    ROW(.name = "the nearest one, not who waits for that",
        .threads = {{.id = MAIN, .is_main = true, WAITS_AT(THERE, SC_WAIT_LOCK)},
                    {.id = HELPER, .creator_id = MAIN, WAITS_AT(HERE, SC_WAIT_LOCK)}},
        .creator_id = HELPER, .line = HERE),
    ROW(.name = "also while that one runs",
        .threads = {{.id = MAIN, .is_main = true, WAITS_AT(THERE, SC_WAIT_LOCK)},
                    {.id = HELPER, .creator_id = MAIN, .has_line = true}},
        .creator_id = HELPER),
    ROW(.name = "one that is over began nothing that is known, so the last to wait",
        .threads = {{.id = OTHER, WAITS_AT(THERE, SC_WAIT_LOCK), .blocked_since_ns = BEGUN},
                    {.id = HELPER, .ended = true, WAITS_AT(WAITING, SC_WAIT_LOCK)},
                    {.id = MAIN, WAITS_AT(HERE, SC_WAIT_OTHER), .blocked_since_ns = NOW}},
        .creator_id = HELPER, .line = HERE),
    ROW(.name = "a wait for input is then nobody's, nor is one at no line",
        .threads = {{.id = OTHER, WAITS_AT(THERE, SC_WAIT_IO)},
                    {.id = HELPER, WAITS_AT(0, SC_WAIT_LOCK)}}),
    ROW(.name = "threads that began each other are no more than a circle",
        .threads = {{.id = HELPER, .creator_id = OTHER}, {.id = OTHER, .creator_id = HELPER}},
        .creator_id = HELPER),
};

TEST(the_line_that_waits_is_found)
{
    FOR_EACH_ROW(row, line_rows) {
        struct sc_charge_thread books[3];
        for (size_t j = 0; j < 3; j++) {
            books[j] = row->threads[j];
            books[j].blocked_node = books[j].blocked ? WAITING : 0;
        }
        struct sc_charge_threads threads = {
            .first = books, .count = 3, .step_bytes = sizeof(books[0])};
        assert_int_equal(sc_charge_line_of_worker(&threads, row->creator_id), row->line);
    }
}
