/*
 * observer/classify.c - was a sample on a CPU interpreting Python, in native code, or in the
 * kernel?
 *
 * The rule and its reasons: docs/design/0003-python-or-native.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/classify.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "cpython/opcode.h"
#include "observer/classify_roles.h"
#include "observer/functions.h"
#include "observer/modules.h"

/* The first version whose interpreter can make machine code itself. */
#define OLDEST_WITH_JIT 0x030d

struct sc_classifier {
    struct sc_interpreter_facts facts;
    struct sc_modules *modules;
    struct sc_functions *functions; /* of the interpreter; NULL when its file cannot be read */
    struct sc_map roles;            /* start of a function in the file: enum sc_role */
};

static void add_named(void *context, const char *name, uint64_t start)
{
    struct sc_classifier *classifier = context;
    enum sc_role role = sc_role_of_name(name);
    if (role != SC_ROLE_OTHER)
        sc_map_put(&classifier->roles, start, role);
}

/* The address in the interpreter's file, 0 when it is not of the interpreter. */
static uint64_t file_address(struct sc_classifier *classifier, const struct sc_mapping *mapping,
                             uint64_t address)
{
    if (mapping == NULL || mapping->class != SC_MODULE_INTERPRETER || classifier->functions == NULL)
        return 0;
    return sc_functions_address(classifier->functions,
                                mapping->file_offset + (address - mapping->start));
}

static void add_fact(struct sc_classifier *classifier, uint64_t address, enum sc_role role)
{
    const struct sc_mapping *mapping =
        address != 0 ? sc_modules_find(classifier->modules, address) : NULL;
    uint64_t start = file_address(classifier, mapping, address);
    /* A slot may hold a function that has another part already (PyVectorcall_Call). */
    if (start != 0 && sc_map_get(&classifier->roles, start) == SC_NONE)
        sc_map_put(&classifier->roles, start, role);
}

static void add_facts(struct sc_classifier *classifier)
{
    const struct sc_interpreter_facts *facts = &classifier->facts;
    add_fact(classifier, facts->type_call, SC_ROLE_TYPE_CALL);
    add_fact(classifier, facts->object_new, SC_ROLE_CREATION);
    add_fact(classifier, facts->object_init, SC_ROLE_CREATION);
    add_fact(classifier, facts->generic_alloc, SC_ROLE_CREATION);
    add_fact(classifier, facts->heap_init, SC_ROLE_CREATION);
    add_fact(classifier, facts->heap_new, SC_ROLE_CREATION);
    add_fact(classifier, facts->function_call, SC_ROLE_PYTHON_CALL);
    add_fact(classifier, facts->method_call, SC_ROLE_PYTHON_CALL);
    add_fact(classifier, facts->heap_call, SC_ROLE_PYTHON_CALL);
    add_fact(classifier, facts->frame_dealloc, SC_ROLE_PYTHON_CALL);
    add_fact(classifier, facts->heap_dealloc, SC_ROLE_DEALLOC);
}

static void read_functions(struct sc_classifier *classifier)
{
    const struct sc_mapping *mapping =
        sc_modules_find(classifier->modules, classifier->facts.eval_function);
    if (mapping == NULL || mapping->class != SC_MODULE_INTERPRETER)
        return;
    SC_AUTO_FREE char *path = sc_modules_path(classifier->modules, mapping);
    classifier->functions = sc_functions_read(path, add_named, classifier, NULL);
    if (classifier->functions == NULL)
        classifier->functions = sc_functions_read(mapping->path, add_named, classifier, NULL);
    if (classifier->functions != NULL)
        add_facts(classifier);
}

struct sc_classifier *sc_classifier_new(pid_t pid, const struct sc_interpreter_facts *facts,
                                        struct sc_err *err)
{
    struct sc_modules *modules = sc_modules_new(pid, facts->eval_function, err);
    if (modules == NULL)
        return NULL;
    struct sc_classifier *classifier = sc_alloc(1, sizeof(*classifier));
    classifier->facts = *facts;
    classifier->modules = modules;
    read_functions(classifier);
    return classifier;
}

void sc_classifier_free(struct sc_classifier *classifier)
{
    if (classifier == NULL)
        return;
    sc_modules_free(classifier->modules);
    sc_functions_free(classifier->functions);
    sc_map_done(&classifier->roles);
    free(classifier);
}

/* A return address stands behind the call, which may be the function's last instruction. */
static uint64_t code_address(const struct sc_sample_view *sample, size_t index)
{
    return index == 0 ? sample->addresses[0] : sample->addresses[index] - 1;
}

