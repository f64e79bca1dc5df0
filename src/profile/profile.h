/*
 * profile/profile.h - a finished profile: what every view, export and the JSON file are made of.
 *
 * Plain data. Names and units follow the JSON keys (docs/json.md); values of parts that were not
 * measured are 0, empty or NULL. All strings and arrays are owned by the profile and freed by
 * sc_profile_done.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "profile/kinds.h"
#include "source/parsed.h"

/* A point of a memory curve. */
struct sc_footprint {
    uint64_t time_ns; /* since profiling began */
    double mb;
};

struct sc_footprints SC_VEC_OF(struct sc_footprint);

/* What a loss means for the reader. */
enum sc_loss_kind {
    SC_LOST_SAMPLE,
    SC_LOST_STACK,
    SC_LOST_UNSEEN, /* not followed */
    SC_LOST_TASK,
    SC_LOST_WORK, /* of a device */
    SC_LOST_LABEL,
    SC_LOST_FILE,
    SC_LOST_BLOCK,
    SC_LOST_COUNT_
};

/* Reasons a sample was lost, or its stack is not whole. Counted in the agent and the observer.
 *   name in code, JSON name, kind, sentence for people */
#define SC_LOSSES(X)                                                                               \
    X(RING_FULL, "ring_full", SAMPLE, "the buffer to the observer was full")                       \
    X(NESTED, "nested", SAMPLE, "the sampler was interrupted by itself")                           \
    X(BUSY, "busy", SAMPLE, "no scratch buffer was free")                                          \
    X(BAD_FRAME, "bad_frame", STACK, "a frame could not be read")                                  \
    X(TOO_DEEP, "too_deep", STACK, "the stack was cut at its limit")                               \
    X(UNKNOWN_CODE, "unknown_code", STACK, "a code object could not be named")                     \
    X(NO_TIMER, "no_timer", UNSEEN, "a thread could not be given a timer")                         \
    X(NO_SLOT, "no_slot", UNSEEN, "there were more threads than can be followed")                  \
    X(HELD_UP, "held_up", UNSEEN,                                                                  \
      "a record was never finished, and what came after it was not read")                          \
    X(BLOCKED_SIGNAL, "blocked_signal", UNSEEN,                                                    \
      "a thread that blocks the sampling signal was not read")                                     \
    X(MOVED, "moved", SAMPLE, "a waiting thread moved while it was read")                          \
    X(UNREADABLE, "unreadable", SAMPLE, "a waiting thread could not be read")                      \
    X(TASK_MOVED, "task_moved", TASK, "a task went on while it was read")                          \
    X(STACKS_CUT, "stacks_cut", STACK, "too many different stacks, outer frames left out")         \
    X(MEMORY_RING_FULL, "memory_ring_full", BLOCK,                                                 \
      "the buffer to the observer was full of allocations")                                        \
    X(MEMORY_BUSY, "memory_busy", BLOCK, "no scratch buffer was free for an allocation")           \
    X(MEMORY_TABLE_FULL, "memory_table_full", BLOCK, "the life of a block could not be followed")  \
    X(NATIVE_CUT, "native_cut", STACK, "outer native frames were left out of a stack")             \
    X(GPU_UNKNOWN, "gpu_unknown", WORK, "work of a GPU was done whose launch had not been seen")   \
    X(GPU_LOST, "gpu_lost", WORK, "what a GPU did was not recorded, for want of room")             \
    X(LABEL_LOST, "label_lost", LABEL,                                                             \
      "a unit of work was entered or left, which was not recorded")                                \
    X(SILENT_FILE, "silent_file", FILE, "a file did not answer in time, or is broken")             \
    X(TREE, "child_not_followed", UNSEEN, "a child process was not followed")

#define X_ENUM(name, json, kind, text) SC_LOSS_##name,
enum sc_loss { SC_LOSSES(X_ENUM) SC_LOSS_COUNT_ };
#undef X_ENUM

extern const char *const sc_loss_names[SC_LOSS_COUNT_];
extern const char *const sc_loss_texts[SC_LOSS_COUNT_];
extern const enum sc_loss_kind sc_loss_kinds[SC_LOSS_COUNT_];

