/* observer/process/devices.c - see devices.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/devices.h"

#include <string.h>

#include "base/sort.h"

/* CUPTI delivers finished work four times a second, and a long kernel when it has finished. */
#define LATE_NS   2000000000U
#define SETTLE_NS 100000000U /* between two settlements */

#define SPANS_MAX  262144U
#define IDLE_MAX   4096U /* of long work that has many gaps before it, a part stays idle */
#define BLOCKS_MAX 1048576U

void sc_devices_done(struct sc_devices *devices)
{
    sc_recent_stacks_done(&devices->recent_stacks);
    sc_vec_done(&devices->spans);
    sc_vec_done(&devices->idle);
    sc_vec_done(&devices->blocks);
    sc_vec_done(&devices->free_blocks);
    sc_map_done(&devices->block_index);
    sc_vec_done(&devices->here);
}

void sc_devices_add_state(struct sc_devices *devices, const struct sc_record_gpu_state *record)
{
    if (devices->gpu == NULL)
        return;
    devices->states |= 1U << record->state;
    if (record->state == SC_GPU_REFUSED)
        devices->refusal = record->detail;
    if (record->state == SC_GPU_TRACING) {
        devices->is_watched = true;
        devices->is_traced = true;
        devices->version = record->detail;
        devices->ended_ns = 0;
        devices->settled_ns = record->time_ns;
    } else if (record->state == SC_GPU_TAKEN && devices->is_traced) {
        devices->ended_ns = record->time_ns;
    }
}

void sc_devices_merge_states(struct sc_devices *sum, const struct sc_devices *one)
{
    sum->states |= one->states;
    sum->refusal = sum->refusal != 0 ? sum->refusal : one->refusal;
    sum->version = sum->version != 0 ? sum->version : one->version;
    sum->has_worked = sum->has_worked || one->has_worked;
}

void sc_devices_add_work(struct sc_devices *devices, const struct sc_record_gpu_work *record,
                         uint32_t node)
{
    if (devices->gpu == NULL)
        return;
    struct sc_gpu_work_done work = {
        .is_kernel = record->kind == SC_GPU_KERNEL,
        .count = record->count,
        .busy_ns = record->busy_ns,
        .to_device_bytes = record->kind == SC_GPU_COPY_TO_DEVICE ? record->bytes : 0,
        .from_device_bytes = record->kind == SC_GPU_COPY_FROM_DEVICE ? record->bytes : 0,
    };
    sc_gpu_add_work(devices->gpu, node, &work);
}

static void forget_block(struct sc_devices *devices, uint32_t at)
{
    struct sc_device_block *block = &devices->blocks.items[at];
    sc_gpu_deallocate(devices->gpu, block->place, block->size_bytes);
    block->size_bytes = 0;
    sc_map_remove(&devices->block_index, block->address);
    sc_vec_push(&devices->free_blocks, at);
}

void sc_devices_add_allocation(struct sc_devices *devices,
                               const struct sc_record_gpu_allocation *record, uint32_t node)
{
    if (devices->gpu == NULL)
        return;
    uint32_t at = sc_map_get(&devices->block_index, record->address);
    if (at != SC_NONE) /* freed without a record */
        forget_block(devices, at);
    struct sc_device_block block = {
        .place = sc_gpu_allocate(devices->gpu, node, record->size_bytes),
        .address = record->address,
        .context = record->context,
        .size_bytes = record->size_bytes,
    };
    if (devices->free_blocks.count > 0) {
        at = devices->free_blocks.items[--devices->free_blocks.count];
        devices->blocks.items[at] = block;
    } else if (devices->blocks.count < BLOCKS_MAX) {
        at = (uint32_t)devices->blocks.count;
        sc_vec_push(&devices->blocks, block);
    } else { /* it is never counted as freed */
        return;
    }
    sc_map_put(&devices->block_index, record->address, at);
}

/* Frees all blocks of a context or, with 0, all blocks. */
static void forget_blocks(struct sc_devices *devices, uint64_t context)
{
    for (uint32_t at = 0; at < devices->blocks.count; at++) {
        const struct sc_device_block *block = &devices->blocks.items[at];
        if (block->size_bytes > 0 && (context == 0 || block->context == context))
            forget_block(devices, at);
    }
}

void sc_devices_add_free(struct sc_devices *devices, const struct sc_record_gpu_free *record)
{
    if (record->context != 0) {
        forget_blocks(devices, record->context);
        return;
    }
    uint32_t at = sc_map_get(&devices->block_index, record->address);
    if (at != SC_NONE)
        forget_block(devices, at);
}

SC_ORDERED_BY(by_start, struct sc_device_span, SC_RISING(from_ns));

/* Charges a stretch as busy and as idle, 1, 0 or -1 times, to where the process was in it; with
 * several threads at once it is divided among them. */
