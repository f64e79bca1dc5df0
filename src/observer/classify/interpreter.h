/*
 * observer/classify/interpreter.h - what is known of an interpreter, and the kinds of samples.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "channel/format.h"

/* What the agent reports of the interpreter; addresses are those of the target. */
struct sc_interpreter_facts {
    uint32_t version_hex; /* PY_VERSION_HEX */
    uint16_t version;     /* 0x030b */
    bool free_threaded;
    uint64_t runtime; /* _PyRuntime */
    uint64_t runtime_size;
    uint64_t code_type;     /* PyCode_Type */
    uint64_t eval_function; /* _PyEval_EvalFrameDefault */
    /* functions behind type slots, 0 when not known */
    uint64_t type_call;         /* PyType_Type.tp_call */
    uint64_t object_new;        /* PyBaseObject_Type.tp_new */
    uint64_t object_init;       /* PyBaseObject_Type.tp_init */
    uint64_t object_new_method; /* the function of the method object.__new__ */
    uint64_t generic_alloc;     /* PyType_GenericAlloc */
    uint64_t function_call;     /* PyFunction_Type.tp_call */
    uint64_t method_call;       /* PyMethod_Type.tp_call */
    uint64_t heap_init;         /* tp_init of a class with __init__ in Python (slot_tp_init) */
    uint64_t heap_new;     /* tp_new of a class with __new__ in Python (slot_tp_new), may be 0 */
    uint64_t heap_call;    /* tp_call of a class with __call__ in Python (slot_tp_call), may be 0 */
    uint64_t heap_dealloc; /* tp_dealloc of a Python class (subtype_dealloc) */
    uint64_t frame_dealloc;    /* PyFrame_Type.tp_dealloc */
    uint32_t eval_range_count; /* 0: not known */
    struct sc_code_range eval_ranges[SC_EVAL_RANGES_TOLD];
};

enum sc_sample_kind {
    SC_SAMPLE_PYTHON,
    SC_SAMPLE_NATIVE,
    SC_SAMPLE_KERNEL,
};
