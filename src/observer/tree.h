/*
 * observer/tree.h - what the processes of a tree say of one another: how a child ended, and what
 * was executed that cannot be followed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "channel/format.h"

struct sc_child_end {
    uint64_t time_ns;
    uint32_t pid;
    int32_t status; /* as wait(2) has it */
};

/* A file that was executed. */
struct sc_executed {
    const char *obstacle; /* why it cannot be followed, as in executable.h; NULL when it can */
    uint64_t count;
    uint64_t out_of_reach; /* so often where the agent's library cannot be read */
};

/* A Python that the agent was loaded into and that cannot be profiled. */
struct sc_refused {
    struct sc_hello hello; /* its first */
    uint64_t count;
};

/* Zero is an empty one. */
struct sc_tree {
    SC_VEC(struct sc_child_end) ends; /* of children that have not been found yet */
    struct sc_map numbers;  /* of a process -> its place among those followed, the last one */
    struct sc_intern files; /* names of what was executed */
    SC_VEC(struct sc_executed) executed; /* by the number of the name */
    struct sc_intern pythons;            /* files of those that were refused; "" where unknown */
    SC_VEC(struct sc_refused) refused;   /* by the number of the file */
    uint64_t refused_count;              /* of processes */
    uint64_t not_followed;               /* how often one was that cannot be */
};

void sc_tree_add_end(struct sc_tree *tree, const struct sc_record_child_end *record);
void sc_tree_add_exec(struct sc_tree *tree, const struct sc_record_exec *record);
/* By its name alone: without a slash it is searched in our PATH. is_out_of_reach: by a process that
 * cannot read the agent's library. */
void sc_tree_add_executed(struct sc_tree *tree, const char *name, bool is_out_of_reach);
/* The hello of one that cannot be profiled, and its executable or "". */
void sc_tree_add_refused(struct sc_tree *tree, const struct sc_hello *hello, const char *path);
void sc_tree_done(struct sc_tree *tree);
