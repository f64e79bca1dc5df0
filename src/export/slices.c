/* export/slices.c - see slices.h. SPDX-License-Identifier: Apache-2.0 */
#include "export/slices.h"

/* Times in a profile are rounded to microseconds: shorter gaps are none. */
#define GAP_NS 2000

void sc_export_slices(const struct sc_export_samples *samples,
                      const struct sc_timeline_thread *thread, sc_export_slice *slice,
                      void *context)
{
    SC_AUTO_FREE struct sc_export_stack open = {0}; /* functions */
    SC_AUTO_FREE struct sc_export_stack frames = {0};
    int64_t end_ns = 0;
    for (size_t i = 0; i <= thread->runs.count; i++) {
        bool is_end = i == thread->runs.count;
        const struct sc_run *run = is_end ? NULL : &thread->runs.items[i];
        int64_t start_ns = is_end ? INT64_MAX : sc_export_whole(run->start_s * 1e9);
        frames.count = 0;
        if (!is_end) {
            const struct sc_listed_stack *stack =
                &samples->stacks.lists[SC_STACKS_TIME].items[run->stack];
            sc_export_stack_of(samples, stack->node, &frames);
        }
        size_t same = 0;
        while (start_ns - end_ns <= GAP_NS && same < open.count && same < frames.count &&
               open.items[same] == samples->frames.items[frames.items[same]].function)
            same++;
        if (start_ns - end_ns <= GAP_NS && start_ns > end_ns)
            end_ns = start_ns;
        for (; open.count > same; open.count--)
            slice(context, end_ns, open.items[open.count - 1], false);
        if (is_end)
            break;
        start_ns = start_ns > end_ns ? start_ns : end_ns;
        for (size_t k = same; k < frames.count; k++) {
            sc_vec_push(&open, samples->frames.items[frames.items[k]].function);
            slice(context, start_ns, open.items[k], true);
        }
        int64_t run_end_ns = sc_export_whole(run->end_s * 1e9);
        end_ns = run_end_ns > start_ns ? run_end_ns : start_ns;
    }
}
