/*
 * report/advice_waits.c - rules on what keeps others waiting, and on exceptions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/advice.h"
#include "report/blocking_calls.h"
#include "report/number.h"

/* Of the run: a coroutine that computes longer than this without awaiting keeps all others back. */
#define COMPUTES_MIN_PERCENT 15.0

/* Of the run: a handler that takes less runs seldom, or is not what costs. */
#define HANDLER_MIN_PERCENT 5.0

/* Of the elapsed time, summed over threads, and in seconds: less is not worth another order of
 * work. */
#define LOCK_MIN_SHARE 0.3
#define LOCK_MIN_S     0.1

/* Of the time that all tasks wait. */
#define TASKS_MIN_PERCENT 30.0

/* Whether the text starts more than one task. */
static bool has_tasks(const struct sc_code *code)
{
    static const char starters[] =
        "gather create_task TaskGroup start_server ensure_future as_completed start_soon wait";
    for (size_t i = 0; i < code->calls.count; i++) {
        const char *name = sc_code_call_name(code, &code->calls.items[i]);
        if (sc_is_among(sc_after_last(name, '.'), starters))
            return true;
    }
    return false;
}

static bool awaits(const struct sc_spot *spot)
{
    const struct sc_statement *statement = sc_spot_statement(spot);
    if (statement->is_async)
        return true;
    for (uint32_t i = statement->first; i < statement->end; i++) {
        if (sc_code_is(spot->code, i, "await"))
            return true;
    }
    return false;
}

static void advise_blocking(const struct sc_spot *spot, uint32_t coroutine, const char *what,
                            const char *instead)
{
    const struct sc_code *code = spot->code;
    uint32_t id = sc_code_name_of(code, coroutine);
    const char *name = id != SC_NONE ? sc_intern_text(&code->texts, id) : "a coroutine";
    SC_AUTO_FREE char *key = sc_format("%s in %u", what, coroutine);
    double waits = 100.0 * spot->kinds[SC_KIND_SYSTEM] / fmax(spot->percent, 0.001);
    sc_advise(spot, "blocking_in_coroutine", spot->percent, key,
              sc_format("keeps the event loop in %s within the coroutine %s, so no other task runs "
                        "meanwhile",
                        what, name),
              sc_format("Instead, %s.", sc_blocking_instead_in(code, instead)),
              sc_format("%s of this line's time is waiting; it runs in the thread of the event "
                        "loop and does not await",
                        waits >= 0.5 ? sc_number_percent(waits).text : "none"));
}

/* Whether the time is that of processes which the statement has forked: they run beside the loop.
 */
static bool is_of_forked(const struct sc_spot *spot)
{
    return sc_spot_callee_percent(spot, NULL) > 0.5 * spot->percent;
}

static void find_blocking(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    uint32_t coroutine = sc_code_coroutine(code, spot->statement);
    if (coroutine == SC_NONE || is_of_forked(spot))
        return;
    const char *instead;
    const struct sc_call *call = sc_blocking_call_in(code, spot->statement, &instead);
    if (call != NULL) {
        SC_AUTO_FREE char *what = sc_spot_text(spot, call->first, call->open);
        advise_blocking(spot, coroutine, what, instead);
        return;
    }
    bool computes =
        spot->kinds[SC_KIND_SYSTEM] < 0.2 * spot->percent && spot->percent >= COMPUTES_MIN_PERCENT;
    if (computes && !awaits(spot) && has_tasks(code))
        advise_blocking(spot, coroutine, "a computation", sc_blocking_computation_instead());
}

/* A statement in a try whose handler takes time, too: so the statement raises often. What is saved
 * is at most the statement's time: raising is part of it. */
static void find_exceptions(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    uint32_t attempt = statement->parent;
    if (attempt == SC_NONE || code->statements.items[attempt].kind != SC_STATEMENT_TRY)
        return;
    struct sc_repeat repeat = sc_code_repeat(code, attempt, statement->first);
    uint32_t except = code->statements.items[attempt].block_end;
    if (!repeat.is_repeated || except >= code->statements.count ||
        code->statements.items[except].kind != SC_STATEMENT_EXCEPT)
        return;
    const struct sc_statement *handler = &code->statements.items[except];
    double handled = sc_spot_lines_percent(spot, handler->first_line, handler->block_end_line);
    if (handled < HANDLER_MIN_PERCENT)
        return;
    SC_AUTO_FREE char *what = handler->end > handler->first + 2
                                  ? sc_spot_text(spot, handler->first + 1, handler->end - 1)
                                  : sc_strdup("an exception");
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &repeat);
    SC_AUTO_FREE char *key = sc_format("%u", attempt);
    sc_advise(
        spot, "exceptions_as_flow", spot->percent, key,
        sc_format("raises %s often%s, which costs more than a test", what, loop),
        sc_strdup("Test for the frequent case first (in, dict.get, isinstance, getattr with a "
                  "default); try is free only while nothing is raised."),
        sc_format("the lines of its handler (%u-%u) take %s of the run, so it runs often",
                  handler->first_line, handler->block_end_line, sc_number_percent(handled).text));
}