/* What one line or one function cost. JSON keys in comments where they differ. */
struct sc_cost {
    double cpu_python_percent; /* n_cpu_percent_python, % of the run's total time */
    double cpu_native_percent; /* n_cpu_percent_c */
    double system_percent;     /* n_sys_percent */
    double core_utilization;   /* n_core_utilization, 0..1 */
    double gpu_percent;
    double gpu_avg_memory_mb;
    double gpu_peak_memory_mb;
    double malloc_mb;
    uint64_t mallocs;
    double python_fraction; /* of malloc_mb, 0..1 */
    double usage_fraction;  /* 0..1 */
    double peak_mb;
    double growth_mb;
    double avg_mb;
    double copy_mb_s;
    double async_await_percent;
    double async_concurrency_mean;
    double async_concurrency_peak;
    bool is_coroutine;
    SC_VEC(double) cpu_samples; /* cpu_samples_list, perf seconds, sorted */
    struct sc_footprints memory_samples;
    SC_VEC(char *) async_task_names;
    /* Not in the original: seconds by what they were spent on, "time_s" and "wait_s". */
    double time_s[SC_TIME_COUNT_];
    double wait_s[SC_WAIT_COUNT_];
    double gc_s;
    double freeing_s;          /* part of time_s: freeing objects, outside of garbage collections */
    double importing_s;        /* part of time_s: below modules that are imported here */
    double worker_threads_s;   /* part of time_s: threads that run no line in scope worked for it */
    uint64_t samples;          /* "n_samples" */
    double cumulative_percent; /* "n_cumulative_percent": with what it called; in scope or not */
    double churn_mb;           /* "n_churn_mb": small objects freed at once; not in malloc_mb */
    double malloc_error_mb;    /* "n_malloc_error_mb": 95 % half width of malloc_mb */
    double peak_error_mb;      /* "n_peak_error_mb": the same of peak_mb */
    double copy_error_mb_s;    /* "n_copy_error_mb_s": the same of copy_mb_s */
    double live_at_peak_mb;    /* "n_live_at_peak_mb": when the program's footprint was highest */
    double live_at_exit_mb;    /* "n_live_at_exit_mb" */
    double exit_error_mb;      /* "n_live_at_exit_error_mb": 95 % half width of live_at_exit_mb */
    /* As peak_mb and live_at_exit_mb, with memory never touched; 0 when that makes no
     * difference. */
    double peak_allocated_mb; /* "n_peak_allocated_mb" */
    double exit_allocated_mb; /* "n_live_at_exit_allocated_mb" */
    double cpu_share_error;   /* "n_error_percent": 95 % half width of the share, in points */
    /* Exact, as the device itself has recorded it; all 0 when that was not traced. */
    double gpu_s;          /* "n_gpu_s": device time of all that was launched here */
    uint64_t gpu_launches; /* "n_gpu_launches": kernels */
    double gpu_idle_s;     /* "n_gpu_idle_s": the program was here, the devices had nothing to do */
    double gpu_to_device_mb;   /* "n_gpu_to_device_mb" */
    double gpu_from_device_mb; /* "n_gpu_from_device_mb" */
    double gpu_malloc_mb;      /* "n_gpu_malloc_mb": device memory allocated here, in all */
    double gpu_live_peak_mb;   /* "n_gpu_live_peak_mb": the most of that at once */
    /* Of lines, when a trace of AWS Neuron was merged in (docs/accelerators.md); else all 0. */
    double nrt_percent;        /* share of the time of all calls of the runtime */
    double nrt_time_ms;        /* calls of the runtime from here */
    double nc_time_ms;         /* cores, for these calls */
    double nc_overlap_percent; /* "cpu_samples_nc_overlap_percent": of nc_samples */
    uint64_t nc_samples;       /* "cpu_samples_total_count" */
};

struct sc_line {
    uint32_t lineno;
    char *text; /* source, with its newline, unescaped */
    struct sc_cost cost;
    struct sc_region region;
};

struct sc_function {
    char *name; /* qualified */
    uint32_t lineno;
    struct sc_cost cost;
};

struct sc_leak {
    uint32_t lineno;
    double likelihood;
    double velocity_mb_s;
};

struct sc_file {
    char *name;
    double percent_cpu_time;
    SC_VEC(struct sc_line) lines; /* every line of the source, in order */
    SC_VEC(struct sc_function) functions;
    SC_VEC(char *) imports;
    SC_VEC(struct sc_leak) leaks;
    bool source_changed; /* modified after the program started */
    char *source; /* in JSON: all lines, some of which have no record; else NULL (sparse.h) */
};

struct sc_thread {
    char *name;
    uint64_t tid;
    uint64_t pid; /* of its process; 0 in profiles that do not have it */
    uint64_t python_ident;
    bool is_main;
    bool has_python;
    double cpu_s;
    double time_s[SC_TIME_COUNT_];
    double wait_s[SC_WAIT_COUNT_];
    uint64_t samples;
};

/* A file that took time and is not shown, with the reason ("library", "excluded", "outside",
 * "internal", "threshold", "unmarked", "no answer"; docs/scope.md). */