static void charge(struct sc_devices *devices, uint64_t from_ns, uint64_t to_ns, int busy, int idle)
{
    double all_ns = 0;
    if (to_ns <= from_ns)
        return;
    for (size_t i = 0; i < devices->here.count; i++)
        all_ns += (double)sc_recent_stack_overlap(&devices->here.items[i], from_ns, to_ns);
    double stretch_ns = (double)(to_ns - from_ns);
    double known_ns = all_ns < stretch_ns ? all_ns : stretch_ns;
    double unknown_ns = stretch_ns - known_ns;
    if (unknown_ns > 0)
        sc_gpu_add_traced(devices->gpu, SC_NONE, unknown_ns * busy, unknown_ns * idle);
    for (size_t i = 0; all_ns > 0 && i < devices->here.count; i++) {
        const struct sc_recent_stack *stack = &devices->here.items[i];
        double own_ns = (double)sc_recent_stack_overlap(stack, from_ns, to_ns);
        double part_ns = known_ns * own_ns / all_ns;
        if (own_ns > 0)
            sc_gpu_add_traced(devices->gpu, stack->node, part_ns * busy, part_ns * idle);
    }
}

static void note_idle(struct sc_devices *devices, struct sc_device_span span)
{
    struct sc_device_span *items = devices->idle.items;
    size_t count = devices->idle.count;
    if (span.to_ns <= span.from_ns)
        return;
    if (count > 0 && items[count - 1].to_ns == span.from_ns) {
        items[count - 1].to_ns = span.to_ns;
        return;
    }
    if (count == IDLE_MAX) {
        memmove(items, items + IDLE_MAX / 2, IDLE_MAX / 2 * sizeof(*items));
        devices->idle.count = IDLE_MAX / 2;
    }
    sc_vec_push(&devices->idle, span);
}

static void charge_idle(struct sc_devices *devices, uint64_t from_ns, uint64_t to_ns)
{
    charge(devices, from_ns, to_ns, 0, 1);
    note_idle(devices, (struct sc_device_span){.from_ns = from_ns, .to_ns = to_ns});
}

/* The idle time in a span was busy. */
static void fill_idle(struct sc_devices *devices, struct sc_device_span span)
{
    struct sc_device_span rest = {.from_ns = span.to_ns}; /* of the stretch in which it ends */
    sc_recent_stacks_between(&devices->recent_stacks, span.from_ns, span.to_ns, &devices->here);
    SC_EACH(struct sc_device_span, idle, &devices->idle) {
        uint64_t from_ns = span.from_ns > idle->from_ns ? span.from_ns : idle->from_ns;
        uint64_t to_ns = span.to_ns < idle->to_ns ? span.to_ns : idle->to_ns;
        if (to_ns <= from_ns)
            continue;
        charge(devices, from_ns, to_ns, 1, -1);
        if (to_ns < idle->to_ns)
            rest.to_ns = idle->to_ns;
        idle->to_ns = from_ns;
    }
    note_idle(devices, rest);
}

void sc_devices_add_span(struct sc_devices *devices, const struct sc_record_gpu_span *record)
{
    struct sc_device_span span = {.from_ns = record->from_ns, .to_ns = record->to_ns};
    if (!devices->is_traced || span.to_ns <= span.from_ns)
        return;
    devices->has_worked = true;
    if (span.from_ns < devices->settled_ns)
        fill_idle(devices, span);
    if (span.to_ns > devices->settled_ns && devices->spans.count < SPANS_MAX)
        sc_vec_push(&devices->spans, span);
}

/* Drops the spans that end by until_ns. */
static void drop_spans(struct sc_devices *devices, uint64_t until_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < devices->spans.count; i++) {
        struct sc_device_span span = devices->spans.items[i];
        if (span.to_ns > until_ns)
            devices->spans.items[kept++] = span;
    }
    devices->spans.count = kept;
}

static void settle_until(struct sc_devices *devices, uint64_t until_ns)
{
    if (devices->ended_ns != 0 && until_ns > devices->ended_ns)
        until_ns = devices->ended_ns;
    uint64_t at_ns = devices->settled_ns;
    if (until_ns <= at_ns || !devices->has_worked)
        return;
    sc_vec_sort(&devices->spans, by_start);
    sc_recent_stacks_between(&devices->recent_stacks, at_ns, until_ns, &devices->here);
    SC_EACH(const struct sc_device_span, span, &devices->spans) {
        if (span->from_ns >= until_ns)
            break;
        if (span->to_ns <= at_ns)
            continue;
        uint64_t from_ns = span->from_ns > at_ns ? span->from_ns : at_ns;
        uint64_t to_ns = span->to_ns < until_ns ? span->to_ns : until_ns;
        charge_idle(devices, at_ns, from_ns);
        charge(devices, from_ns, to_ns, 1, 0);
        at_ns = to_ns;
    }
    charge_idle(devices, at_ns, until_ns);
    devices->settled_ns = until_ns;
    drop_spans(devices, until_ns);
}

void sc_devices_charge_due(struct sc_devices *devices, uint64_t now_ns)
{
    if (devices->is_traced && now_ns > devices->settled_ns + LATE_NS + SETTLE_NS)
        settle_until(devices, now_ns - LATE_NS);
}

void sc_devices_charge_all(struct sc_devices *devices, uint64_t now_ns)
{
    if (devices->is_traced)
        settle_until(devices, now_ns);
}

void sc_devices_end(struct sc_devices *devices, uint64_t ended_ns)
{
    sc_devices_charge_all(devices, ended_ns);
    devices->is_traced = false;
    devices->is_watched = false;
    sc_recent_stacks_done(&devices->recent_stacks);
    forget_blocks(devices, 0);
}

void sc_devices_skip(struct sc_devices *devices, uint64_t now_ns)
{
    if (!devices->is_traced || now_ns <= devices->settled_ns)
        return;
    devices->settled_ns = now_ns;
    drop_spans(devices, now_ns);
}
