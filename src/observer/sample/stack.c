/*
 * observer/sample/stack.c - the stack of one sample: Python and native frames in the order of the
 * calls.
 *
 * Each evaluation loop on the native stack runs a group of Python frames: the ones that were called
 * without leaving it. The agent marks both, the addresses inside loops and the frames where a group
 * begins. Loops and groups are then matched from the innermost outwards.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/sample/stack.h"

#include <string.h>

#include "observer/stack/native.h"

/* The native stack cut into parts: part 0 lies inside the innermost loop, part i outside loop i
 * - 1. Addresses [starts[i], ends[i]), innermost first. */
struct parts {
    const uint64_t *addresses;
    uint32_t count; /* loops + 1 */
    uint32_t starts[SC_ADDRESSES_MAX + 1];
    uint32_t ends[SC_ADDRESSES_MAX + 1];
};

/* Both kinds of record end in frames, then addresses. */
static struct sc_sent_stack sent_behind(const void *record_end, uint32_t frame_count,
                                        uint32_t address_count, uint16_t flags)
{
    const struct sc_sample_frame *frames = record_end;
    return (struct sc_sent_stack){
        .frames = frames,
        .addresses = (const void *)(frames + frame_count),
        .frame_count = frame_count,
        .address_count = address_count,
        .flags = flags,
    };
}

struct sc_sent_stack sc_sent_sample(const struct sc_record_sample *record)
{
    return sent_behind(record + 1, record->frame_count, record->address_count, record->flags);
}

struct sc_sent_stack sc_sent_allocation(const struct sc_record_stack *record)
{
    return sent_behind(record + 1, record->frame_count, record->address_count, record->flags);
}

/* Adjacent addresses in loops are one loop: where opcodes are functions, the loop has called the
 * first of them. */
static void cut_at_loops(const struct sc_sent_stack *sent, struct parts *ret_parts)
{
    const uint64_t *addresses = sent->addresses;
    uint32_t limit =
        sent->address_count < SC_ADDRESSES_MAX ? sent->address_count : SC_ADDRESSES_MAX;
    ret_parts->addresses = addresses;
    ret_parts->count = 1;
    ret_parts->starts[0] = 0;
    ret_parts->ends[0] = limit;
    for (uint32_t i = 0; i < limit; i++) {
        if ((addresses[i] & SC_ADDRESS_IN_LOOP) == 0)
            continue;
        ret_parts->ends[ret_parts->count - 1] = i;
        while (i + 1 < limit && (addresses[i + 1] & SC_ADDRESS_IN_LOOP) != 0)
            i++;
        ret_parts->starts[ret_parts->count] = i + 1;
        ret_parts->ends[ret_parts->count] = limit;
        ret_parts->count++;
    }
}

static struct sc_native_frame frame_at(struct sc_process *process, const struct parts *parts,
                                       uint32_t index)
{
    /* A return address follows the call, which may be the function's last instruction. */
    uint64_t address = parts->addresses[index] - (index > 0);
    return sc_native_frame(&process->stacks.native, process->classifier, address);
}

/* Adds the frames of a part below node, from the outside in. */
static uint32_t add_part(struct sc_process *process, const struct parts *parts, uint32_t part,
                         uint32_t node)
{
    if (part >= parts->count)
        return node;
    for (uint32_t i = parts->ends[part]; i-- > parts->starts[part];) {
        struct sc_native_frame frame = frame_at(process, parts, i);
        if (frame.code != SC_NONE)
            node = sc_collect_frame(process->collect, node, frame.code, 0);
    }
    return node;
}

/* The part outside all loops, from the first function on that is the program's own: one that embeds
 * Python, or a thread of a library that calls it. Where the interpreter ends: a library that has
 * objects to release. */
static uint32_t add_outermost(struct sc_process *process, const struct parts *parts, uint32_t node)
{
    uint32_t last = parts->count - 1;
    struct parts own = *parts;
    while (own.ends[last] > own.starts[last] &&
           !frame_at(process, parts, own.ends[last] - 1).is_users)
        own.ends[last]--;
    return add_part(process, &own, last, node);
}

static uint32_t below(struct sc_process *process, uint32_t node, const char *module)
{
    return sc_collect_frame(process->collect, node, sc_collect_native(process->collect, module, 0),
                            0);
}

static uint32_t add_kernel(struct sc_process *process, const struct sc_sent_stack *sent,
                           uint32_t node)
{
    if ((sent->flags & SC_SAMPLE_IN_SYSTEM_CALL) == 0)
        return node;
    return below(process, node, SC_MODULE_KERNEL);
}