struct sc_hidden_file {
    char *name;
    char *reason;
    double percent;
};

/* How long threads at one line waited for the interpreter lock that another line's thread held. */
struct sc_gil_wait {
    char *file;
    uint32_t lineno;
    char *holder_file;
    uint32_t holder_lineno;
    double wait_s;
};

/* A finding: its kind, its place, and what the numbers show there, in a sentence. Made when the
 * profile is complete (report/findings.c), and kept here so that scripts and editors find it in the
 * file. */
struct sc_noted_finding {
    char *id;
    char *text;
    char *file; /* NULL: the whole program */
    uint32_t lineno, end_lineno;
    double percent; /* of the run, or what comes nearest */
};

/* Where and of what a run was: {"rank", "3"} (labels.h). */
struct sc_label {
    char *name;
    char *value;
};

struct sc_labels SC_VEC_OF(struct sc_label);

/* A process of the tree. */
struct sc_process_cost {
    uint64_t pid;
    uint64_t parent_pid;
    char *command;
    double cpu_s; /* from its start to its end */
    double max_rss_mb;
    char *exit_kind; /* "exit", "signal", "exec", "running"; NULL when not known */
    int exit_value;
};

/* A device of the machine, as its driver reports it. */
struct sc_gpu_device {
    char *name;
    char *uuid;
    uint64_t index;      /* the driver's number */
    double total_mb;     /* of memory */
    double load_percent; /* mean over the time that was measured */
    double peak_mb;
    bool is_shared_load;   /* load_percent is of the whole device, with all processes that use it */
    bool is_shared_memory; /* peak_mb is */
};

/* The "role" of a Python frame out of scope, and of a native one that only passes a call on. */
#define SC_CALL_LIBRARY  "library"
#define SC_CALL_PLUMBING "plumbing"

/* A number that a frame does not have: null. */
#define SC_NO_NUMBER UINT64_MAX

/* A frame of a stack. Its texts are among the profile's, or constant; NULL where it has none. */
struct sc_profile_frame {
    const char *name;
    const char *file; /* or module */
    const char *kind; /* "py" or "native" */
    const char *role; /* SC_CALL_..., of frames of the tree of calls */
    uint64_t address; /* "ip", of native code: in its file */
    uint64_t offset;  /* of native code: in its function */
    uint32_t line;    /* of Python; 0: null */
};

struct sc_profile_frames SC_VEC_OF(struct sc_profile_frame);

/* A stack, outermost frame first. */
struct sc_profile_stack {
    struct sc_profile_frames frames;
    uint64_t count; /* in combined_stacks */
    double mb;      /* in memory_stacks */
};

/* A stack of Python frames in scope, each "FILE NAME:LINE;". */
struct sc_named_stack {
    SC_VEC(const char *) names;
    uint64_t count;
    double python_share, native_share, share; /* of the total, 0..1 */
};

/* A thread was in a stack. */
struct sc_stack_run {
    double start_s; /* since the first run */
    uint64_t count;
    uint64_t thread; /* Python's number, or the kernel's */
    uint64_t tid;    /* of several processes: the kernel's; else 0 */
    uint32_t stack;  /* index in combined_stacks */
};

/* A node of the tree of calls. Parents come before their children. */
struct sc_call_node {
    uint32_t parent; /* counted from 1; 0: none */
    uint32_t frame;  /* index in call_frames */
    double self_s;
    double self_mb; /* allocated */
};

/* What a thread spent at a node of the tree of calls while it had a label set. */
struct sc_call_unit {
    uint32_t unit; /* index in units */
    uint32_t call; /* counted from 1 */
    double time_s;
};

struct sc_call_units SC_VEC_OF(struct sc_call_unit); /* longest first */

/* What of the bytes allocated at a node of the tree of calls was in use at a moment. */
struct sc_call_moment {
    uint32_t moment; /* index in call_moments_s */
    uint32_t call;   /* counted from 1 */
    double mb;
};

/* A thread was at a node of the tree of calls. */
struct sc_call_run {
    double start_s; /* since profiling began */
    double length_s;
    uint64_t tid;
    uint32_t call; /* counted from 1 */
};

/* A line at which tasks of task_lanes waited. */
struct sc_task_place {
    char *file;
    char *function;
    uint32_t lineno;
};

/* A task waited. */
struct sc_task_run {
    double start_s; /* since profiling began */
    double length_s;
    uint32_t place; /* counted from 1; 0: several */
};

/* When a task waited. */
struct sc_task_waits {
    char *name;
    uint64_t pid;
    SC_VEC(struct sc_task_run) runs; /* in order of time */
};