static enum sc_role role_of(struct sc_classifier *classifier, const struct sc_sample_view *sample,
                            size_t index)
{
    uint64_t address = code_address(sample, index);
    const struct sc_mapping *mapping = sc_modules_find(classifier->modules, address);
    uint64_t in_file = file_address(classifier, mapping, address);
    if (in_file == 0)
        return SC_ROLE_OTHER;
    uint32_t role =
        sc_map_get(&classifier->roles, sc_functions_start(classifier->functions, in_file));
    return role == SC_NONE ? SC_ROLE_OTHER : (enum sc_role)role;
}

/* Code made at run time is Python's when nothing else here makes any. */
static bool is_python_jit(const struct sc_classifier *classifier, const struct sc_mapping *mapping)
{
    return mapping->class == SC_MODULE_ANONYMOUS && classifier->facts.version >= OLDEST_WITH_JIT &&
           !sc_modules_have_compiler(classifier->modules);
}

/* The native calls between the evaluation loop and the program counter. */
struct run {
    const struct sc_sample_view *sample;
    size_t count; /* addresses before the evaluation loop, or all when it was not reached */
    bool reached_loop;
    bool has_extension;
};

/* Machine code of the interpreter's own compiler counts as the loop: it runs bytecode. */
static struct run find_run(struct sc_classifier *classifier, const struct sc_sample_view *sample)
{
    struct run run = {.sample = sample, .reached_loop = sample->reached_eval};
    size_t limit = sample->address_count - (sample->reached_eval ? 1 : 0);
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

/* What type.__call__ calls: at index and further in. */
static enum sc_sample_kind kind_of_creation(struct sc_classifier *classifier, const struct run *run,
                                            size_t index)
{
    for (size_t i = index; i-- > 0;) {
        switch (role_of(classifier, run->sample, i)) {
        case SC_ROLE_CREATION:
        case SC_ROLE_PYTHON_CALL:
        case SC_ROLE_DEALLOC:
            return SC_SAMPLE_PYTHON;
        case SC_ROLE_PLUMBING:
            continue;
        case SC_ROLE_OTHER:
            /* Not known; but a __new__ in Python is called through such a function. */
            if (i > 0 && i + 1 == index &&
                (role_of(classifier, run->sample, i - 1) == SC_ROLE_PLUMBING ||
                 role_of(classifier, run->sample, i - 1) == SC_ROLE_PYTHON_CALL))
                continue;
            return SC_SAMPLE_NATIVE;
        default:
            return SC_SAMPLE_NATIVE;
        }
    }
    return SC_SAMPLE_PYTHON; /* in type.__call__ itself */
}

/* The callee decides: the first function, from the loop inwards, that is more than plumbing. */
static enum sc_sample_kind kind_of_call(struct sc_classifier *classifier, const struct run *run)
{
    for (size_t i = run->count; i-- > 0;) {
        switch (role_of(classifier, run->sample, i)) {
        case SC_ROLE_PLUMBING:
            continue;
        case SC_ROLE_TYPE_CALL:
            return kind_of_creation(classifier, run, i);
        case SC_ROLE_OTHER:
            return SC_SAMPLE_NATIVE;
        default:
            return SC_SAMPLE_PYTHON;
        }
    }
    return SC_SAMPLE_PYTHON; /* in the plumbing itself */
}

/* Without the evaluation loop the run's outer end is not known: any part of calling decides. */
static enum sc_sample_kind kind_of_part(struct sc_classifier *classifier, const struct run *run)
{
    for (size_t i = run->count; i-- > 0;) {
        enum sc_role role = role_of(classifier, run->sample, i);
        if (role != SC_ROLE_OTHER)
            return SC_SAMPLE_PYTHON;
    }
    return SC_SAMPLE_NATIVE;
}

static bool does_chores(struct sc_classifier *classifier, const struct run *run)
{
    if (!run->reached_loop || run->count == 0)
        return false;
    enum sc_role role = role_of(classifier, run->sample, run->count - 1);
    return role == SC_ROLE_CHORES || role == SC_ROLE_DEALLOC;
}

enum sc_sample_kind sc_classify(struct sc_classifier *classifier,
                                const struct sc_sample_view *sample)
{
    if (sample->in_system_call)
        return SC_SAMPLE_KERNEL;
    if (!sample->has_python_frame)
        return SC_SAMPLE_NATIVE;
    struct run run = find_run(classifier, sample);
    if (run.reached_loop && run.count == 0)
        return SC_SAMPLE_PYTHON;
    if (run.has_extension)
        return SC_SAMPLE_NATIVE;
    if (!sample->has_code_unit || does_chores(classifier, &run))
        return SC_SAMPLE_PYTHON;
    switch (sc_opcode_kind(classifier->facts.version, (uint8_t)sample->code_unit)) {
    case SC_OPCODE_CALL_NATIVE:
        return SC_SAMPLE_NATIVE;
    case SC_OPCODE_CALL:
        return run.reached_loop ? kind_of_call(classifier, &run) : kind_of_part(classifier, &run);
    default:
        return SC_SAMPLE_PYTHON;
    }
}
