/*
 * observer/waiting/blocked_stack.c - the native part of the stack of a thread that is blocked, read
 * from outside.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/blocked_stack.h"

#include "observer/process/process.h"
#include "observer/sample/stack.h"
#include "observer/stack/native.h"
#include "unwind/record.h"

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

static enum sc_symbols_row find_row(struct sc_process *process, uint64_t instruction,
                                    struct sc_unwind_row *ret_row)
{
    struct sc_modules *modules = sc_classifier_modules(process->classifier);
    const struct sc_mapping *mapping = sc_modules_find(modules, instruction);
    if (mapping == NULL || !sc_native_add_file(&process->native, modules, mapping))
        return SC_SYMBOLS_NO_ROW;
    return sc_symbols_row(process->native.symbols, mapping->path,
                          mapping->file_offset + (instruction - mapping->start), ret_row);
}

/* Turns the callee's registers into the caller's, as far as they are known; false when the return
 * address is not. *ret_is_late: the unwind records are still being read. */
static bool to_caller(struct sc_process *process, struct sc_registers *registers, bool innermost,
                      bool *ret_is_late)
{
    struct sc_unwind_step step = {0};
    uint64_t frame;
    enum sc_symbols_row found = find_row(process, registers->pc - !innermost, &step.row);
    *ret_is_late = found == SC_SYMBOLS_ROW_LATER;
    return found == SC_SYMBOLS_ROW && sc_unwind_frame(&step, &process->target, registers, &frame) &&
           sc_unwind_caller(&step, &process->target, frame, innermost, registers) ==
               SC_CALLER_FOUND;
}

static bool is_in_loop(const struct sc_interpreter_facts *facts, uint64_t address)
{
    for (uint32_t i = 0; i < facts->eval_range_count; i++) {
        if (address >= facts->eval_ranges[i].start && address < facts->eval_ranges[i].end)
            return true;
    }
    return false;
}

/* Return addresses, innermost first, up to the evaluation loop or as far as they can be found; a
 * later call may find more when *ret_is_late is set. Where the evaluation loop is not known they
 * could be those of its callers: then only the first is returned. */
static uint32_t find_callers(struct sc_process *process, const struct sc_blocked *blocked,
                             uint64_t ret_addresses[CALLERS_MAX], bool *ret_is_late)
{
    struct sc_registers registers = {.pc = blocked->instruction};
    uint32_t count = 1;
    ret_addresses[0] = blocked->instruction;
    registers.values[sc_machine.stack_column] = blocked->stack;
    registers.known = 1U << sc_machine.stack_column;
    if (process->facts.eval_range_count == 0)
        return count;
    while (count < CALLERS_MAX && to_caller(process, &registers, count == 1, ret_is_late) &&
           !is_in_loop(&process->facts, registers.pc - 1))
        ret_addresses[count++] = registers.pc;
    return count;
}

/* Whether this poll has time to look for another stack. */
static bool may_find(struct sc_process *process)
{
    struct sc_blocked_stacks *stacks = &process->blocked_stacks;
    if (stacks->polled_ns != process->gap.polled_ns)
        stacks->found_in_poll = 0;
    stacks->polled_ns = process->gap.polled_ns;
    return stacks->found_in_poll++ < FINDS_PER_POLL;
}

/* Nodes found before with the modules that are loaded now. */
static struct sc_map *known_nodes(struct sc_process *process)
{
    struct sc_blocked_stacks *stacks = &process->blocked_stacks;
    uint64_t generation = sc_modules_generation(sc_classifier_modules(process->classifier));
    if (stacks->generation != generation || stacks->nodes.count >= NODES_MAX)
        sc_blocked_stacks_done(stacks);
    stacks->generation = generation;
    return &stacks->nodes;
}

uint32_t sc_blocked_stack(struct sc_process *process, pid_t tid, const struct sc_sent_stack *python,
                          const struct sc_blocked *blocked, bool *ret_may_grow)
{
    uint32_t node = sc_stack_of(process, python);
    *ret_may_grow = false;
    if (node == 0 || blocked == NULL || blocked->instruction == 0 ||
        process->native.symbols == NULL || process->classifier == NULL)
        return node;
    /* A thread at the same place of the same Python line, as high on its stack, has come there the
     * same way. */
    uint64_t key =
        sc_mix(sc_mix((uint64_t)tid, node), sc_mix(blocked->stack, blocked->instruction));
    uint32_t known = sc_map_get(known_nodes(process), key);
    if (known != SC_NONE)
        return known;
    uint64_t addresses[CALLERS_MAX] = {blocked->instruction};
    bool may = may_find(process);
    bool is_late = false;
    struct sc_sent_stack whole = *python;
    whole.addresses = addresses;
    whole.address_count = may ? find_callers(process, blocked, addresses, &is_late) : 1;
    whole.flags |= SC_SAMPLE_IN_SYSTEM_CALL;
    node = sc_stack_of(process, &whole);
    *ret_may_grow = !may || is_late;
    if (!*ret_may_grow)
        sc_map_put(known_nodes(process), key, node);
    return node;
}
