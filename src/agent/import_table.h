/*
 * agent/import_table.h - leads calls of loaded objects to functions of this library.
 *
 * A library that is preloaded stands in front of others by the order of look-up. One that is loaded
 * into a running program comes too late: every object has its own table of addresses, which the
 * loader has filled. Here those entries of that table are overwritten that lead to a function of
 * which we have one of the same name.
 *
 * An entry is a pointer that is read and written as a whole, so threads that are calling go one way
 * or the other. Pointers that the program has taken before (dlsym, tables of its own) stay. What
 * has been led here stays led here: our functions pass through when nothing is profiled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sc_import {
    const char *name;
    void *ours;
    void *theirs; /* where an entry for the name leads as the loader has left it */
};

#define SC_IMPORTS_MAX 96U

/* Fills ret_imports, of room for SC_IMPORTS_MAX, with the functions that this library exports and
 * others in the program have, too; returns how many. is_wanted chooses by the name. Names are
 * static. */
size_t sc_imports_find(struct sc_import *ret_imports, bool (*is_wanted)(const char *name));

/* Leads the entries of all objects that have been loaded since the last call with all set, or of
 * all objects. Returns how many entries were changed. Takes the loader's lock. */
size_t sc_imports_lead(const struct sc_import *imports, size_t count, bool all);

/* The function of that name that this library exports; NULL when it has none. */
void *sc_imports_own(const char *name);
