/*
 * export/samples.h - a profile as stacks with values: what most formats are made of.
 *
 * A node is a frame below its caller's node. It has each value that the profile knows of: of some
 * (copies, waits, devices) only the line is known, and of a profile without stacks that is so of
 * all. Such a line is a node of its own, below the root.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "report/stacks.h"

/* What a node may have, without what it called.
 *   name in code, name in files, unit */
#define SC_EXPORT_VALUES(X)                                                                        \
    X(TIME, "time", SC_EXPORT_NS)                                                                  \
    X(WAITING, "waiting", SC_EXPORT_NS) /* the part of time with nothing on a CPU */               \
    X(ALLOCATED, "allocated", SC_EXPORT_BYTES)                                                     \
    X(AT_PEAK, "in_use_at_peak", SC_EXPORT_BYTES)                                                  \
    X(AT_EXIT, "in_use_at_exit", SC_EXPORT_BYTES)                                                  \
    X(COPIED, "copied", SC_EXPORT_BYTES)                                                           \
    X(GPU, "gpu", SC_EXPORT_NS)                                                                    \
    X(BLOCKED_IO, "blocked_io", SC_EXPORT_NS) /* of every thread, whether or not it held up */     \
    X(BLOCKED_LOCK, "blocked_lock", SC_EXPORT_NS)                                                  \
    X(BLOCKED_GIL, "blocked_gil", SC_EXPORT_NS)                                                    \
    X(BLOCKED_SLEEP, "blocked_sleep", SC_EXPORT_NS)                                                \
    X(BLOCKED_CHILD, "blocked_child", SC_EXPORT_NS)                                                \
    X(BLOCKED_OTHER, "blocked_other", SC_EXPORT_NS)

#define X_ENUM(name, text, unit) SC_EXPORT_##name,
enum sc_export_value { SC_EXPORT_VALUES(X_ENUM) SC_EXPORT_COUNT_ };
#undef X_ENUM

enum sc_export_unit { SC_EXPORT_NS, SC_EXPORT_BYTES, SC_EXPORT_SAMPLES };

struct sc_export_function {
    const char *name;  /* all texts are UTF-8, on one line, and can be seen */
    const char *path;  /* file or module, "" when not known */
    const char *shown; /* "work (prog.py)" */
    enum sc_frame_kind kind;
};

static inline bool sc_export_is_python(const struct sc_export_function *function)
{
    return function->kind == SC_FRAME_PYTHON || function->kind == SC_FRAME_LIBRARY;
}

struct sc_export_frame {
    uint32_t function; /* index in functions */
    uint32_t line;     /* 0: not known */
    const char *shown; /* "work (prog.py:4)" */
    bool is_used;      /* by a node */
};

struct sc_export_node {
    uint32_t parent;
    uint32_t frame;
    bool is_line; /* of a line alone, whose function is the one that the profile knows around it */
};

struct sc_export_samples {
    const struct sc_profile *profile;
    struct sc_stacks stacks; /* its trie of lines are the first nodes */
    struct sc_intern texts;
    struct sc_intern function_index;
    SC_VEC(struct sc_export_function) functions;
    SC_VEC(struct sc_export_frame) frames;
    SC_VEC(struct sc_export_node) nodes; /* 0: the root; parents come before their children */
    double *self[SC_EXPORT_COUNT_];      /* of each node; NULL where all would be 0 */
    size_t room;                         /* nodes that self has room for */
    bool is_timed;                       /* else time is a number of samples */

    /* Of what they are said to be; borrowed. */
    const char *service;
    double begin_s, span_s;              /* since 1970, and how long */
    const char *names[SC_EXPORT_COUNT_]; /* of values; NULL: the usual one */
    const char *period_name;             /* what has been sampled by */
    enum sc_export_unit period_unit;
    bool has_periods; /* what is not sampled by time is said to be sampled one by one */
};

void sc_export_samples_init(struct sc_export_samples *samples, const struct sc_profile *profile);
void sc_export_samples_done(struct sc_export_samples *samples);

/* As samples->names has it. Of samples that are not timed, time is called "samples". */
const char *sc_export_value_name(const struct sc_export_samples *samples,
                                 enum sc_export_value value);
enum sc_export_unit sc_export_value_unit(const struct sc_export_samples *samples,
                                         enum sc_export_value value);

/* "nanoseconds", "bytes" or "count", as pprof and those that follow it have it. */
const char *sc_export_unit_name(enum sc_export_unit unit);

/* Of a node, rounded; 0 where there is none. */
int64_t sc_export_self(const struct sc_export_samples *samples, enum sc_export_value value,
                       uint32_t node);

/* Rounded to what a file's whole numbers hold. */
int64_t sc_export_whole(double number);

/* Since 1970, rounded likewise. */
uint64_t sc_export_moment_ns(double moment_s);

/* The frames of a node's stack, outermost first, in ret_frames (cleared before). */
struct sc_export_stack SC_VEC_OF(uint32_t);
void sc_export_stack_of(const struct sc_export_samples *samples, uint32_t node,
                        struct sc_export_stack *ret_frames);

/* A text of the profile's as the table's: on one line, to be seen. */
const char *sc_export_text(struct sc_intern *texts, const char *text);