/* The share of each slot of time that was spent in an activity. */
struct sc_profile_track {
    char *id;
    double begin_s; /* since profiling began */
    double slot_s;
    SC_VEC(double) shares;
};

/* Seconds of a unit of work at a line. */
struct sc_unit_line {
    char *file;
    uint32_t lineno;
    double time_s; /* on a CPU and waiting */
};

/* A unit of work: what was done while a label of one name was set. */
struct sc_unit_cost {
    char *name;
    uint64_t count;   /* how often it has ended */
    uint64_t running; /* how often it had begun and not ended when the profile was written */
    double total_s;   /* elapsed, from the beginnings to the ends; so are the next four */
    double min_s, max_s;
    double p50_s, p99_s; /* of its durations */
    double cpu_s;        /* of the thread, by its clock */
    double time_s[SC_TIME_COUNT_];
    double wait_s[SC_WAIT_COUNT_];
    double allocated_mb, allocated_error_mb; /* errors are 95 % half widths */
    double copied_mb;
    double peak_mb, peak_error_mb; /* of the process's footprint, over that at the beginning */
    double growth_mb, growth_error_mb;
    SC_VEC(struct sc_unit_line) lines; /* hottest first, at most 10 */
};

struct sc_profile {
    /* keys of the original */
    char *program;
    char *entrypoint_dir;
    char *root_dir; /* "filename": root directory of the code in scope */
    SC_VEC(char *) args;
    bool args_known;  /* false: null */
    double elapsed_s; /* with profiling on */
    double start_time_absolute_s;
    double start_time_perf_s;
    bool memory;
    bool async_profile;
    bool gpu;
    char *gpu_device;
    uint64_t alloc_samples;
    double max_footprint_mb;
    double max_footprint_error_mb; /* 95 % half width */
    char *max_footprint_fname;     /* NULL: null */
    uint32_t max_footprint_lineno; /* 0: null */
    double max_footprint_python_fraction;
    double growth_rate;
    double native_allocations_mb;
    struct sc_footprints samples;
    uint64_t main_thread_id;
    SC_VEC(struct sc_file) files; /* sorted by name */
    SC_VEC(struct sc_named_stack) stacks;
    SC_VEC(struct sc_profile_stack) combined_stacks; /* heaviest first */
    SC_VEC(struct sc_stack_run) combined_stacks_timeline;
    SC_VEC(struct sc_profile_stack) memory_stacks; /* most bytes first */
    struct sc_intern texts;                        /* of frames */

