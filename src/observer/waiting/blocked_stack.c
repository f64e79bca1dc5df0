/* observer/waiting/blocked_stack.c - see blocked_stack.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/waiting/blocked_stack.h"

#include "observer/sample/callers.h"

/* Callers read for one wait. Between the call that blocks and the evaluation loop there are seldom
 * more than twenty. */
#define CALLERS_MAX 64

/* Bounds the time of a poll: when more threads than this block in new places at once, the others
 * are looked at in later ones. */
#define FINDS_PER_POLL 32U

/* Nodes kept at most, for a program that always waits in new places. */
#define NODES_MAX ((size_t)1 << 16)

void sc_blocked_stacks_done(struct sc_blocked_stacks *stacks)
{
    sc_map_done(&stacks->nodes);
    stacks->nodes = (struct sc_map){0};
}

/* Whether this poll has time to look for another stack. */
static bool may_find(struct sc_process *process)
{
    struct sc_blocked_stacks *stacks = &process->stacks.blocked;
    if (stacks->polled_ns != process->gap.polled_ns)
        stacks->found_in_poll = 0;
    stacks->polled_ns = process->gap.polled_ns;
    return stacks->found_in_poll++ < FINDS_PER_POLL;
}

/* Nodes found before with the modules that are loaded now. */
static struct sc_map *known_nodes(struct sc_process *process)
{
    struct sc_blocked_stacks *stacks = &process->stacks.blocked;
    uint64_t generation = sc_modules_generation(sc_classifier_modules(process->classifier));
    if (stacks->generation != generation || stacks->nodes.count >= NODES_MAX)
        sc_blocked_stacks_done(stacks);
    stacks->generation = generation;
    return &stacks->nodes;
}

uint32_t sc_stopped_stack(struct sc_process *process, pid_t tid, const struct sc_sent_stack *python,
                          const struct sc_registers *registers, bool *ret_may_grow)
{
    uint32_t node = sc_stack_of(process, python);
    bool has_python = python->frame_count > 0;
    *ret_may_grow = false;
    if ((node == 0 && has_python) || registers->pc == 0 || process->stacks.native.symbols == NULL ||
        process->classifier == NULL)
        return node;
    /* A thread at the same place of the same Python line, as high on its stack, has come there the
     * same way. */
    uint64_t key = sc_mix(sc_mix((uint64_t)tid, node),
                          sc_mix(registers->values[sc_machine.stack_column], registers->pc));
    uint32_t known = sc_map_get(known_nodes(process), key);
    if (known != SC_NONE)
        return known;
    bool may = may_find(process);
    struct sc_callers callers = {.count = 1, .addresses = {registers->pc}};
    if (may)
        sc_callers_find(process, &process->stacks.target, *registers, CALLERS_MAX, has_python,
                        &callers);
    struct sc_sent_stack whole = *python;
    whole.addresses = callers.addresses;
    whole.address_count = callers.count;
    whole.flags |= SC_SAMPLE_IN_SYSTEM_CALL;
    node = has_python ? sc_stack_of(process, &whole) : sc_stack_below(process, &whole, 0);
    *ret_may_grow = !may || callers.is_late;
    if (!*ret_may_grow)
        sc_map_put(known_nodes(process), key, node);
    return node;
}

uint32_t sc_blocked_stack(struct sc_process *process, pid_t tid, const struct sc_sent_stack *python,
                          const struct sc_blocked *blocked, bool *ret_may_grow)
{
    struct sc_registers registers = {0};
    if (blocked != NULL) {
        registers.pc = blocked->instruction;
        registers.values[sc_machine.stack_column] = blocked->stack;
        registers.known = 1U << sc_machine.stack_column;
    }
    return sc_stopped_stack(process, tid, python, &registers, ret_may_grow);
}
