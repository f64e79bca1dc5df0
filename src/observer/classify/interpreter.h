/*
 * observer/classify/interpreter.h - what is known of an interpreter, and the kinds of samples.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "channel/format.h"

/* What the agent reports of the interpreter. */
#define X_MEMBER(name) uint64_t name;
struct sc_interpreter_facts {
    SC_INTERPRETER_WORDS(X_MEMBER)
    uint32_t version_hex; /* PY_VERSION_HEX */
    uint16_t version;     /* 0x030b */
    bool free_threaded;
    bool has_jit;              /* its own compiler of machine code is on, or may be */
    uint32_t eval_range_count; /* 0: not known */
    struct sc_code_range eval_ranges[SC_EVAL_RANGES_SENT];
};
#undef X_MEMBER

enum sc_sample_kind {
    SC_SAMPLE_PYTHON,
    SC_SAMPLE_NATIVE,
    SC_SAMPLE_KERNEL,
};
