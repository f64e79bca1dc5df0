/*
 * profile/build.h - from collected stacks to a profile: scope, lines, functions, totals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/collect.h"
#include "profile/profile.h"

struct sc_beside;

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
    struct sc_beside *beside; /* reads files (base/beside.h), or NULL; not owned */
};

enum sc_scope_reason {
    SC_SCOPE_IN,
    SC_SCOPE_LIBRARY,  /* standard library or installed package */
    SC_SCOPE_EXCLUDED, /* by --profile-exclude or not in --profile-only */
    SC_SCOPE_OUTSIDE,  /* not under the root */
    SC_SCOPE_INTERNAL, /* <frozen ...>, <string> and the like */
    SC_SCOPE_TOOL,     /* of the package that was started: in scope if hardly any other code is */
};

/* Whether code of this file is in scope, by the rules of docs/scope.md. */
enum sc_scope_reason sc_scope_of(const struct sc_scope *scope, const char *file);

/* The same for the name that a code object has: links are followed, the given text is in scope. */
enum sc_scope_reason sc_scope_of_code(const struct sc_scope *scope, const char *name);

struct sc_ledger;
struct sc_awaits;
struct sc_gpu;

/* A native function at one place; the text must live until the next call. */
struct sc_native_name {
    const char *text;
    uint64_t inside; /* bytes from its start */
};

#define SC_NATIVE_NAMES_MAX 16

/* Fills ret_names with the functions that the instruction at an offset of a module's file is in,
 * the real one, then those inlined into it. Returns their number; 0: the frame is left out. */
typedef size_t sc_native_namer(void *context, const char *module, uint64_t offset,
                               struct sc_native_name ret_names[SC_NATIVE_NAMES_MAX]);

/* "libz.so.1.2.13+0x41f0", or the module's name where it is not a file. To be freed. */
char *sc_native_place(const char *module, uint64_t offset);
struct sc_texts;

/* What the observer knows in addition to the stacks. Copied; not owned. */
struct sc_build_input {
    const struct sc_collect *collect;
    const struct sc_scope *scope;
    bool virtual_time;                  /* only user CPU time counts */
    uint64_t program_start_realtime_ns; /* for source_changed */
    const char *text;                   /* the source named by the scope's text_name, or NULL */
    const struct sc_texts *texts;       /* other sources without a file, or NULL */
    const struct sc_ledger *ledger;     /* finished; NULL when memory was not measured */
    bool find_leaks;
    bool stacks;            /* fill the lists of stacks */
    uint64_t interval_ns;   /* of the samples: what a count stands for */
    sc_native_namer *namer; /* NULL: native frames have no names */
    void *namer_context;
    const struct sc_awaits *awaits; /* NULL when await time was not measured */
    const struct sc_gpu *gpu;       /* NULL when GPUs were not measured */
    uint64_t begun_ns;              /* of the run, on the ledger's clock */
    uint64_t ended_ns;
};

/* Fills files, lines, functions, threads, hidden_files, time_s, wait_s, gc_s and the memory members
 * of ret_profile, reading sources from disk. The caller fills the rest (program, args, elapsed,
 * losses, costs). */
void sc_profile_build(const struct sc_build_input *input, struct sc_profile *ret_profile);
