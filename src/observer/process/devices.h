/*
 * observer/process/devices.h - what the agent of one process reports of GPUs: work, device memory,
 * and when the devices were busy.
 *
 * Spans of work come some hundred milliseconds late and not quite in order. Time is charged once
 * hardly any more of them are to be expected: what is covered by a span of any device is busy, the
 * rest is idle, and both are charged to where the process was. What took longer than that comes
 * when the time that it began in is charged as idle, and is charged anew. Nothing is charged before
 * the first span: a program that only looks for devices uses none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "channel/format.h"
#include "costs/gpu.h"
#include "observer/stack/recent_stacks.h"

struct sc_device_span {
    uint64_t from_ns;
    uint64_t to_ns;
};

struct sc_device_block {
    struct sc_place place;
    uint64_t address;
    uint64_t context;    /* its memory is freed with this context; 0: with none */
    uint64_t size_bytes; /* 0: freed */
};

/* Initialise with {0}. Without gpu nothing is kept. */
struct sc_devices {
    struct sc_gpu *gpu;                    /* not owned; NULL when GPUs are not measured */
    bool is_watched;                       /* stacks are kept */
    struct sc_recent_stacks recent_stacks; /* where the process was */
    bool is_traced;                        /* the agent sends spans */
    uint64_t settled_ns;                   /* time is charged up to here */
    uint64_t ended_ns;                     /* when tracing ended before the process, or 0 */
    unsigned states;                       /* that were reported: 1 << enum sc_gpu_state */
    uint32_t refusal;                      /* of CUPTI: its error */
    uint32_t version;                      /* of CUPTI; 0 before tracing */
    bool has_worked;                       /* a span has come */
    SC_VEC(struct sc_device_span) spans;   /* not settled yet */
    SC_VEC(struct sc_device_span) idle;    /* stretches that were charged as idle */
    SC_VEC(struct sc_device_block) blocks;
    SC_VEC(uint32_t) free_blocks;
    struct sc_map block_index; /* address -> blocks, of those that are alive */
    struct sc_recent_stack_list here;
};

void sc_devices_done(struct sc_devices *devices);

/* The process was on the stack of node: noted if stacks are kept. */
static inline void sc_devices_note_stack(struct sc_devices *devices, uint64_t from_ns,
                                         uint64_t to_ns, uint32_t node)
{
    if (devices->is_watched)
        sc_recent_stacks_add(&devices->recent_stacks, from_ns, to_ns, node);
}

/* Adds to the first what the agent of the second has reported: states, refusal, version, and
 * whether there was work. */
void sc_devices_merge_states(struct sc_devices *sum, const struct sc_devices *one);

/* The agent's records. node: of the record's stack. */
void sc_devices_add_state(struct sc_devices *devices, const struct sc_record_gpu_state *record);
void sc_devices_add_work(struct sc_devices *devices, const struct sc_record_gpu_work *record,
                         uint32_t node);
void sc_devices_add_span(struct sc_devices *devices, const struct sc_record_gpu_span *record);
void sc_devices_add_allocation(struct sc_devices *devices,
                               const struct sc_record_gpu_allocation *record, uint32_t node);
void sc_devices_add_free(struct sc_devices *devices, const struct sc_record_gpu_free *record);

/* Charge traced time: the first one what is old enough, the second one all until now_ns, as
 * profiling is about to be switched off, the third one all, when the process has ended; its device
 * memory is then freed. */
void sc_devices_charge_due(struct sc_devices *devices, uint64_t now_ns);
void sc_devices_charge_all(struct sc_devices *devices, uint64_t now_ns);
void sc_devices_end(struct sc_devices *devices, uint64_t ended_ns);

/* Time up to now_ns is not charged: profiling was switched off. */
void sc_devices_skip(struct sc_devices *devices, uint64_t now_ns);
