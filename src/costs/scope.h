/*
 * costs/scope.h - whose code is in scope: which lines costs can belong to (docs/scope.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_helper;

/* Which code is in scope, and which files are shown. Paths are absolute and resolved. */
struct sc_scope {
    const char *root_dir;          /* --program-path, or the program's directory */
    bool profile_all;              /* --profile-all */
    bool profile_system_libraries; /* --profile-system-libraries */
    const char *const *only;       /* --profile-only, substrings */
    size_t only_count;
    const char *const *exclude; /* --profile-exclude, substrings */
    size_t exclude_count;
    const char *const *library_dirs; /* standard library and installed packages of the Python */
    size_t library_dir_count;
    const char *const *tools; /* packages that were started: names of modules in libraries */
    size_t tool_count;
    const char *text_name; /* the name of a text that was given ("<string>" of -c), or NULL */
    double cpu_percent_threshold; /* a file under it, and under malloc_threshold, is not shown */
    uint64_t malloc_threshold;
    struct sc_helper *helper; /* reads files (base/helper.h), or NULL; not owned */
};

enum sc_scope_reason {
    SC_SCOPE_IN,
    SC_SCOPE_LIBRARY,  /* standard library or installed package */
    SC_SCOPE_EXCLUDED, /* by --profile-exclude or not in --profile-only */
    SC_SCOPE_OUTSIDE,  /* not under the root */
    SC_SCOPE_INTERNAL, /* <frozen ...>, <string> and the like; our own package */
    SC_SCOPE_TOOL, /* of the package that was started: in scope if hardly any other code in scope
                      took time */
};

/* Whether code of this file is in scope, by the rules of docs/scope.md. */
enum sc_scope_reason sc_scope_of(const struct sc_scope *scope, const char *file);

/* The same for the name that a code object has: links are followed, the given text is in scope. */
enum sc_scope_reason sc_scope_of_code(const struct sc_scope *scope, const char *name);
