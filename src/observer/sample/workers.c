/* observer/sample/workers.c - see workers.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/workers.h"

#include <string.h>

#include "base/str.h"
#include "observer/charge/line_of_worker.h"
#include "observer/process/threads.h"
#include "observer/sample/books.h"
#include "observer/sample/outside.h"
#include "observer/sample/stack.h"

/* Costs are held for so long; after that, they are those of a library's thread that works beside
 * the program, and are charged to no line. */
#define HELD_NS 5000000000U

/* The innermost node in scope, or 0. */
static uint32_t line_of(const struct sc_process *process, uint32_t node)
{
    uint32_t owner = sc_owner_of(process->owners, node);
    return owner != SC_NONE ? owner : 0;
}

/* Thread.start waits until the new thread runs, not for what that does. Before Python 3.11 names of
 * code are without their class. */
static bool is_start_of_thread(const char *name)
{
    return sc_is_among(name, "Thread.start start");
}

/* What the innermost Python functions of a stack do, where they are threading's. */
enum threading_activity { OTHER_CODE, WAITS_FOR_OTHERS, STARTS_THREAD };

static enum threading_activity threading_activity(const struct sc_process *process, uint32_t node)
{
    const struct sc_collect *collect = process->collect;
    enum threading_activity part = OTHER_CODE;
    for (uint32_t python = sc_stack_python_part(collect, node); python != 0;
         python = sc_stack_python_part(collect, collect->nodes.items[python].parent)) {
        const struct sc_code *code = &collect->codes.items[collect->nodes.items[python].code];
        if (!sc_ends_with(sc_intern_text(&collect->names, code->file), "/threading.py"))
            break;
        if (is_start_of_thread(sc_intern_text(&collect->names, code->qualified_name)))
            return STARTS_THREAD;
        part = WAITS_FOR_OTHERS;
    }
    return part;
}

/* Notes at which line the thread waits for the work of others, if it waits at node. */
static void note_place(struct sc_process *process, struct sc_charge_thread *thread, uint32_t node)
{
    enum threading_activity part = threading_activity(process, node);
    uint32_t line = line_of(process, node);
    thread->has_line = thread->has_line || line != 0;
    thread->waits_by_call = part == WAITS_FOR_OTHERS;
    thread->blocked_line = part == STARTS_THREAD ? 0 : line;
}

/* Determines where a blocked thread waits only when that is needed: for most programs never. */
static void note_place_if_needed(struct sc_process *process, struct sc_charge_thread *thread)
{
    if (!thread->ended && thread->blocked && thread->blocked_line == SC_NONE)
        note_place(process, thread, thread->blocked_node);
}

/* Mostly the creator waits itself: then the others are not looked at, which may be thousands. */
static uint32_t find_line(struct sc_process *process, uint32_t creator_id)
{
    struct sc_watched_thread *creator = sc_process_find_thread(process, (pid_t)creator_id);
    if (creator != NULL) {
        note_place_if_needed(process, &creator->charge);
        uint32_t line = sc_charge_line_of_waiter(&creator->charge);
        if (line != 0)
            return line;
    }
    for (size_t i = 0; i < process->threads.count; i++)
        note_place_if_needed(process, &process->threads.items[i].charge);
    struct sc_charge_threads threads = sc_books_thread_list(process);
    return sc_charge_line_of_worker(&threads, creator_id);
}

/* Where workers keep all CPUs busy, the thread that waits for them is woken by each result and then
 * waits for a CPU: no look finds it blocked. Its stack is read from outside. */
static void look_at_runnable(struct sc_process *process, uint32_t creator_id)
{
    for (size_t i = 0; i < process->threads.count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        struct sc_outside seen;
        if (thread->charge.id != creator_id || thread->charge.ended || !thread->charge.runnable ||
            thread->charge.blocked_line != SC_NONE)
            continue;
        (void)sc_outside_read(process, thread, NULL, &seen);
        note_place(process, &thread->charge, seen.node);
    }
}

/* The node below the root that holds a stack's costs until a line of that creator waits for
 * them. Where creators are not known, those of one process are taken together. */
