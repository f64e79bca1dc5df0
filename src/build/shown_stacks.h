/*
 * build/shown_stacks.h - the stacks of a run as people see them, with names, in as much detail as
 * is asked for. Internal to src/build.
 *
 * Stacks of the collect that look the same are one here. Parents come before their children.
 *
 * Native frames that called a Python frame which is not shown are left out with it. Where the
 * native code between two Python frames was not read, as where a thread waits, it is taken from the
 * stacks with the most time that have the same two frames, so that one path of calls is one stack
 * here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "build/builder.h"

/* A stack with less than 1/1000 of the whole, with all that it calls, is folded into its caller. */
#define SC_SHOWN_SMALLEST_SHARE 1000

/* The frames that are shown. */
enum sc_shown_detail {
    SC_SHOWN_PYTHON, /* Python's in scope */
    SC_SHOWN_ENDS,   /* and native ones inside the innermost of those */
    SC_SHOWN_ALL,    /* Python's, and native ones between and inside them */
};

struct sc_shown_frame {
    bool is_native;
    bool is_library;  /* Python's out of scope */
    bool is_plumbing; /* the interpreter's, or start-up: passes a call on */
    uint32_t name;    /* ids in texts */
    uint32_t file;
    uint32_t line;   /* of Python */
    uint64_t offset; /* native: of an instruction in the file, the first that was met */
    uint64_t inside; /* native: of that instruction in its function */
};

struct sc_shown_stack {
    uint32_t parent;
    uint32_t frame;
    uint32_t depth;       /* frames in it; 0 for the root */
    uint32_t folded_into; /* itself, or the stack that has its costs now */
    uint32_t python; /* the innermost, itself or a caller, that ends in a Python frame; 0: none */
    uint32_t owner;  /* the same among frames in scope: its line is charged */
    uint32_t stays;  /* python, or the "in worker threads" frame inside it, which is never hidden */
    uint64_t time_ns;   /* that makes up the total */
    uint64_t python_ns; /* parts of it */
    uint64_t native_ns;
    uint64_t
        waiting_ns; /* the part in which nothing of the process was on a CPU or ready for one */
    uint64_t samples;
};

struct sc_shown_stacks {
    const struct sc_builder *builder;
    struct sc_intern texts;
    SC_VEC(struct sc_shown_frame) frames;
    SC_VEC(struct sc_shown_stack) stacks; /* 0 is the root */
    struct sc_map frame_index;
    struct sc_map children;
    uint32_t *of_node;      /* per node of the collect */
    uint32_t *time_of_node; /* the same, or that with one more native frame, which shows the node's
                               own time */
    uint64_t moved_ns; /* time that is shown at another line, or as of another kind, since its stack
                          is small */
};

/* Freed by sc_shown_stacks_done. */
void sc_shown_stacks_build(struct sc_shown_stacks *shown, const struct sc_builder *builder,
                           enum sc_shown_detail detail);
void sc_shown_stacks_done(struct sc_shown_stacks *shown);

/* Adds the costs of stacks that have less time than least_ns, with all that they call, to their
 * callers, from the innermost frames outwards. So many small stacks become few, and no time is
 * lost. Small pieces of native code that a Python frame calls stay native: together they become one
 * frame. Stacks of one frame stay. */
void sc_shown_stacks_fold(struct sc_shown_stacks *shown, uint64_t least_ns);

struct sc_timeline_runs SC_VEC_OF(struct sc_timeline_run);

/* The shown stack that has the time of a run of the timeline. */
static inline uint32_t sc_shown_stacks_of_run(const struct sc_shown_stacks *shown,
                                              const struct sc_timeline_run *run)
{
    return shown->stacks.items[shown->time_of_node[run->node]].folded_into;
}

/* The runs of the timeline sorted by start, without those of stacks whose number is none; numbers
 * has one number per shown stack. ret_runs is empty before, and to be freed. */
void sc_shown_stacks_runs(const struct sc_shown_stacks *shown, const uint32_t *numbers,
                          uint32_t none, struct sc_timeline_runs *ret_runs);

/* A frame as the profile has it, with its texts among texts. with_role: its role is set where it
 * has one. */
struct sc_profile_frame sc_shown_frame_in(const struct sc_shown_stacks *shown, uint32_t frame,
                                          bool with_role, struct sc_intern *texts);

/* The same of all frames of a stack, outermost first; without roles. To be freed. */
struct sc_profile_frames sc_shown_stack_in(const struct sc_shown_stacks *shown, uint32_t stack,
                                           struct sc_intern *texts);
