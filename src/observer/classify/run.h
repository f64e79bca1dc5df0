/*
 * observer/classify/run.h - what a call instruction of Python runs, function by function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "channel/format.h"
#include "cpython/layout.h"
#include "observer/classify/kind.h"
#include "observer/system/subject.h"

struct sc_helper;
struct sc_interpreter;
struct sc_modules;
struct sc_mapping;

/* What is known of the interpreter's functions: their unwind records, symbols where there are any,
 * the facts and, with a layout, the slots of types in the process's memory. NULL when its file
 * cannot be read. helper reads it, or is NULL; it and modules must outlive the object. */
struct sc_interpreter *sc_interpreter_new(struct sc_subject subject, struct sc_helper *helper,
                                          struct sc_modules *modules,
                                          const struct sc_interpreter_facts *facts,
                                          const struct sc_layout *layout);
void sc_interpreter_free(struct sc_interpreter *interpreter);

/* Whether the function at address in this mapping only passes calls on: to builtins, or to Python
 * functions. */
bool sc_interpreter_passes_on(struct sc_interpreter *interpreter, const struct sc_mapping *mapping,
                              uint64_t address);

/* How far into its function the address in this mapping is; 0 when that is not known. */
uint64_t sc_interpreter_inside(struct sc_interpreter *interpreter, const struct sc_mapping *mapping,
                               uint64_t address);

/* Whether one of addresses[0 .. count), innermost first, is in a function that deallocates objects,
 * or was called through one that may have jumped on to the type's own. has_loop as below. */
bool sc_interpreter_frees(struct sc_interpreter *interpreter, const uint64_t *addresses,
                          size_t count, bool has_loop);

/* Whether the callee of a call instruction is of Python or native, by the functions between the
 * evaluation loop and the program counter: addresses[0 .. count), innermost first. With has_loop
 * addresses[count] is the return address in the loop; without, the outer end is not known. */
enum sc_sample_kind sc_interpreter_callee(struct sc_interpreter *interpreter,
                                          const uint64_t *addresses, size_t count, bool has_loop);

/* The same for an instruction that is known to call C code: only the machinery of the interpreter
 * that runs between instructions is not native then. */
enum sc_sample_kind sc_interpreter_native_callee(struct sc_interpreter *interpreter,
                                                 const uint64_t *addresses, size_t count,
                                                 bool has_loop);
