/* export/parts.c - see parts.h. SPDX-License-Identifier: Apache-2.0 */
#include "export/parts.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

SC_ORDERED_BY(by_node, struct sc_export_part, SC_RISING(node), SC_RISING(thread));

/* What each thread has in each node, still as weights of runs. Threads of one name are one, as
 * readers tell them apart by it. */
static void add_runs(struct sc_export_parts *parts, const struct sc_export_samples *samples,
                     const struct sc_timeline_view *view, double *sums)
{
    SC_AUTO(sc_intern_done) struct sc_intern names = {0};
    SC_AUTO(sc_map_done) struct sc_map known = {0};
    for (uint32_t i = 0; i < view->threads.count; i++) {
        const struct sc_timeline_thread *thread = &view->threads.items[i];
        uint32_t name = sc_intern_add(&names, thread->name, strlen(thread->name));
        SC_EACH(const struct sc_run, run, &thread->runs) {
            uint32_t node = samples->stacks.lists[SC_STACKS_TIME].items[run->stack].node;
            uint64_t key = (uint64_t)node << 32 | name;
            uint32_t at = sc_map_get(&known, key);
            if (at == SC_NONE) {
                at = (uint32_t)parts->count;
                sc_map_put(&known, key, at);
                sc_vec_push(parts, (struct sc_export_part){node, i, 0});
            }
            parts->items[at].share += run->weight;
            sums[node] += run->weight;
        }
    }
}

void sc_export_parts_init(struct sc_export_parts *parts, const struct sc_export_samples *samples,
                          const struct sc_timeline_view *view)
{
    *parts = (struct sc_export_parts){0};
    const double *time = samples->self[SC_EXPORT_TIME];
    SC_AUTO_FREE double *sums = sc_alloc(samples->nodes.count, sizeof(*sums));
    if (time != NULL)
        add_runs(parts, samples, view, sums);
    double unit = samples->is_timed ? 1e9 : 1;
    for (size_t i = 0; time != NULL && i < parts->count; i++) {
        struct sc_export_part *part = &parts->items[i];
        double whole = fmax(sums[part->node] * unit, time[part->node]);
        part->share = whole > 0 ? part->share * unit / whole : 0;
    }
    for (uint32_t node = 1; node < samples->nodes.count; node++)
        sc_vec_push(parts, (struct sc_export_part){node, SC_NONE, 0});
    sc_vec_sort(parts, by_node);
}

int64_t sc_export_part_value(const struct sc_export_samples *samples,
                             const struct sc_export_parts *parts, size_t at,
                             enum sc_export_value value)
{
    const struct sc_export_part *part = &parts->items[at];
    int64_t left = sc_export_self(samples, value, part->node);
    bool is_by_thread = value == SC_EXPORT_TIME || value == SC_EXPORT_WAITING;
    if (part->thread != SC_NONE && !is_by_thread)
        return 0;
    int64_t whole = left;
    /* rounded shares need not sum up to the whole: each takes of what is left */
    while (is_by_thread && at > 0 && parts->items[at - 1].node == part->node)
        at--;
    for (;; at++) {
        const struct sc_export_part *one = &parts->items[at];
        int64_t its = one->thread == SC_NONE ? left : sc_export_whole((double)whole * one->share);
        its = its < left ? its : left;
        if (one == part || one->thread == SC_NONE)
            return its;
        left -= its;
    }
}
