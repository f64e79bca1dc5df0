/*
 * observer/classify/classify.c - was a sample on a CPU interpreting Python, in native code, or in
 * the kernel?
 *
 * The rule and its reasons: docs/design/0003-python-or-native.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/classify/classify.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cpython/opcode.h"
#include "observer/classify/run.h"
#include "observer/system/modules.h"

struct sc_classifier {
    struct sc_interpreter_facts facts;
    struct sc_modules *modules;
    struct sc_interpreter *interpreter; /* NULL when its file cannot be read */
};

struct sc_classifier *sc_classifier_new(struct sc_subject subject, struct sc_helper *helper,
                                        const struct sc_interpreter_facts *facts,
                                        const struct sc_layout *layout)
{
    struct sc_modules *modules = sc_modules_new(subject, facts->eval_function);
    struct sc_classifier *classifier = sc_alloc(1, sizeof(*classifier));
    classifier->facts = *facts;
    classifier->modules = modules;
    classifier->interpreter = sc_interpreter_new(subject, helper, modules, facts, layout);
    return classifier;
}

void sc_classifier_free(struct sc_classifier *classifier)
{
    if (classifier == NULL)
        return;
    sc_interpreter_free(classifier->interpreter);
    sc_modules_free(classifier->modules);
    free(classifier);
}

struct sc_modules *sc_classifier_modules(struct sc_classifier *classifier)
{
    return classifier->modules;
}

bool sc_classifier_passes_on(struct sc_classifier *classifier, const struct sc_mapping *mapping,
                             uint64_t address)
{
    return classifier->interpreter != NULL &&
           sc_interpreter_passes_on(classifier->interpreter, mapping, address);
}

uint64_t sc_classifier_inside(struct sc_classifier *classifier, const struct sc_mapping *mapping,
                              uint64_t address)
{
    return classifier->interpreter != NULL
               ? sc_interpreter_inside(classifier->interpreter, mapping, address)
               : 0;
}

/* A return address follows the call, which may be the function's last instruction. */
static uint64_t code_address(const struct sc_sample_view *sample, size_t index)
{
    return index == 0 ? sample->addresses[0] : sample->addresses[index] - 1;
}

/* Code made at run time is Python's own when only Python has a compiler. */
static bool is_python_jit(const struct sc_classifier *classifier, const struct sc_mapping *mapping)
{
    return mapping->class == SC_MODULE_ANONYMOUS && classifier->facts.has_jit &&
           !sc_modules_have_compiler(classifier->modules);
}

/* The native calls between the evaluation loop and the program counter. */
struct run {
    size_t count; /* addresses before the evaluation loop, or all when it was not reached */
    bool reached_loop;
    bool has_extension;
};

/* Callers of the interpreter count as the loop, for it has none when it ends. */
static size_t count_inside(struct sc_classifier *classifier, const struct sc_sample_view *sample)
{
    size_t count = sample->address_count;
    for (; count > 0; count--) {
        const struct sc_mapping *mapping =
            sc_modules_find(classifier->modules, code_address(sample, count - 1));
        if (mapping != NULL && mapping->class == SC_MODULE_INTERPRETER)
            break;
    }
    return count;
}

/* Machine code of the interpreter's own compiler counts as the loop: it runs bytecode. */
static struct run find_run(struct sc_classifier *classifier, const struct sc_sample_view *sample)
{
    struct run run = {.reached_loop = sample->reached_eval && sample->address_count > 0};
    size_t limit = sample->is_ending ? count_inside(classifier, sample)
                                     : sample->address_count - (run.reached_loop ? 1 : 0);
    while (run.count < limit) {
        const struct sc_mapping *mapping =
            sc_modules_find(classifier->modules, code_address(sample, run.count));
        if (mapping != NULL && is_python_jit(classifier, mapping)) {
            run.reached_loop = true;
            break;
        }
        if (mapping != NULL &&
            (mapping->class == SC_MODULE_EXTENSION || mapping->class == SC_MODULE_ANONYMOUS))
            run.has_extension = true;
        run.count++;
    }
    return run;
}

enum sc_sample_kind sc_classify(struct sc_classifier *classifier,
                                const struct sc_sample_view *sample)
{
    if (sample->in_system_call)
        return SC_SAMPLE_KERNEL;
    if (!sample->has_python_frame && !sample->is_ending)
        return SC_SAMPLE_NATIVE;
    struct run run = find_run(classifier, sample);
    if (run.reached_loop && run.count == 0)
        return SC_SAMPLE_PYTHON;
    if (run.has_extension)
        return SC_SAMPLE_NATIVE;
    /* a collection may run between a call and the next instruction: it is the interpreter's own */
    if (!sample->has_code_unit || sample->is_collecting)
        return SC_SAMPLE_PYTHON;
    bool has_loop = run.reached_loop && run.count < sample->address_count;
    switch (sc_opcode_kind(classifier->facts.version, (uint8_t)sample->code_unit)) {
    case SC_OPCODE_CALL:
        return classifier->interpreter == NULL
                   ? SC_SAMPLE_NATIVE
                   : sc_interpreter_callee(classifier->interpreter, sample->addresses, run.count,
                                           has_loop);
    case SC_OPCODE_CALL_NATIVE:
        return classifier->interpreter == NULL
                   ? SC_SAMPLE_NATIVE
                   : sc_interpreter_native_callee(classifier->interpreter, sample->addresses,
                                                  run.count, has_loop);
    default:
        return SC_SAMPLE_PYTHON;
    }
}

bool sc_classify_frees(struct sc_classifier *classifier, const struct sc_sample_view *sample)
{
    if (classifier->interpreter == NULL || sample->is_collecting ||
        (!sample->has_python_frame && !sample->is_ending))
        return false;
    struct run run = find_run(classifier, sample);
    bool has_loop = run.reached_loop && run.count < sample->address_count;
    return sc_interpreter_frees(classifier->interpreter, sample->addresses, run.count, has_loop);
}
