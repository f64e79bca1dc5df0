/*
 * cpython/frame_values.h - the variables of a frame, and the locks that it holds or waits for, read
 * through a callback.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/attributes.h"
#include "cpython/walk.h"

#define SC_NAME_TUPLES 3U

/* Where the values of a frame are: a slot of 8 bytes each. */
struct sc_frame_values {
    uint64_t names[SC_NAME_TUPLES]; /* tuples of str */
    size_t named[SC_NAME_TUPLES];   /* how many each has */
    size_t variables;               /* slots of variables, one for each name */
    uint64_t base;                  /* address of the first */
    uint64_t stack_base;            /* address of the first slot of the stack */
    size_t certain;                 /* slots of the stack that are in use for certain */
    uint64_t end;                   /* address behind the last slot that may be in use */
};

bool sc_frame_values_read(const struct sc_python *python, const struct sc_py_frame *frame,
                          struct sc_frame_values *ret_values);

/* Name and value of a variable; false when it is not bound. Cells of closures are looked into. */
bool sc_frame_variable(const struct sc_python *python, const struct sc_frame_values *values,
                       size_t index, uint64_t *ret_name, uint64_t *ret_value);

/* A lock of the module _thread: one of the platform, or a mutex of the interpreter's own. */
struct sc_lock {
    uint64_t object;
    uint64_t word;  /* the address that its waiters are in the kernel with; of a mutex its own */
    uint64_t owner; /* threading.get_ident() of the thread that holds it; 0: nobody, or not known */
    bool is_recursive; /* RLock: it knows its owner */
};

/* The lock, a mutex of the interpreter's own, for which a thread is parked that is in the kernel
 * with that address: on the thread's stack, behind the address of the mutex. */
bool sc_lock_of_parked(const struct sc_python *python, uint64_t address, struct sc_lock *ret_lock);

/* Whether the code uses an attribute or a global variable of that name. */
bool sc_code_names(const struct sc_python *python, uint64_t code, const char *name);

/* The locks that the frame has entered by `with` and not left, Conditions included; at most
 * capacity. */
size_t sc_frame_locks_held(const struct sc_python *python, const struct sc_frame_values *values,
                           struct sc_lock *locks, size_t capacity);

/* The locks among the values that the frame has or recently had at hand, at most capacity. */
size_t sc_frame_locks_seen(const struct sc_python *python, const struct sc_frame_values *values,
                           struct sc_lock *locks, size_t capacity);
