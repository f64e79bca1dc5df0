/* costs/task_lanes.c - see task_lanes.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/task_lanes.h"

static void lane_done(struct sc_task_lane *lane)
{
    free(lane->name);
    sc_vec_done(&lane->runs);
}

void sc_task_lanes_done(struct sc_task_lanes *lanes)
{
    sc_vec_done_each(&lanes->all, lane_done);
    sc_map_done(&lanes->index);
}

static uint64_t index_key(pid_t pid, uint64_t key)
{
    return sc_mix((uint64_t)pid, key);
}

struct sc_task_lane *sc_task_lanes_find(struct sc_task_lanes *lanes, pid_t pid, uint64_t key)
{
    uint32_t at = sc_map_get(&lanes->index, index_key(pid, key));
    if (at == SC_NONE)
        return NULL;
    struct sc_task_lane *lane = &lanes->all.items[at];
    return lane->pid == pid && lane->key == key ? lane : NULL;
}

/* Nothing can be taken out of a map, so it is made anew now and then. */
static void put_index(struct sc_task_lanes *lanes, uint32_t at)
{
    if (lanes->indexed >= (size_t)8 * SC_TASK_LANES_MAX) {
        sc_map_done(&lanes->index);
        lanes->index = (struct sc_map){0};
        lanes->indexed = 0;
        for (uint32_t i = 0; i < lanes->all.count; i++, lanes->indexed++)
            sc_map_put(&lanes->index, index_key(lanes->all.items[i].pid, lanes->all.items[i].key),
                       i);
    }
    sc_map_put(&lanes->index, index_key(lanes->all.items[at].pid, lanes->all.items[at].key), at);
    lanes->indexed++;
}

/* A lane without runs is of a look that was cut short. */
static bool may_go(const struct sc_task_lane *lane, uint64_t now_ns)
{
    return !lane->is_waiting && lane->seen_node == SC_NONE &&
           (lane->runs.count == 0 ||
            lane->runs.items[lane->runs.count - 1].end_ns + SC_TASK_GONE_NS <= now_ns);
}

/* The place of the task that has waited least among those that may go; SC_NONE: none may. */
static uint32_t least_waited(const struct sc_task_lanes *lanes, uint64_t now_ns)
{
    uint32_t least = SC_NONE;
    for (uint32_t i = 0; i < lanes->all.count; i++) {
        const struct sc_task_lane *lane = &lanes->all.items[i];
        if (may_go(lane, now_ns) &&
            (least == SC_NONE || lane->wait_ns < lanes->all.items[least].wait_ns))
            least = i;
    }
    return least;
}

void sc_task_lanes_add(struct sc_task_lanes *lanes, pid_t pid, uint64_t key, const char *name,
                       uint32_t node, uint64_t now_ns)
{
    struct sc_task_lane lane = {.pid = pid, .key = key, .seen_node = node};
    uint32_t at = (uint32_t)lanes->all.count;
    if (at >= SC_TASK_LANES_MAX) {
        at = lanes->is_full ? SC_NONE : least_waited(lanes, now_ns);
        lanes->is_full = at == SC_NONE;
        lanes->is_cut = true;
        if (at == SC_NONE)
            return;
        lane_done(&lanes->all.items[at]);
    } else {
        sc_vec_push(&lanes->all, lane);
    }
    lane.name = sc_strdup(name);
    lanes->all.items[at] = lane;
    put_index(lanes, at);
}

size_t sc_lane_runs_merge(struct sc_lane_run *runs, size_t count, size_t slots)
{
    if (count == 0)
        return 0;
    uint64_t begin_ns = runs[0].begin_ns;
    uint64_t slot_ns = (runs[count - 1].end_ns - begin_ns) / slots + 1;
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        struct sc_lane_run *last = &runs[kept - 1];
        if ((runs[i].begin_ns - begin_ns) / slot_ns == (last->begin_ns - begin_ns) / slot_ns) {
            last->end_ns += runs[i].end_ns - runs[i].begin_ns; /* of what is between it ran */
            if (last->node != runs[i].node)
                last->node = SC_NONE;
        } else {
            runs[kept++] = runs[i];
        }
    }
    return kept;
}

static void extend(struct sc_task_lane *lane, uint64_t end_ns)
{
    struct sc_lane_run *run = &lane->runs.items[lane->runs.count - 1];
    if (end_ns > run->end_ns) {
        lane->wait_ns += end_ns - run->end_ns;
        run->end_ns = end_ns;
    }
}

static void begin_run(struct sc_task_lane *lane, uint64_t begin_ns, uint64_t end_ns, uint32_t node)
{
    if (lane->runs.count >= SC_LANE_RUNS_MAX)
        lane->runs.count =
            sc_lane_runs_merge(lane->runs.items, lane->runs.count, SC_LANE_RUNS_MAX / 2);
    sc_vec_push(&lane->runs, (struct sc_lane_run){begin_ns, end_ns, node});
    lane->wait_ns += end_ns - begin_ns;
}

void sc_task_lanes_charge(struct sc_task_lanes *lanes, pid_t pid, uint64_t last_ns, uint64_t now_ns)
{
    uint64_t half_ns = last_ns + (now_ns - last_ns) / 2;
    lanes->is_full = false;
    SC_EACH(struct sc_task_lane, lane, &lanes->all) {
        if (lane->pid != pid)
            continue;
        bool is_seen = lane->seen_node != SC_NONE;
        bool has_stayed = lane->is_waiting && is_seen &&
                          lane->runs.items[lane->runs.count - 1].node == lane->seen_node;
        if (lane->is_waiting)
            extend(lane, has_stayed ? now_ns : half_ns);
        if (is_seen && !has_stayed)
            begin_run(lane, half_ns, now_ns, lane->seen_node);
        lane->is_waiting = is_seen;
        lane->seen_node = SC_NONE;
    }
}

void sc_task_lanes_stay(struct sc_task_lanes *lanes, pid_t pid, uint64_t now_ns)
{
    SC_EACH(struct sc_task_lane, lane, &lanes->all)
        if (lane->pid == pid && lane->is_waiting)
            extend(lane, now_ns);
}

void sc_task_lanes_break(struct sc_task_lanes *lanes, pid_t pid)
{
    SC_EACH(struct sc_task_lane, lane, &lanes->all) {
        if (lane->pid == pid) {
            lane->is_waiting = false;
            lane->seen_node = SC_NONE;
        }
    }
}
