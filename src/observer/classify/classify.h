/*
 * observer/classify/classify.h - was a sample on a CPU interpreting Python, in native code, or in
 * the kernel?
 *
 * The rule and its reasons: docs/design/0003-python-or-native.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "channel/format.h"
#include "cpython/layout.h"
#include "observer/classify/kind.h"
#include "observer/system/subject.h"

struct sc_sample_view {
    const uint64_t *addresses; /* as sc_unwind gives them: innermost first */
    size_t address_count;
    bool reached_eval; /* the last address is in the evaluation loop */
    bool in_system_call;
    bool has_python_frame; /* false: a native thread */
    bool is_ending;        /* without frames: the thread ends the interpreter */
    bool is_collecting;    /* a garbage collection was running in the interpreter */
    bool has_code_unit;
    uint16_t code_unit; /* at the innermost Python frame's instruction */
};

struct sc_helper;
struct sc_mapping;
struct sc_modules;

/* Knows the modules of one process (from /proc/PID/maps, read again when an address is in none) and
 * the functions of its interpreter (unwind records, symbols where there are any). */
struct sc_classifier;

/* Never NULL: where the process's maps cannot be read, a sample outside the evaluation loop, at an
 * instruction that calls C code, counts as native. layout: of the interpreter, or NULL, to read its
 * types by. helper: reads the interpreter's file, or NULL; it must outlive the object. */
struct sc_classifier *sc_classifier_new(struct sc_subject subject, struct sc_helper *helper,
                                        const struct sc_interpreter_facts *facts,
                                        const struct sc_layout *layout);
void sc_classifier_free(struct sc_classifier *classifier);

struct sc_modules *sc_classifier_modules(struct sc_classifier *classifier);

/* As sc_interpreter_passes_on of run.h. */
bool sc_classifier_passes_on(struct sc_classifier *classifier, const struct sc_mapping *mapping,
                             uint64_t address);

/* As sc_interpreter_inside of run.h. */
uint64_t sc_classifier_inside(struct sc_classifier *classifier, const struct sc_mapping *mapping,
                              uint64_t address);

enum sc_sample_kind sc_classify(struct sc_classifier *classifier,
                                const struct sc_sample_view *sample);

/* Whether the sample was taken while an object was deallocated, with the objects that it holds and
 * their memory. What a __del__ written in Python does is not counted. */
bool sc_classify_frees(struct sc_classifier *classifier, const struct sc_sample_view *sample);
