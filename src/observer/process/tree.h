/*
 * observer/process/tree.h - what the processes of a tree report of one another: how a child ended,
 * and what was executed that cannot be followed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/helper.h"
#include "base/map.h"
#include "base/vec.h"
#include "channel/format.h"
#include "observer/system/pid_namespace.h"

struct sc_child_end {
    uint64_t time_ns;
    uint64_t key;   /* of pid_namespace.h, for the child's number as its parent reports it */
    int32_t status; /* as wait(2) has it */
};

/* A file that was executed. */
struct sc_executed {
    char *path;     /* once it is known; owned */
    char *obstacle; /* why it cannot be followed, as in executable.h; NULL when it can; owned */
    uint64_t count;
    uint64_t out_of_reach;     /* how often where the agent's library could not be loaded */
    uint64_t unfollowed_count; /* how often it was not followed, by any name; set by
                                  sc_tree_sum_executed */
};

/* A Python that the agent was loaded into and that cannot be profiled. */
struct sc_refused {
    struct sc_hello hello; /* of the first such process */
    uint64_t count;
};

/* Zero is an empty one. */
struct sc_tree {
    struct sc_helper *helper;         /* looks at what was executed, or NULL; not owned */
    SC_VEC(struct sc_child_end) ends; /* of children that have not been found yet */
    struct sc_map numbers;  /* key of a process -> serial of the last followed one with it */
    struct sc_intern files; /* names of what was executed */
    SC_VEC(struct sc_executed) executed; /* by the number of the name */
    struct sc_intern pythons;            /* files of those that were refused; "" where unknown */
    SC_VEC(struct sc_refused) refused;   /* by the number of the file */
    uint64_t refused_count;              /* of processes */
    uint64_t running_roots;              /* followed ones without a followed one above */
    uint64_t not_followed; /* how often files were executed that cannot be followed; set by
                              sc_tree_sum_executed */
};

/* namespace_id: of the process that has sent the record, as in pid_namespace.h. */
void sc_tree_add_end(struct sc_tree *tree, uint64_t namespace_id,
                     const struct sc_record_child_end *record);
/* A process is followed, and has that number among those of the run. parent is one that is
 * followed, or NULL. */
void sc_tree_add_process(struct sc_tree *tree, const struct sc_pid_names *names,
                         const struct sc_pid_names *parent, uint32_t serial);
/* The process is forgotten. */
void sc_tree_forget(struct sc_tree *tree, const struct sc_pid_names *names, uint32_t serial);
/* pid: the process that executes that file, or that makes a process for it, in our namespace. */
void sc_tree_add_exec(struct sc_tree *tree, pid_t pid, const struct sc_record_exec *record);
/* Adds a file that the process executes or has executed, by the name it gave: a name without a
 * slash is searched in our PATH, a relative path begins at the process's working directory.
 * is_out_of_reach: where the agent's library could not be loaded. */
void sc_tree_add_executed(struct sc_tree *tree, pid_t pid, const char *name, bool is_out_of_reach);
/* Sums up the executed files, and waits a quarter of a second at most for what is not known yet. */
void sc_tree_sum_executed(struct sc_tree *tree);
/* Adds a Python that cannot be profiled: its hello, and its executable or "". */
void sc_tree_add_refused(struct sc_tree *tree, const struct sc_hello *hello, const char *path);
void sc_tree_done(struct sc_tree *tree);
