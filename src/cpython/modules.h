/*
 * cpython/modules.h - an interpreter and its modules, found from outside through a callback.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/attributes.h"

/* False when the version is not known, or does not publish what it should. The result uses ret_at,
 * layout and target, and does not own them. */
bool sc_python_init(struct sc_python *ret_python, struct sc_task_layout *ret_at,
                    const struct sc_layout *layout, const struct sc_target *target,
                    uint64_t runtime);

/* The main interpreter, which is the last of the list; 0 when it cannot be read. */
uint64_t sc_main_interpreter(const struct sc_python *python, uint64_t runtime);

/* A module that the interpreter has imported. */
bool sc_imported_find(const struct sc_python *python, uint64_t interpreter, const char *name,
                      uint64_t *ret_module);

/* Whether the interpreter has begun with its program (sys.modules has a __main__) and does not end.
 * Before and after that the import system is half made. */
bool sc_runs_program(const struct sc_python *python, uint64_t runtime);
