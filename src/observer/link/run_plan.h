/*
 * observer/link/run_plan.h - what `scalene run` has decided.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

/* Who gets the profile again and again while the program runs. */
struct sc_run_share {
    double interval_s;
    void *context;
    bool (*is_ready)(void *context);
    void (*take)(void *context, const struct sc_profile *so_far); /* must not wait */
    /* At the end, when the program is over and the profile in its file. May wait some seconds;
     * signals are blocked. The sentence about what went wrong, to be freed, or NULL. */
    char *(*end)(void *context, const struct sc_profile *profile);
};

#define SC_RUN_SHARES 2

/* Everything `scalene run` has decided. Strings are owned by the caller and outlive the run. */
struct sc_run_plan {
    char *const *command;      /* what to execute, found on PATH, NULL terminated */
    const char *python;        /* its interpreter's file; NULL: the user has named the command */
    const char *agent_path;    /* libscalene.so or libscalene-memory.so */
    const char *outfile;       /* absolute path of the JSON file; checked to be writable */
    const char *typed_outfile; /* the same for the user's eyes, perhaps relative */
    bool outfile_is_default;
    const struct sc_labels *labels; /* of the run; may be NULL */
    const char *program; /* what was asked for: "prog.py", "-m" module's name, "-c" or a command */
    enum sc_program_kind {
        SC_PROGRAM_FILE,
        SC_PROGRAM_MODULE,
        SC_PROGRAM_CODE,
        SC_PROGRAM_COMMAND, /* scalene run -- COMMAND */
    } program_kind;
    const char *program_text;  /* the source behind -c, else NULL */
    char *const *program_args; /* sys.argv of the program, NULL terminated, may be NULL */
    const char *program_path;  /* --program-path, resolved, or NULL */
    bool profile_all;
    bool profile_system_libraries;
    const char *const *profile_only;
    size_t profile_only_count;
    const char *const *profile_exclude;
    size_t profile_exclude_count;
    double cpu_percent_threshold;
    uint64_t malloc_threshold;
    double cpu_sampling_rate_s;
    bool samples_evenly;       /* at that rate from the start, not finer while the run is young */
    double profile_interval_s; /* between two writings while the program runs; may be infinite */
    struct sc_run_share shares[SC_RUN_SHARES]; /* take: NULL where nobody gets it */
    bool use_virtual_time;
    bool start_off; /* --off */
    bool memory;
    uint64_t allocation_window_bytes;
    bool find_leaks;
    bool gpu;        /* load and memory of GPUs */
    bool gpu_wanted; /* asked for by name, so that its absence is said */
    bool gpu_trace;  /* and what they do, kernel by kernel */
    bool async_profile;
    bool stacks;               /* call stacks with native frames */
    bool allow_unknown_python; /* SCALENE_ALLOW_UNKNOWN_PYTHON=1 */
    bool quiet;                /* no closing lines, and no status */
    bool full_profile;         /* records of all lines, also those that sparse.h leaves out */
    void (*complete)(struct sc_profile *profile); /* before each writing; may be NULL */
    /* after the closing lines; may be NULL, not called when quiet or without data */
    void (*summarize)(const struct sc_run_plan *plan, const struct sc_profile *profile);

    /* Not 0: no command is started; this process, which runs already, is about to load the agent.
     * Profiling is off until an order switches it on. */
    pid_t attach_pid;
    /* With attach_pid: the process has not asked for it, and profiling begins at once. */
    bool attaches;
    bool with_children; /* with attaches: also the Pythons below it */
    double duration_s;  /* with attaches: how long, may be infinite */
    /* With attach_pid: called once we listen, with the rendezvous for the agent; with attaches,
     * once the process is followed. False when nobody waits for that any more. */
    bool (*on_ready)(const struct sc_run_plan *plan, const char *rendezvous);
    const char *cell_sources_path; /* sources that are in no file (costs/cell_sources.h), or NULL */
};