    /* keys of our own, under "scalene_c" */
    char *written_by;     /* the version of the program that wrote it; NULL: it was not read */
    char *python_version; /* "3.12.1", with "t" when free-threaded */
    char *mode;           /* "wall" or "virtual" */
    char *command_mark;   /* of the run's user, for what is above up to args (command_mark.h) */
    struct sc_labels labels;
    double interval_s;
    uint64_t samples_taken;
    uint64_t samples_waiting; /* samples of waiting threads */
    uint64_t losses[SC_LOSS_COUNT_];
    double handler_cpu_s;  /* in the target's signal handlers */
    double observer_cpu_s; /* of the observer process */
    double target_cpu_s;   /* the kernel's figure since user code began, user and system */
    double time_s[SC_TIME_COUNT_];
    double wait_s[SC_WAIT_COUNT_];
    double gc_s;
    double freeing_s; /* as in struct sc_cost */
    double importing_s;
    double ending_s;     /* part of time_s: ending the interpreter, at no line */
    double await_s;      /* tasks were suspended at lines in scope, summed over tasks */
    double allocated_mb; /* by everything */
    double churn_mb;     /* small objects freed at once; not in allocated_mb */
    double copied_mb;
    double live_at_exit_mb;
    double live_at_exit_error_mb;      /* 95 % half width */
    double max_footprint_allocated_mb; /* with memory never touched; 0 when the same */
    double memory_lost_mb;             /* allocated, but the record of it was lost */
    double span_s; /* from the run's beginning to its end, with pauses; 0: there were none */
    double measured_from_s; /* in it, when profiling was switched on first */
    double unaccounted_mb;  /* the most resident memory beyond the footprint and what was resident
                               when user code began */
    double stacks_percent;  /* of the run's time: what combined_stacks holds */
    double stacks_folded_percent; /* the part of it shown at another line or kind */
    struct sc_profile_frames call_frames;
    SC_VEC(struct sc_call_node) call_tree;
    SC_VEC(double) call_at_peak_mb; /* of each node of call_tree; empty: not known */
    SC_VEC(double) call_at_exit_mb;
    SC_VEC(double) call_moments_s; /* since profiling began; each is so until the next one */
    SC_VEC(struct sc_call_moment) call_moments;
    SC_VEC(double) call_waiting_s;
    struct sc_call_units call_units;      /* on a CPU or ready for one */
    struct sc_call_units call_unit_waits; /* blocked */
    SC_VEC(struct sc_call_run) call_timeline;
    double call_tree_percent;        /* of the run's time: what call_tree holds */
    double call_tree_folded_percent; /* as stacks_folded_percent */
    double timeline_start_s; /* of combined_stacks_timeline's first entry, since profiling began */
    SC_VEC(struct sc_task_waits) task_lanes;
    SC_VEC(struct sc_task_place) task_places;
    bool task_lanes_cut;                    /* there were more tasks */
    SC_VEC(struct sc_profile_track) tracks; /* "timeline_tracks" (costs/tracks.h) */
    double max_rss_mb;                      /* resident memory, as the kernel reports it */
    struct sc_footprints rss;
    double native_threads_cpu_s; /* of threads without Python frames */
    uint64_t threads_ended;      /* threads beyond the list's limit are summed in its last entry */
    SC_VEC(struct sc_thread) threads;
    SC_VEC(struct sc_process_cost) processes;   /* in the order they were met, at most 1,000 */
    SC_VEC(struct sc_hidden_file) hidden_files; /* most expensive first, at most 20 */
    SC_VEC(struct sc_noted_finding) findings;   /* most important first */
    SC_VEC(struct sc_gil_wait) gil_waits;       /* longest first, at most 100 */
    SC_VEC(struct sc_unit_cost) units;          /* longest total first */
    SC_VEC(struct sc_gpu_device) gpu_devices;
    char *gpu_trace;     /* "CUPTI 12.9"; NULL when device time was not traced */
    double gpu_kernel_s; /* traced device time: of kernels */
    double gpu_copy_s;   /* of copies and sets */
    double gpu_traced_s; /* how long was traced: from the first use of CUDA on */
    double gpu_busy_s;   /* part of it in which a device had something to do */
    double gpu_peak_mb;  /* of the program, on all devices together */
    /* of a trace of AWS Neuron that was merged in; outside of "scalene_c", "neuron_..." */
    uint64_t neuron_event_count;    /* calls of the runtime */
    double neuron_total_time_ms;    /* time of these calls */
    double neuron_total_nc_time_ms; /* time that the cores worked */
    double neuron_overlap_percent;  /* "cpu_samples_nc_overlap_percent_overall" */
    struct sc_footprints gpu_load;  /* time_ns, and percent in place of mb */
    struct sc_footprints gpu_memory;
    char *exit_kind;        /* "exit" or "signal"; NULL while running or not known */
    int exit_value;         /* status or signal number */
    SC_VEC(char *) notes;   /* why the profile is empty or thin, and other things to know */
    uint64_t refusal_notes; /* the first so many say what the system has not let us read */
    size_t urgent_notes;    /* the first so many are also printed when the run ends */
    bool foreign;           /* written by the original, not by us */
};

void sc_profile_done(struct sc_profile *profile);

/* How the program ended, "exit status 3" or "ended by signal 9 (Killed)"; NULL when it ended well,
 * or that is not known. Owned. */
char *sc_profile_ending(const struct sc_profile *profile);

/* True when there is nothing to show: no file. */
bool sc_profile_is_empty(const struct sc_profile *profile);

/* Whether one of the first count processes has that number. */
bool sc_profile_has_process(const struct sc_profile *profile, size_t count, uint64_t pid);

/* Adds the profile as JSON to ret_text: 4-space indent, keys sorted at every level, a final
 * newline. An empty profile is "{}\n", or an object with "scalene_c" alone when it has notes,
 * hidden files or units of work. Strings that are not UTF-8 are written as Python's surrogate
 * escapes
 * (\udc80..\udcff). */
void sc_profile_to_json(const struct sc_profile *profile, struct sc_str *ret_text);

/* The most bytes that the text of a profile may have: one of some hundred thousand lines is a few
 * hundred megabytes, as stacks are shared and lists have limits. */
#define SC_PROFILE_BYTES_MAX ((size_t)1 << 30)

/* Reads a profile, ours or the original's, older ones included. Hostile input gives an error, never
 * a crash; a JSON text that is no profile is refused with a sentence. ret_profile is set only on
 * success; what it held before is not freed. Strings that every profile of the original has
 * (program, names) are never NULL then; python_version, mode, exit_kind and max_footprint_fname may
 * be. */
bool sc_profile_from_json(const char *text, size_t length, struct sc_profile *ret_profile,
                          struct sc_err *err);
