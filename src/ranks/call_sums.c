/*
 * ranks/call_sums.c - the trees of calls of many ranks as one.
 *
 * Texts of the sum are each there once, so that frames are compared by where their texts are.
 * Native frames are those of a function, wherever its library is loaded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/call_sums.h"

#include <math.h>

#include "ranks/cost_sums.h"

/* Ranks of one program have the same calls. What is beyond counts for its caller. */
#define NODES_MAX 200000U

static const char *keep(struct sc_profile *sum, const char *text)
{
    return text != NULL ? sc_intern_keep(&sum->texts, text) : NULL;
}

static uint32_t add_frame(struct sc_call_sums *sums, struct sc_profile *sum,
                          const struct sc_profile_frame *from, const char *file)
{
    struct sc_profile_frame frame = *from;
    frame.name = keep(sum, from->name);
    frame.file = keep(sum, file);
    frame.kind = keep(sum, from->kind);
    frame.role = keep(sum, from->role);
    uint64_t key = sc_mix((uintptr_t)frame.name, (uintptr_t)frame.file);
    key = sc_mix(sc_mix(key, frame.line), sc_mix((uintptr_t)frame.kind, (uintptr_t)frame.role));
    uint32_t at = sc_map_get(&sums->frames, key);
    if (at != SC_NONE)
        return at;
    sc_map_put(&sums->frames, key, (uint32_t)sum->call_frames.count);
    sc_vec_push(&sum->call_frames, frame);
    return (uint32_t)sum->call_frames.count - 1;
}

/* The number of a node, counted from 1; its caller's where there is no room. */
static uint32_t add_node(struct sc_call_sums *sums, struct sc_profile *sum, uint32_t parent,
                         uint32_t frame)
{
    uint64_t key = sc_mix(parent, frame);
    uint32_t at = sc_map_get(&sums->nodes, key);
    if (at != SC_NONE)
        return at;
    if (sum->call_tree.count >= NODES_MAX)
        return parent;
    sc_vec_push(&sum->call_tree, (struct sc_call_node){.parent = parent, .frame = frame});
    sc_vec_push(&sum->call_waiting_s, 0.0);
    sc_vec_push(&sum->call_at_peak_mb, 0.0);
    sc_vec_push(&sum->call_at_exit_mb, 0.0);
    sc_map_put(&sums->nodes, key, (uint32_t)sum->call_tree.count);
    return (uint32_t)sum->call_tree.count;
}

static double number_of(const double *numbers, size_t count, size_t at)
{
    return at < count ? numbers[at] : 0.0;
}

void sc_call_sums_add(struct sc_call_sums *sums, struct sc_profile *sum,
                      const struct sc_profile *profile,
                      const char *(*name_of)(void *context, const char *name), void *context)
{
    size_t frame_count = profile->call_frames.count;
    size_t count = profile->call_tree.count;
    SC_AUTO_FREE uint32_t *frames = sc_alloc(frame_count + 1, sizeof(*frames));
    SC_AUTO_FREE uint32_t *nodes = sc_alloc(count + 1, sizeof(*nodes));
    for (size_t i = 0; i < frame_count; i++) {
        const struct sc_profile_frame *frame = &profile->call_frames.items[i];
        const char *file = frame->file != NULL ? name_of(context, frame->file) : NULL;
        frames[i] = add_frame(sums, sum, frame, file);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sc_call_node *node = &profile->call_tree.items[i];
        uint32_t parent = node->parent <= i ? nodes[node->parent] : 0;
        uint32_t at =
            node->frame < frame_count ? add_node(sums, sum, parent, frames[node->frame]) : parent;
        nodes[i + 1] = at;
        if (at == parent)
            sums->folded_s += node->self_s;
        if (at == 0)
            continue;
        sum->call_tree.items[at - 1].self_s += node->self_s;
        sum->call_tree.items[at - 1].self_mb += node->self_mb;
        sum->call_waiting_s.items[at - 1] +=
            number_of(profile->call_waiting_s.items, profile->call_waiting_s.count, i);
        sum->call_at_peak_mb.items[at - 1] +=
            number_of(profile->call_at_peak_mb.items, profile->call_at_peak_mb.count, i);
        sum->call_at_exit_mb.items[at - 1] +=
            number_of(profile->call_at_exit_mb.items, profile->call_at_exit_mb.count, i);
    }
    sums->folded_s += profile->call_tree_folded_percent / 100.0 * sc_time_sum(profile->time_s);
}

void sc_call_sums_finish(struct sc_call_sums *sums, struct sc_profile *sum)
{
    double whole_s = sc_time_sum(sum->time_s);
    double listed_s = 0.0;
    for (size_t i = 0; i < sum->call_tree.count; i++)
        listed_s += sum->call_tree.items[i].self_s;
    if (whole_s <= 0.0)
        return;
    sum->call_tree_percent = fmin(100.0, 100.0 * listed_s / whole_s);
    sum->call_tree_folded_percent = fmin(100.0, 100.0 * sums->folded_s / whole_s);
}

void sc_call_sums_done(struct sc_call_sums *sums)
{
    sc_map_done(&sums->frames);
    sc_map_done(&sums->nodes);
}
