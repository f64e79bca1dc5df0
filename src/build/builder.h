/*
 * build/builder.h - what the steps of sc_profile_build share. Internal to src/build.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "build/input.h"
#include "build/native_import.h"
#include "costs/curve.h"
#include "costs/gpu.h"
#include "costs/owners.h"
#include "source/source.h"

/* A def or class of a source file. */
struct sc_builder_scope {
    uint32_t start, end; /* lines, inclusive */
    uint32_t parent;     /* index of the scope around it, or SC_NONE */
    bool is_class;
    bool is_async;
    char *name;        /* qualified, as co_qualname would be */
    uint32_t function; /* index of its total in functions, or SC_NONE */
};

struct sc_builder_file {
    char *name; /* as shown: absolute, or the name of a text without a file */
    enum sc_scope_reason reason;
    bool is_shown;
    bool is_silent; /* its file system has not answered */
    bool source_changed;
    bool is_importer;   /* Python's own module that imports others */
    uint32_t last_line; /* that was seen of it, at least 1 */
    double mallocs;     /* blocks that its lines have allocated */
    double allocated_bytes;
    double await_ns;      /* tasks waited at its lines */
    uint64_t launched_ns; /* device time of what its lines have launched */
    uint64_t own_ns;      /* charged to the file; if it is out of scope, only time that no caller in
                             scope is charged */
    uint64_t unmarked_ns; /* in scope, but neither it nor a caller is marked, while others are */
    struct sc_source source;
    SC_VEC(struct sc_builder_scope) scopes; /* by start */
};

struct sc_builder_code {
    uint32_t file;
    uint32_t function;  /* index in functions, or SC_NONE */
    uint32_t last_line; /* that was seen of it */
};

/* What a line or a function cost. */
struct sc_total {
    uint32_t file;
    uint32_t line; /* of a function: its first */
    char *name;    /* of a function */
    bool is_async; /* an async def */
    struct sc_stack_cost own;
    double same_squares[SC_SEQUENCE_LAGS]; /* parts of own.squares, as in struct sc_scatter */
    uint64_t workers_ns;                   /* part of own: threads that worked for it */
    uint64_t importing_ns;                 /* part of own: modules that it imports */
    uint64_t cumulative_ns;
    uint32_t on_path;     /* occurrences on the path from the root, during the walk */
    struct sc_cost cost;  /* its moments, and its members about memory and tasks */
    struct sc_curve live; /* bytes alive, while accounts of memory are added up */
    size_t account_count; /* number of these accounts */
    double await_ns;
    uint64_t await_occupied_ns; /* time in which any task waited here */
    struct sc_gpu_account gpu;  /* sums; its node is not set */
};

/* A function with @profile: the lines from its first decorator on. */
struct sc_builder_marked {
    uint32_t function; /* index in functions, or SC_NONE: a lambda outside of all of them */
    uint32_t file;
    uint32_t start, end;
};

struct sc_shown_stacks;

struct sc_builder {
    const struct sc_build_input *input;
    const struct sc_collect *collect;
    bool counts[SC_TIME_COUNT_]; /* which times make up the total */
    uint64_t total_ns;
    uint64_t on_cpu_ns;               /* the part of the total that samples stand for */
    uint64_t time_ns[SC_TIME_COUNT_]; /* of all stacks, with times outside the total */
    double await_ns;                  /* tasks waited at lines in scope */
    double allocated_bytes;           /* by lines in scope */
    SC_VEC(struct sc_builder_file) files;
    struct sc_builder_code *codes; /* one per collected code */
    uint32_t *owners;              /* one per node: the innermost node in scope, or SC_NONE */
    uint32_t *node_lines;          /* one per node: index in lines, or SC_NONE */
    SC_VEC(struct sc_total) lines;
    SC_VEC(struct sc_total) functions;
    struct sc_map line_index;        /* file and line -> lines */
    struct sc_shown_stacks *pythons; /* stacks of Python frames in scope */
    SC_VEC(struct sc_builder_marked) marked_functions;
    struct sc_marked marked; /* the marked functions, by frames */
    struct sc_native_imports imports;
    uint64_t importing_ns; /* time below imports, without the lines in scope there */
    uint64_t ending_ns;    /* time of ending the interpreter */
};

/* The file of a node's code. The node is not the root. */
struct sc_builder_file *sc_builder_file_of(const struct sc_builder *builder, uint32_t node);