static uint32_t hold(struct sc_process *process, uint32_t creator_id, uint32_t node)
{
    struct sc_worker_costs *all = &process->worker_costs;
    uint32_t owner = creator_id != 0 ? creator_id : UINT32_MAX - process->serial;
    uint32_t held = sc_collect_worker(process->collect, 0, owner, node);
    if (sc_map_get(&all->index, held) == SC_NONE) {
        sc_map_put(&all->index, held, (uint32_t)all->costs.count);
        sc_vec_push(&all->costs, (struct sc_worker_cost){.creator_id = creator_id,
                                                         .own_node = node,
                                                         .held_node = held,
                                                         .since_ns = process->gap.polled_ns});
    }
    return held;
}

uint32_t sc_workers_node(struct sc_process *process, struct sc_watched_thread *thread,
                         uint32_t node)
{
    if (process->owners == NULL || thread->charge.is_main ||
        sc_stack_python_part(process->collect, node) == 0)
        return node;
    if (line_of(process, node) != 0) {
        thread->charge.has_line = true;
        return node;
    }
    uint32_t creator_id = thread->charge.creator_id;
    uint32_t line = find_line(process, creator_id);
    if (line == 0)
        return hold(process, creator_id, node);
    sc_map_put(&process->worker_costs.last, creator_id, line);
    return sc_collect_worker(process->collect, line, 0, node);
}

static void replace_node(const struct sc_map *moved, uint32_t *node)
{
    uint32_t to = sc_map_get(moved, *node);
    if (to != SC_NONE)
        *node = to;
}

/* Makes later charges of threads to the old nodes go to the new ones: of all that were moved at
 * once, since there may be thousands of threads. */
static void replace_nodes(struct sc_process *process, const struct sc_map *moved)
{
    for (size_t i = 0; i < process->threads.count && moved->count > 0; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        if (thread->charge.ended)
            continue;
        replace_node(moved, &thread->charge.sampled_node);
        for (size_t k = 0; k < thread->charge.recent.count; k++)
            replace_node(moved, &thread->charge.recent.parts[k].node);
        for (size_t k = 0; k < thread->held.list.count; k++)
            replace_node(moved, &thread->held.list.items[k].sample.node);
    }
}

static void move(struct sc_process *process, struct sc_map *moved, uint32_t from, uint32_t to)
{
    sc_collect_move(process->collect, from, to);
    if (process->young != NULL)
        sc_charge_young_lead(process->young, from, to);
    sc_map_put(moved, from, to);
}

static void give(struct sc_process *process, struct sc_map *moved,
                 const struct sc_worker_cost *cost, uint32_t line)
{
    sc_map_put(&process->worker_costs.last, cost->creator_id, line);
    move(process, moved, cost->held_node,
         sc_collect_worker(process->collect, line, 0, cost->own_node));
}

void sc_workers_assign_costs(struct sc_process *process, uint64_t now_ns)
{
    struct sc_worker_costs *all = &process->worker_costs;
    SC_AUTO(sc_map_done) struct sc_map moved = {0};
    size_t kept = 0;
    uint32_t creator_id = 0;
    uint32_t line = 0;
    for (size_t i = 0; i < all->costs.count; i++) {
        struct sc_worker_cost cost = all->costs.items[i];
        if (i == 0 || cost.creator_id != creator_id) {
            creator_id = cost.creator_id;
            look_at_runnable(process, creator_id);
            line = find_line(process, creator_id);
        }
        if (line != 0)
            give(process, &moved, &cost, line);
        else if (now_ns < cost.since_ns + HELD_NS)
            all->costs.items[kept++] = cost;
        else
            move(process, &moved, cost.held_node, cost.own_node);
    }
    replace_nodes(process, &moved);
    if (kept == all->costs.count)
        return;
    all->costs.count = kept;
    sc_map_done(&all->index);
    all->index = (struct sc_map){0};
    for (size_t i = 0; i < kept; i++)
        sc_map_put(&all->index, all->costs.items[i].held_node, (uint32_t)i);
}

void sc_workers_end(struct sc_process *process)
{
    struct sc_worker_costs *all = &process->worker_costs;
    SC_AUTO(sc_map_done) struct sc_map moved = {0};
    SC_EACH(const struct sc_worker_cost, cost, &all->costs) {
        uint32_t line = sc_map_get(&all->last, cost->creator_id);
        if (line != SC_NONE)
            give(process, &moved, cost, line);
        else
            move(process, &moved, cost->held_node, cost->own_node);
    }
    sc_vec_done(&all->costs);
    sc_map_done(&all->index);
    sc_map_done(&all->last);
    *all = (struct sc_worker_costs){0};
}
