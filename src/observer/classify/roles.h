/*
 * observer/classify/roles.h - what functions of the interpreter do for a call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"

enum sc_role {
    SC_ROLE_OTHER,       /* not known: a builtin or what it calls */
    SC_ROLE_PLUMBING,    /* passes a call on to the callee */
    SC_ROLE_PYTHON_CALL, /* begins or ends the execution of a Python function */
    SC_ROLE_TYPE_CALL,   /* makes an object of any class: what it calls next shows which */
    SC_ROLE_CREATION,    /* makes objects of classes written in Python */
    SC_ROLE_ALLOCATION,  /* gives memory to objects of any class */
    SC_ROLE_DEALLOC,     /* deallocates an object */
    SC_ROLE_CHORES,      /* the interpreter's own work between instructions: GIL, signals, GC */
    SC_ROLE_COUNT_,
};

/* The names that are known, for sc_role_of_name: symbol tables have tens of thousands. To be ended
 * by sc_intern_done. */
void sc_role_names_init(struct sc_intern *ret_names);

/* The role of a function by its name; what a compiler adds after a dot does not count. */
enum sc_role sc_role_of_name(const struct sc_intern *names, const char *name);
