/*
 * costs/collect.h - what a run has cost so far: a trie of stacks with times at its nodes. Frames
 * are Python's, and native ones between and inside them.
 *
 * The observer fills it, sample by sample; nothing is filtered here. Which files are in scope, and
 * therefore which line of a stack a cost belongs to, is decided by build/build.h when a profile
 * is written. Memory is bounded: stacks are shared, and beyond a limit of nodes new stacks are cut
 * to their innermost frame (counted in stacks_cut). Code objects and threads have limits too,
 * beyond which they share one entry. A parent's id is always smaller than its children's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "costs/pair_sums.h"
#include "costs/sequence.h"
#include "costs/timeline.h"
#include "costs/tracks.h"
#include "costs/units.h"
#include "profile/kinds.h"

/* Node 0 is the root: no Python frame. Node ids are dense. */
struct sc_stack_node {
    uint32_t parent;
    uint32_t code; /* index in codes; SC_NONE at the root */
    uint32_t line; /* 0 when not known */
    uint32_t cost; /* index in costs, SC_NONE when no time was charged here */
};

struct sc_stack_cost {
    uint64_t time_ns[SC_TIME_COUNT_];
    uint64_t wait_ns[SC_WAIT_COUNT_];
    uint64_t gc_ns;         /* part of time_ns during a garbage collection */
    uint64_t freeing_ns;    /* part of time_ns in which objects were freed outside of collections */
    uint64_t samples;       /* samples on a CPU */
    double squares;         /* sum of the squares of these samples' times, in ns^2 */
    double utilization_sum; /* sum over samples of weight * process CPU / (wall * CPUs), 0..1 */
    double utilization_weight;
};

/* One code object's identity, or a native function's. Strings are ids in names. */
struct sc_code {
    uint32_t file;           /* as in co_filename; native: the module's file */
    uint32_t qualified_name; /* co_qualname, or co_name before 3.11; native: SC_NONE */
    uint32_t first_line;     /* native: 0 */
    uint64_t offset;         /* native: of an instruction in the module's file */
};

static inline bool sc_code_is_native(const struct sc_code *code)
{
    return code->qualified_name == SC_NONE;
}

struct sc_thread_cost {
    uint64_t tid;          /* the kernel's number */
    uint64_t pid;          /* of its process, 0 when not known */
    uint64_t python_ident; /* threading.get_ident(), 0 when never in Python */
    char name[64];
    bool is_main;
    bool has_python; /* Python started it, or a Python frame was ever seen */
    bool ended;
    uint64_t time_ns[SC_TIME_COUNT_];
    uint64_t wait_ns[SC_WAIT_COUNT_];
    uint64_t cpu_ns; /* the kernel's own figure */
    uint64_t samples;
};

/* A moment the main thread of a process was sampled at, for cpu_samples_list. */
struct sc_moment {
    double perf_s; /* time.perf_counter() of the target, seconds */
    uint32_t node;
};

struct sc_collect {
    struct sc_intern names;
    SC_VEC(struct sc_code) codes;
    SC_VEC(struct sc_stack_node) nodes;
    SC_VEC(struct sc_stack_cost) costs;
    SC_VEC(struct sc_thread_cost) threads;
    SC_VEC(uint32_t) marked;          /* codes of functions with @profile, each once */
    SC_VEC(struct sc_moment) moments; /* a uniform reservoir, at most moments_limit */
    struct sc_timeline timeline;
    struct sc_tracks tracks;
    struct sc_pair_sums lock_waits; /* nodes: of the thread that waits, and of the holder */
    struct sc_units units;
    struct sc_sequence sequence;
    size_t moments_limit;
    uint64_t moments_seen;
    uint64_t random_state;
    struct sc_map children;     /* mix(parent, code, line) -> node */
    struct sc_map code_index;   /* mix(file, name, first line) -> code */
    struct sc_map thread_index; /* pid and tid -> thread, except those in the last entry */
    struct sc_map moved;        /* node whose costs were moved -> where they are now */
    size_t nodes_limit;
    uint64_t stacks_cut;
    uint32_t ending;   /* node of SC_MODULE_ENDING, 0 before its first use */
    uint32_t last_cut; /* node of the last frame if its stack was cut, else SC_NONE */
    bool is_virtual;   /* only user CPU time is part of the total */
};

/* Whether this kind of time is part of the total. */
bool sc_time_counts(enum sc_time time, bool is_virtual);

/* nodes_limit and moments_limit 0 mean the defaults (2^20 and 5,000). */
void sc_collect_init(struct sc_collect *collect, size_t nodes_limit, size_t moments_limit);
void sc_collect_done(struct sc_collect *collect);

/* The index of the code object's identity, added if new. */
uint32_t sc_collect_code(struct sc_collect *collect, const char *file, const char *qualified_name,
                         uint32_t first_line);

/* The same for the native function at an offset in the file of a module. */
uint32_t sc_collect_native(struct sc_collect *collect, const char *module, uint64_t offset);

/* Whether the node is that of a native frame. */
bool sc_collect_is_native(const struct sc_collect *collect, uint32_t node);

/* The node of a frame called from parent, added if new. A native frame has line 0. */
uint32_t sc_collect_frame(struct sc_collect *collect, uint32_t parent, uint32_t code,
                          uint32_t line);

/* Repeats the stack of node below host, inside a frame of SC_MODULE_WORKERS that has number as its
 * line. Returns the innermost node. */
uint32_t sc_collect_worker(struct sc_collect *collect, uint32_t host, uint32_t number,
                           uint32_t node);

/* The node below which the time of ending the interpreter is kept. */
uint32_t sc_collect_ending(struct sc_collect *collect);

/* Moves all costs of one node to another. Runs of the timeline stay at the first one. */
void sc_collect_move(struct sc_collect *collect, uint32_t from, uint32_t to);

/* Whether the node is that of SC_MODULE_WORKERS. */
bool sc_collect_is_workers(const struct sc_collect *collect, uint32_t node);

/* The costs of a node, made on first use. The pointer is valid until the next call. */
struct sc_stack_cost *sc_collect_cost(struct sc_collect *collect, uint32_t node);

/* Records that a sample of a thread on a CPU, which stands for ns, was charged to the node. */
void sc_collect_sampled(struct sc_collect *collect, struct sc_sequence_thread *thread,
                        uint32_t node, uint64_t ns);

/* The index of the thread of a process, added if new. A tid that is used again after its entry was
 * marked as ended is a new thread. At most 1,000 entries are kept; the last one, with tid 0, is the
 * sum of all further threads. */
uint32_t sc_collect_thread(struct sc_collect *collect, uint64_t pid, uint64_t tid);

/* Records that the code is that of a function that the program has marked. */
void sc_collect_mark(struct sc_collect *collect, uint32_t code);

/* Offers a moment to the reservoir (Vitter's algorithm R). */
void sc_collect_moment(struct sc_collect *collect, double perf_s, uint32_t node);
