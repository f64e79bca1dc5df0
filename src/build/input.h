/*
 * build/input.h - what a profile is built from.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/collect.h"
#include "costs/scope.h"
#include "profile/profile.h"

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

struct sc_cell_sources;

/* What the observer knows in addition to the stacks. Copied; not owned. */
struct sc_build_input {
    const struct sc_collect *collect;
    const struct sc_scope *scope;
    bool virtual_time;                  /* only user CPU time counts */
    uint64_t program_start_realtime_ns; /* for source_changed */
    const char *text;                   /* the source named by the scope's text_name, or NULL */
    const struct sc_cell_sources *cell_sources; /* other sources without a file, or NULL */
    const struct sc_ledger *ledger;             /* finished; NULL when memory was not measured */
    bool find_leaks;
    bool stacks;            /* fill the lists of stacks */
    uint64_t interval_ns;   /* of the samples: what a count stands for */
    sc_native_namer *namer; /* NULL: native frames have no names */
    void *namer_context;
    bool names_all;                 /* the namer is also asked about modules that have no path */
    const struct sc_awaits *awaits; /* NULL when await time was not measured */
    const struct sc_gpu *gpu;       /* NULL when GPUs were not measured */
    uint64_t begun_ns;              /* of the run, on the ledger's clock */
    uint64_t ended_ns;
    uint64_t elapsed_ns;       /* between them, without pauses */
    uint64_t measured_from_ns; /* profiling was switched on first, and off last */
    uint64_t measured_to_ns;
};