/* How many of the innermost loops have no Python frame yet: they are just beginning. */
static uint32_t loops_without_frames(const struct sc_sent_stack *sent, uint32_t groups,
                                     uint32_t loops)
{
    uint16_t cut = SC_SAMPLE_CUT | SC_SAMPLE_BROKEN;
    if ((sent->frames[0].flags & SC_FRAME_CALLS_C) != 0)
        return loops > 0;
    /* where the Python version does not mark it, the counts show it */
    return (sent->flags & SC_SAMPLE_WHOLE) != 0 && (sent->flags & cut) == 0 && loops == groups + 1;
}

/* Groups of Python frames; a mark on the innermost frame is no boundary between two. */
static uint32_t count_groups(const struct sc_sent_stack *sent)
{
    uint32_t groups = 1;
    for (uint32_t i = 1; i < sent->frame_count; i++)
        groups += (sent->frames[i].flags & SC_FRAME_CALLS_C) != 0;
    return groups;
}

static uint32_t join(struct sc_process *process, const struct sc_sent_stack *sent,
                     const struct parts *parts)
{
    uint32_t groups = count_groups(sent);
    uint32_t skipped = loops_without_frames(sent, groups, parts->count - 1);
    uint32_t group = groups - 1;
    uint32_t node = 0;
    if ((sent->flags & SC_SAMPLE_WHOLE) != 0 && group + skipped + 2 == parts->count)
        node = add_outermost(process, parts, 0);
    for (uint32_t i = sent->frame_count; i-- > 0;) {
        node = sc_codes_frame(&process->stacks.codes, node, sent->frames[i].code_key,
                              sent->frames[i].instruction);
        if (i == 0 || (sent->frames[i].flags & SC_FRAME_CALLS_C) == 0)
            continue;
        if (group + skipped < parts->count)
            node = add_part(process, parts, group + skipped, node);
        else
            node = below(process, node, SC_MODULE_UNREAD);
        group--;
    }
    for (uint32_t part = skipped + 1; part-- > 0;)
        node = add_part(process, parts, part, node);
    return add_kernel(process, sent, node);
}

static bool has_native(const struct sc_process *process)
{
    return process->stacks.native.symbols != NULL && process->classifier != NULL;
}

uint32_t sc_stack_of(struct sc_process *process, const struct sc_sent_stack *sent)
{
    if (has_native(process) && sent->frame_count > 0) {
        struct parts parts;
        cut_at_loops(sent, &parts);
        return join(process, sent, &parts);
    }
    uint32_t node = 0;
    for (uint32_t i = sent->frame_count; i-- > 0;)
        node = sc_codes_frame(&process->stacks.codes, node, sent->frames[i].code_key,
                              sent->frames[i].instruction);
    return node;
}

uint32_t sc_stack_below(struct sc_process *process, const struct sc_sent_stack *sent, uint32_t node)
{
    struct parts parts;
    if (!has_native(process))
        return node;
    cut_at_loops(sent, &parts);
    for (uint32_t part = parts.count; part-- > 0;)
        node = add_part(process, &parts, part, node);
    return add_kernel(process, sent, node);
}

uint32_t sc_stack_ending(struct sc_process *process, const struct sc_sent_stack *sent)
{
    struct parts parts;
    uint32_t node = sc_collect_ending(process->collect);
    if (!has_native(process))
        return node;
    cut_at_loops(sent, &parts);
    return add_kernel(process, sent, add_outermost(process, &parts, node));
}

uint32_t sc_stack_python_part(const struct sc_collect *collect, uint32_t node)
{
    while (node != 0 && node != collect->ending && sc_collect_is_native(collect, node))
        node = collect->nodes.items[node].parent;
    return node;
}

static bool is_kernel_node(const struct sc_collect *collect, uint32_t node)
{
    const struct sc_code *code = &collect->codes.items[collect->nodes.items[node].code];
    return sc_code_is_native(code) &&
           strcmp(sc_intern_text(&collect->names, code->file), SC_MODULE_KERNEL) == 0;
}

uint32_t sc_stack_spent(struct sc_process *process, uint32_t node, enum sc_time time)
{
    struct sc_collect *collect = process->collect;
    uint32_t python = sc_stack_python_part(collect, node);
    if (python == 0 || !has_native(process))
        return node;
    switch (time) {
    case SC_TIME_PYTHON:
    case SC_TIME_PREEMPTED_PYTHON:
        return python;
    case SC_TIME_NATIVE:
    case SC_TIME_PARALLEL:
    case SC_TIME_PREEMPTED_NATIVE:
        if (is_kernel_node(collect, node))
            node = collect->nodes.items[node].parent;
        return node == python ? below(process, node, SC_MODULE_UNKNOWN_FRAMES) : node;
    case SC_TIME_KERNEL:
    case SC_TIME_PREEMPTED_KERNEL:
    case SC_TIME_IO:
    case SC_TIME_SLEEP:
    case SC_TIME_OTHER_WAIT:
    case SC_TIME_COUNT_:
        break;
    }
    return is_kernel_node(collect, node) ? node : below(process, node, SC_MODULE_KERNEL);
}
