/*
 * tests/native/samples.h - what the sampler of these tests writes and the judge reads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/classify/classify.h"
#include "unwind/unwind.h"

#define SAMPLE_ADDRESSES 64
#define SAMPLES_MAX      40000

struct sample {
    uint64_t addresses[SAMPLE_ADDRESSES];
    uint32_t count;
    uint32_t phase;
    uint32_t end; /* enum sc_unwind_end */
    uint32_t handler_ns;
    uint16_t code_unit;
    bool has_code_unit;
    bool has_python_frame;
    bool in_system_call;
};

struct samples_head {
    struct sc_interpreter_facts facts;
    uint32_t sample_count;
    struct sc_eval_ranges ranges;
};
