/*
 * agent/cuda/work.h - sums up finished work of devices until it is sent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "channel/format.h"

#define SC_WORKS_MAX 2048U /* pairs of stack and kind between two sends */
#define SC_SPANS_MAX 512U  /* of one device between two sends */
#define SC_GPUS_MAX  16U   /* devices whose spans are sent */

/* A shorter pause of a device counts as part of the span: it is too short to be attributed to code.
 */
#define SC_SPAN_GAP_NS 20000U

struct sc_work {
    uint64_t stack_key;
    uint64_t busy_ns;
    uint64_t bytes;
    uint32_t kind; /* enum sc_gpu_work */
    uint32_t count;
};

/* Empty when all bytes are zero. */
struct sc_cuda_work {
    uint32_t used;
    uint16_t index[2 * SC_WORKS_MAX]; /* by hash: number of a work + 1 */
    struct sc_work works[SC_WORKS_MAX];
    struct sc_spans {
        uint32_t count;
        uint64_t gap_ns; /* grows when there are too many */
        struct sc_span {
            uint64_t from_ns;
            uint64_t to_ns;
        } spans[SC_SPANS_MAX]; /* in order, apart from each other by more than gap_ns */
    } devices[SC_GPUS_MAX];
};

/* Adds one finished piece of work. False when there is no room for it: send what there is first. */
bool sc_cuda_work_add(struct sc_cuda_work *work, const struct sc_work *one);

/* The device was busy all that time. */
void sc_cuda_work_span(struct sc_cuda_work *work, uint32_t device, uint64_t from_ns,
                       uint64_t to_ns);

/* Writes all of it into the ring and empties it. What does not fit is counted as lost. */
void sc_cuda_work_send(struct sc_cuda_work *work, struct sc_segment *segment);
