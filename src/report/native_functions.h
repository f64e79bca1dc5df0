/*
 * report/native_functions.h - the native functions that take most of the time.
 *
 * Who calls NumPy, lxml or a module that Cython or mypyc has compiled sees in the lines which call
 * takes long, and here what is slow inside. A function has its own time and that of what it calls
 * in the interpreter, C's run-time and the kernel: "malloc takes 5 %" would say nothing about whom
 * to change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/stacks.h"

struct sc_native_function {
    const char *name; /* borrowed from the stacks, as is module */
    const char *module;
    double percent; /* of the run's time */
};

struct sc_native_functions SC_VEC_OF(struct sc_native_function);

/* The functions that take at least least_percent of total_s seconds, most expensive first; none
 * where the stacks have no seconds. Freed by sc_vec_done, before the stacks. */
void sc_native_functions_find(struct sc_native_functions *ret, const struct sc_stacks *stacks,
                              double total_s, double least_percent);
