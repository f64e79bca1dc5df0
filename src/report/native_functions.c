/* report/native_functions.c - see native_functions.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/native_functions.h"

#include <string.h>

#include "base/libraries.h"
#include "base/sort.h"
#include "base/str.h"
#include "report/number.h"

/* Whether the time of the frame is its caller's. */
static bool is_callers(const struct sc_stacks *stacks, const struct sc_frame *frame)
{
    const char *name = sc_intern_text(&stacks->texts, frame->name);
    const char *path = sc_intern_text(&stacks->texts, frame->path);
    return frame->kind != SC_FRAME_NATIVE || name[0] == '[' || sc_is_interpreter_file(path) ||
           sc_is_runtime_library(path);
}

/* The function that a stack's time is charged to; SC_NONE: Python's, or the interpreter's. */
static uint32_t function_of(const struct sc_stacks *stacks, uint32_t node)
{
    const struct sc_trie *trie = &stacks->tries[SC_GRAIN_LINE];
    for (; node != 0; node = trie->nodes.items[node].parent) {
        uint32_t frame = trie->nodes.items[node].frame;
        if (sc_frame_is_python(&stacks->frames.items[frame]))
            return SC_NONE;
        if (!is_callers(stacks, &stacks->frames.items[frame]))
            return frame;
    }
    return SC_NONE;
}

SC_ORDERED_BY(compare, struct sc_native_function, SC_FALLING(percent), strcmp(a->name, b->name));

void sc_native_functions_find(struct sc_native_functions *ret, const struct sc_stacks *stacks,
                              double total_s, double least_percent)
{
    *ret = (struct sc_native_functions){0};
    if (!stacks->is_timed || total_s <= 0.0)
        return;
    double *seconds = sc_alloc(stacks->frames.count + 1, sizeof(*seconds));
    for (size_t i = 0; i < stacks->lists[SC_STACKS_TIME].count; i++) {
        const struct sc_listed_stack *stack = &stacks->lists[SC_STACKS_TIME].items[i];
        uint32_t frame = function_of(stacks, stack->node);
        if (frame != SC_NONE)
            seconds[frame] += sc_clamp(stack->weight, 0.0, 1e10);
    }
    for (size_t i = 0; i < stacks->frames.count; i++) {
        const struct sc_frame *frame = &stacks->frames.items[i];
        double percent = 100.0 * seconds[i] / total_s;
        if (percent >= least_percent)
            sc_vec_push(ret, ((struct sc_native_function){
                                 .name = sc_intern_text(&stacks->texts, frame->name),
                                 .module = sc_intern_text(&stacks->texts, frame->path),
                                 .percent = percent}));
    }
    free(seconds);
    sc_vec_sort(ret, compare);
}
