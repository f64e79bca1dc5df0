/*
 * agent/import_table.h - redirects calls of loaded objects to functions of this library.
 *
 * The loader finds a preloaded library's functions before those of others. For a library that is
 * loaded into a running program it is too late for that: every object has its own table of
 * addresses, which the loader has already filled. So we overwrite the entries of these tables for
 * functions of which this library has one of the same name.
 *
 * An entry is a pointer that is read and written atomically, so a concurrent call goes to either
 * function. Pointers that the program has copied before (dlsym, tables of its own) stay as they
 * are. Redirections are never undone: our functions pass calls through when nothing is profiled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sc_import {
    const char *name;
    void *ours;
    void *theirs; /* the function that the loader binds the name to */
};

#define SC_IMPORTS_MAX 96U

/* Fills ret_imports, of room for SC_IMPORTS_MAX, with the functions that this library exports and
 * another library has, too; returns how many. is_wanted selects them by name. Names are static. */
size_t sc_imports_find(struct sc_import *ret_imports, bool (*is_wanted)(const char *name));

/* Redirects the entries of objects that were loaded since the last call, or, if all is set, of all
 * objects. Returns how many entries were changed. Takes the loader's lock. */
size_t sc_imports_redirect(const struct sc_import *imports, size_t count, bool all);

/* The function of that name that this library exports; NULL when it has none. */
void *sc_imports_own(const char *name);