/* Whether "with" takes what it makes or names: a group of tasks, a pool, a connection. Its end may
 * wait, but it is no lock that others hold. */
static bool makes_something(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    for (uint32_t i = statement->first; i < statement->end; i++) {
        if (sc_code_is(code, i, "as"))
            return true;
    }
    return statement->is_async && sc_code_call_in(code, spot->statement, NULL) != NULL;
}

/* The lock of "with x:" and "x.acquire()", or "" */
static char *lock_of(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    if (statement->kind == SC_STATEMENT_WITH) {
        uint32_t first = statement->first + (statement->is_async ? 2 : 1);
        return first + 1 < statement->end && !makes_something(spot)
                   ? sc_spot_text(spot, first, statement->end - 1)
                   : sc_strdup("");
    }
    SC_EACH_CALL(call, code, spot->statement) {
        if (sc_ends_with(sc_code_call_name(code, call), ".acquire") &&
            call->open >= call->first + 3)
            return sc_spot_text(spot, call->first, call->open - 2);
    }
    return sc_strdup("");
}

/* Where the time goes between the line that takes a lock and the end of its function or block; 0:
 * nowhere, or a task may await there, which takes none. */
static uint32_t busiest_behind(const struct sc_spot *spot, uint32_t last)
{
    uint32_t most = 0;
    double share = 0.0;
    for (uint32_t n = sc_spot_statement(spot)->last_line + 1;
         n <= last && n <= spot->file->lines.count; n++) {
        const struct sc_line *line = &spot->file->lines.items[n - 1];
        const struct sc_cost *cost = &line->cost;
        if (sc_spot_statement(spot)->is_async && line->text != NULL &&
            strstr(line->text, "await") != NULL)
            return 0;
        double here = fmax(sc_cost_time_percent(cost), cost->cumulative_percent);
        if (here > share) {
            share = here;
            most = n;
        }
    }
    return most;
}

/* Threads that wait at a lock are no part of the run's time, but of theirs. */
static void find_lock(const struct sc_spot *spot)
{
    const struct sc_code *code = spot->code;
    const struct sc_statement *statement = sc_spot_statement(spot);
    double elapsed_s = spot->report->overview.elapsed_s;
    double wait_s = sc_clamp(spot->cost->wait_s[SC_WAIT_LOCK], 0.0, 1e9);
    double tasks = statement->is_async ? spot->cost->async_await_percent : 0.0;
    bool waits = wait_s >= LOCK_MIN_SHARE * elapsed_s && wait_s >= LOCK_MIN_S;
    if (elapsed_s <= 0.0 || (!waits && tasks < TASKS_MIN_PERCENT))
        return;
    SC_AUTO_FREE char *lock = lock_of(spot);
    if (lock[0] == '\0')
        return;
    uint32_t last = statement->kind == SC_STATEMENT_WITH ? statement->block_end_line
                    : statement->function != SC_NONE
                        ? code->statements.items[statement->function].block_end_line
                        : statement->last_line;
    uint32_t holder = busiest_behind(spot, last);
    SC_AUTO_FREE char *held =
        holder != 0 ? sc_format(", most of it while line %u had it", holder) : sc_strdup("");
    struct sc_spot whole = *spot;
    whole.percent = waits ? fmin(100.0, 100.0 * wait_s / elapsed_s) : fmin(100.0, tasks);
    whole.error = 0.0;
    whole.is_wait = true;
    SC_AUTO_FREE char *how_long =
        waits ? sc_format("threads waited %s in all", sc_number_duration(wait_s).text)
              : sc_format("tasks spend %s of all their waiting", sc_number_percent(tasks).text);
    sc_advise(&whole, "lock_queue", whole.percent, lock,
              sc_format("is where %s for %s%s", how_long, lock, held),
              sc_strdup("Do what is slow before or behind the lock, hold it only to change what is "
                        "shared, or give each part a lock of its own."),
              sc_strdup("the wait was measured at the line that takes the lock, over all threads "
                        "or tasks"));
}

void sc_advise_waits(const struct sc_spot *spot)
{
    find_blocking(spot);
    find_exceptions(spot);
    find_lock(spot);
}
