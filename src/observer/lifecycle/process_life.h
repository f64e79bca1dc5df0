/*
 * observer/lifecycle/process_life.h - a process from its hello to its end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* What a process begins with. */
struct sc_process_start {
    pid_t pid;
    struct sc_pid_names names;
    const struct sc_process *parent; /* the followed process that it was forked from, or NULL; its
                                        facts are used, as an ended child cannot be read */
    const char *executable;          /* as it reports itself, "" when it does not */
    struct sc_collect *collect;
    struct sc_charge_young *young;
    struct sc_owners *owners;
    struct sc_ledger *ledger;   /* NULL when memory is not measured */
    struct sc_gpu *gpu;         /* NULL when GPUs are not measured */
    struct sc_symbols *symbols; /* NULL when no native frames are wanted */
    const char *directory;      /* what relative file names of its code are relative to */
    struct sc_helper *helper;   /* answers questions about files, or NULL */
    struct sc_helper *sources;  /* the same, by the names that code has for them */
    bool allow_unknown;
};

/* Takes the reader. NULL with err set when the agent describes no interpreter that is known. */
struct sc_process *sc_process_new(const struct sc_process_start *start, struct sc_reader *reader,
                                  struct sc_err *err);

void sc_process_free(struct sc_process *process);

/* The process is gone, or a zombie: drains its ring, closes every account, and frees what is not
 * needed for the profile. cpu_ns: its CPU time in all, 0 when not known. */
void sc_process_end(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns);

/* Another program has begun after this one, which has ended: what it held at its end is alive no
 * longer. */
void sc_process_forget_memory(struct sc_process *process, uint64_t now_ns);

/* The process continues: prepares what is known of it so far for a report. */
void sc_process_prepare_report(struct sc_process *process, uint64_t now_ns);