/* The sum of the times that make up the total. */
uint64_t sc_builder_counted_ns(const struct sc_builder *builder, const struct sc_stack_cost *cost);

/* part_ns, but no more than the cost's times that make up the total. */
uint64_t sc_builder_part_ns(const struct sc_builder *builder, const struct sc_stack_cost *cost,
                            uint64_t part_ns);

/* A time in seconds, cut to a microsecond. */
double sc_builder_seconds(uint64_t time_ns);

/* Finds the defs and classes of a file whose source has been read. */
void sc_builder_find_scopes(struct sc_builder_file *file);

/* Whether the file's text can be what its code was made from. A template (Jinja) is not: Python
 * code made from it is compiled under its name, with line numbers of its own. Of files not named as
 * Python it is expected that functions begin where the text has their names. */
bool sc_builder_source_fits(const struct sc_builder *builder, const struct sc_builder_file *file);
void sc_builder_file_done(struct sc_builder_file *file);

/* Sets the function of every code of the files that are shown. */
void sc_builder_find_functions(struct sc_builder *builder);

/* Finds the marked functions of the files that are shown. After sc_builder_find_functions. */
void sc_builder_find_marked(struct sc_builder *builder);

/* Whether a line or a function keeps its numbers: all do unless some functions are marked. */
bool sc_builder_shows_line(const struct sc_builder *builder, uint32_t file, uint32_t line);
bool sc_builder_shows_function(const struct sc_builder *builder, uint32_t function);

/* Fills lines and functions for the files that are shown. */
void sc_builder_tally(struct sc_builder *builder);

/* The line that a stack is charged to, as an index in lines, or SC_NONE. After sc_builder_tally. */
uint32_t sc_builder_owner_line(const struct sc_builder *builder, uint32_t node);

/* Fills units. After sc_builder_tally. */
void sc_builder_units(const struct sc_builder *builder, struct sc_profile *profile);

/* Fills gil_waits. After sc_builder_tally. */
void sc_builder_lock_waits(const struct sc_builder *builder, struct sc_profile *profile);

/* Fills timeline_tracks; the start of the run is known. */
void sc_builder_tracks(const struct sc_builder *builder, struct sc_profile *profile);

/* Fills stacks, combined_stacks and combined_stacks_timeline. After sc_builder_footprint. */
void sc_builder_stacks(struct sc_builder *builder, struct sc_profile *profile);

/* Fills call_frames, call_tree and call_timeline. The start of the run is known. */
void sc_builder_calls(const struct sc_builder *builder, struct sc_profile *profile);

/* The total of a node's line, and of its function; NULL where the profile has none. After
 * sc_builder_tally. */
struct sc_total *sc_builder_line_of(const struct sc_builder *builder, uint32_t node);
struct sc_total *sc_builder_function_of(const struct sc_builder *builder, uint32_t node);

/* Turns a total into the numbers of a profile, which take what it owns. */
void sc_builder_cost(const struct sc_builder *builder, struct sc_total *total,
                     struct sc_cost *ret_cost);

/* allocated_mb, or 0 when it is hardly more than touched_mb. */
double sc_builder_allocated(double allocated_mb, double touched_mb);

/* Fills the memory of lines and functions. After sc_builder_tally. */
void sc_builder_memory(struct sc_builder *builder);

/* Fills what lines and functions have waited for. After sc_builder_tally. */
void sc_builder_awaits(struct sc_builder *builder, struct sc_profile *ret_profile);

/* Fills task_lanes and task_places. The start of the run is known. */
void sc_builder_task_lanes(const struct sc_builder *builder, struct sc_profile *profile);

/* Fills what GPUs did for lines, functions and the program. After sc_builder_tally. */
void sc_builder_gpu(struct sc_builder *builder, struct sc_profile *profile);
void sc_builder_copy_gpu(const struct sc_total *total, struct sc_cost *ret_cost);

/* Whether the def that begins on a line is an async def. */
bool sc_builder_is_async(const struct sc_builder_file *file, uint32_t start_line);

/* Fills the leaks of files; files_at has the index in the profile of each file of the builder. */
void sc_builder_leaks(const struct sc_builder *builder, const uint32_t *files_at,
                      struct sc_profile *profile);

/* Fills the profile's numbers on the whole program's memory. */
void sc_builder_footprint(const struct sc_builder *builder, struct sc_profile *profile);
