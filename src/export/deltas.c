/* export/deltas.c - see deltas.h. SPDX-License-Identifier: Apache-2.0 */
#include "export/deltas.h"

#include <string.h>

struct sc_export_taken {
    uint32_t parent;
    int64_t of[SC_EXPORT_COUNT_];
};

/* Texts are numbers of the table's. A line alone has no name: a later profile may know the function
 * around it, which had cost nothing before. */
struct stack_key {
    uint32_t parent;
    uint32_t name;
    uint32_t path;
    uint32_t kind;
    uint32_t line;
};

static uint32_t number_of(struct sc_export_deltas *deltas, const struct stack_key *key)
{
    uint32_t number = sc_intern_add(&deltas->stacks, (const char *)key, sizeof(*key));
    if (number == deltas->taken.count)
        sc_vec_push(&deltas->taken, (struct sc_export_taken){.parent = key->parent});
    return number;
}

/* The number of each node's stack. A caller's is smaller than those of what it calls. Freed by the
 * caller. */
static uint32_t *number_stacks(struct sc_export_deltas *deltas,
                               const struct sc_export_samples *samples)
{
    uint32_t *numbers = sc_alloc(samples->nodes.count, sizeof(*numbers));
    const struct stack_key root = {.kind = UINT32_MAX};
    numbers[0] = number_of(deltas, &root);
    for (size_t i = 1; i < samples->nodes.count; i++) {
        const struct sc_export_node *node = &samples->nodes.items[i];
        const struct sc_export_frame *frame = &samples->frames.items[node->frame];
        const struct sc_export_function *function = &samples->functions.items[frame->function];
        const char *name = node->is_line ? "" : function->name;
        const struct stack_key key = {
            numbers[node->parent], sc_intern_add(&deltas->texts, name, strlen(name)),
            sc_intern_add(&deltas->texts, function->path, strlen(function->path)),
            (uint32_t)function->kind, frame->line};
        numbers[i] = number_of(deltas, &key);
    }
    return numbers;
}

/* Evens out what is below 0: first with the callers, then with any. */
static void settle(const struct sc_export_deltas *deltas, int64_t *more)
{
    size_t count = deltas->taken.count;
    for (size_t i = count - 1; i > 0; i--) {
        if (more[i] < 0) {
            more[deltas->taken.items[i].parent] += more[i];
            more[i] = 0;
        }
    }
    int64_t owed = -more[0];
    more[0] = 0;
    for (size_t i = 1; i < count && owed > 0; i++) {
        int64_t part = more[i] < owed ? more[i] : owed;
        more[i] -= part;
        owed -= part;
    }
}

static void take_value(struct sc_export_deltas *deltas, struct sc_export_samples *samples,
                       enum sc_export_value value, const uint32_t *numbers)
{
    size_t count = deltas->taken.count;
    SC_AUTO_FREE int64_t *more = sc_alloc(count, sizeof(*more));
    bool has_any = false;
    for (uint32_t node = 1; node < samples->nodes.count; node++)
        more[numbers[node]] += sc_export_self(samples, value, node);
    for (size_t i = 1; i < count; i++)
        more[i] -= deltas->taken.items[i].of[value];
    settle(deltas, more);
    for (size_t i = 1; i < count; i++)
        deltas->taken.items[i].of[value] += more[i];
    for (size_t node = 1; samples->self[value] != NULL && node < samples->nodes.count; node++) {
        int64_t *its = &more[numbers[node]];
        samples->self[value][node] = (double)*its;
        has_any = has_any || *its > 0;
        *its = 0; /* of two nodes with one stack, the first has it */
    }
    if (!has_any) {
        free(samples->self[value]);
        samples->self[value] = NULL;
    }
}

static void mark_used(struct sc_export_samples *samples)
{
    SC_AUTO_FREE bool *has_any = sc_alloc(samples->nodes.count, sizeof(*has_any));
    for (size_t i = 0; i < samples->frames.count; i++)
        samples->frames.items[i].is_used = false;
    for (size_t node = samples->nodes.count - 1; node > 0; node--) {
        for (int value = 0; value < SC_EXPORT_COUNT_; value++)
            has_any[node] |= samples->self[value] != NULL && samples->self[value][node] > 0;
        has_any[samples->nodes.items[node].parent] |= has_any[node];
        samples->frames.items[samples->nodes.items[node].frame].is_used |= has_any[node];
    }
}

/* Time without waiting. Of time and its part, each with what it owes, a part could be more than the
 * whole. */
static void split_time(struct sc_export_samples *samples)
{
    double *time = samples->self[SC_EXPORT_TIME];
    for (uint32_t node = 1; time != NULL && node < samples->nodes.count; node++) {
        int64_t ns = sc_export_self(samples, SC_EXPORT_TIME, node) -
                     sc_export_self(samples, SC_EXPORT_WAITING, node);
        time[node] = (double)(ns > 0 ? ns : 0);
    }
}

static void join_time(struct sc_export_samples *samples)
{
    const double *waiting = samples->self[SC_EXPORT_WAITING];
    if (waiting == NULL)
        return;
    if (samples->self[SC_EXPORT_TIME] == NULL)
        samples->self[SC_EXPORT_TIME] = sc_alloc(samples->room, sizeof(double));
    for (size_t node = 1; node < samples->nodes.count; node++)
        samples->self[SC_EXPORT_TIME][node] += waiting[node];
}

void sc_export_deltas_take(struct sc_export_deltas *deltas, struct sc_export_samples *samples)
{
    SC_AUTO_FREE uint32_t *numbers = number_stacks(deltas, samples);
    split_time(samples);
    free(samples->self[SC_EXPORT_AT_PEAK]);
    samples->self[SC_EXPORT_AT_PEAK] = NULL;
    for (int value = 0; value < SC_EXPORT_COUNT_; value++) {
        if (value != SC_EXPORT_AT_PEAK && value != SC_EXPORT_AT_EXIT)
            take_value(deltas, samples, (enum sc_export_value)value, numbers);
    }
    join_time(samples);
    mark_used(samples);
}

void sc_export_deltas_done(struct sc_export_deltas *deltas)
{
    sc_intern_done(&deltas->texts);
    sc_intern_done(&deltas->stacks);
    sc_vec_done(&deltas->taken);
}
