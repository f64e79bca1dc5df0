/*
 * report/stacks.h - the stacks of a profile as a tree: what a flame chart draws.
 *
 * The profile has a tree of calls, or lists in profiles of others, which may come from anywhere.
 * They are put once into a table of frames and two tries: one with a node per line of a function,
 * and one with a node per function. A tree for any weights of the stacks (time, memory, the time
 * within a span) then takes one pass over a trie.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

enum sc_frame_kind {
    SC_FRAME_PYTHON,  /* in scope, as far as is known */
    SC_FRAME_LIBRARY, /* Python out of scope */
    SC_FRAME_NATIVE,
    SC_FRAME_PLUMBING, /* native, and only passes a call on to another function */
    SC_FRAME_KERNEL,   /* what a system call does; is native too */
};

struct sc_frame {
    enum sc_frame_kind kind;
    uint32_t name; /* ids in texts */
    uint32_t path; /* source file or module, "" when not known */
    uint32_t line; /* 0: not known, or native */
};

static inline bool sc_frame_is_python(const struct sc_frame *frame)
{
    return frame->kind == SC_FRAME_PYTHON || frame->kind == SC_FRAME_LIBRARY;
}

/* Of memory: what was allocated, and of that what was in use at the peak and at the end. Of time:
 * the part on a CPU or ready for one, and that of waiting, which make up all time; both lists are
 * empty where the profile does not have them apart. */
enum sc_stack_list {
    SC_STACKS_TIME,
    SC_STACKS_MEMORY,
    SC_STACKS_AT_PEAK,
    SC_STACKS_AT_EXIT,
    SC_STACKS_ON_CPU,
    SC_STACKS_WAITING,
    SC_STACKS_COUNT_
};

/* What a node of a tree stands for. */
enum sc_stack_grain { SC_GRAIN_FUNCTION, SC_GRAIN_LINE, SC_GRAIN_COUNT_ };

/* Node 0 is the root; parents come before their children. */
struct sc_trie_node {
    uint32_t parent;
    uint32_t frame;    /* in the trie of functions: any frame of the function */
    uint32_t function; /* in the trie of lines: the node of the other trie */
};

struct sc_trie {
    SC_VEC(struct sc_trie_node) nodes;
    struct sc_map children;
};

struct sc_listed_stack {
    uint32_t node; /* in the trie of lines */
    double weight; /* time: seconds, or samples; memory: MB */
};

struct sc_stacks {
    struct sc_intern texts;
    SC_VEC(struct sc_frame) frames;
    struct sc_map frame_index;
    struct sc_trie tries[SC_GRAIN_COUNT_];
    SC_VEC(struct sc_listed_stack) lists[SC_STACKS_COUNT_]; /* in the order of the profile */
    bool is_timed;  /* weights of time are seconds; else samples */
    double count_s; /* seconds of one count of the lists' weights, or 1 */
    bool has_calls; /* the lists have all nodes of the profile's tree of calls, as its timeline
                       names them */
    bool is_cut;    /* a list was too long or too deep */
};

/* Borrows nothing. */
void sc_stacks_init(struct sc_stacks *stacks, const struct sc_profile *profile);
void sc_stacks_done(struct sc_stacks *stacks);

/* The unit of work of this name, an index in the profile's units. False where it has none, or does
 * not say at which stacks units were. */
bool sc_unit_find(const struct sc_profile *profile, const char *name, uint32_t *ret_unit,
                  struct sc_err *err);

/* What a unit spent at each stack of a list of times. The waits of its threads count also while
 * others worked. */
void sc_stacks_weigh_unit(const struct sc_stacks *stacks, const struct sc_profile *profile,
                          uint32_t unit, enum sc_stack_list list, double *ret_weights);

struct sc_stack_tree_node {
    uint32_t parent;
    uint32_t frame; /* SC_NONE at the root */
    uint32_t line;  /* where most of its time goes on, 0: not known */
    double self;    /* of stacks that end here, or in nodes folded into it */
    double total;   /* with what it called */
    double first_s; /* when it was first met, of the timeline; NAN: not known */
};

/* Node 0 is the root; parents come before their children, children of one parent have the order of
 * their first stack in the list. */
struct sc_stack_tree {
    SC_VEC(struct sc_stack_tree_node) nodes;
    size_t folded; /* nodes that are part of their parents now */
};

/* The tree of the list's stacks with these weights, one per stack of it; firsts_s likewise, or
 * NULL. Nodes under 1/4,000 of the whole are folded into their parents, and more if there would be
 * more than nodes_max. Freed by sc_stack_tree_done. */
void sc_stack_tree_init(struct sc_stack_tree *tree, const struct sc_stacks *stacks,
                        enum sc_stack_list list, enum sc_stack_grain grain, const double *weights,
                        const double *firsts_s, size_t nodes_max);
void sc_stack_tree_done(struct sc_stack_tree *tree);
