/*
 * report/report.h - what a view of a profile shows: rows and numbers chosen, sorted and rounded.
 *
 * A report answers three questions first (where does it go, what kind of time and memory is it,
 * what can be done), then gives one table of lines per file. It borrows from the profile, which
 * must outlive it. Renderers (src/render) only arrange what is here; they compute nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"
#include "report/column.h"
#include "report/hots.h"
#include "report/name.h"

/* A named part of a whole. */
struct sc_share {
    const char *name; /* a constant, or the profile's */
    double percent;
    double seconds;
};

struct sc_shares SC_VEC_OF(struct sc_share);

struct sc_report_thread {
    char *name; /* behind the number of its process, when there are several; owned */
    const struct sc_thread *thread;
    double cpu_s;
    double cpu_percent; /* of the CPU time of all threads */
    bool is_native;     /* never ran Python */
    struct sc_shares waits;
};

struct sc_report_process {
    uint64_t pid;
    uint64_t parent_pid;
    const char *command;
    double cpu_s;
    double cpu_percent; /* of the CPU time of all processes */
    double max_rss_mb;
    char *ending; /* NULL when it ended well; owned */
};

/* A device of the machine, in a table. */
struct sc_report_device {
    char *name; /* "GPU 0 (NVIDIA A100)"; owned */
    double load_percent;
    double peak_mb;
    double total_mb; /* 0: not known */
    bool is_shared_load, is_shared_memory;
    char *text; /* load and memory in words, and whether they are of the whole device; owned */
};

/* What the devices did. */
struct sc_report_gpu {
    bool has;               /* there is something to report */
    char *fact;             /* "GPU busy 45%", "GPU load 38%"; NULL when there was no use. Owned */
    const char *kind;       /* "GPU" or "Neuron" */
    const char *noun;       /* "GPU", "GPUs", "Neuron device", "Neuron devices": those in use */
    bool has_shared_load;   /* loads at lines are of whole devices */
    bool has_shared_memory; /* device memory at lines is that of all processes that use it */
    SC_VEC(struct sc_report_device) devices;
    size_t devices_left_out;
    double load_percent; /* mean over the devices in use */
    double peak_mb;      /* of the program, on all of them together */
    bool is_traced;      /* the times below are there, as recorded by the device */
    double kernel_s, copy_s, traced_s, busy_s, idle_s; /* idle_s + busy_s = traced_s */
    double idle_percent;                               /* of traced_s */
    const char *summed;                                /* how they were added up, or "" */
    uint64_t launches;                                 /* of kernels, by lines that are shown */
    double to_device_mb, from_device_mb;               /* by lines that are shown */
    struct sc_hots lines;        /* by device time; percent: of all device time */
    struct sc_hots idle_lines;   /* percent: of idle_s */
    struct sc_hots memory_lines; /* by device memory; percent: the most of it at once, in MB */
    SC_VEC(char *) facts;        /* sentences on all this, and how it was measured; owned */
};

/* What the numbers show, and what usually helps. */
struct sc_finding {
    const char *id;              /* what kind: "python_loop", "waiting", ... */
    double percent;              /* of the run, or what comes nearest */
    char *text;                  /* one or two sentences, with place and numbers; owned */
    char *evidence;              /* what it was concluded from; NULL: the text says all. Owned */
    const struct sc_file *file;  /* NULL: it is about the whole program */
    uint32_t lineno, end_lineno; /* 0 without a file */
    bool can_ask;                /* other code at this place could help */
};

/* What percents are shares of, in words; NULL where it goes without saying. Owned. */
struct sc_bases {
    char *time_of;   /* "all 5 processes": whose time total_s is */
    char *time;      /* the same as a sentence, with the time */
    char *processes; /* of the CPU time in the table of processes, a sentence */
    char *threads;   /* of that of threads */
};

struct sc_overview {
    char *command; /* program and its arguments */
    char *ending;  /* "exit status 3", "ended by signal 9 (Killed)"; NULL when it ended well */
    char *labels;  /* "rank 3 of 8 on node7", and what the user says; NULL without these */
    double elapsed_s;
    double span_s; /* the same with pauses: what times of the run are in */
    double cpu_s;  /* of the target, the kernel's figure; 0 when not known */
    double cores;  /* cpu_s / elapsed_s */
    bool virtual_time;
    double total_s; /* what 100 % of time is */
    struct sc_bases bases;

    struct sc_hots lines;        /* by time */
    struct sc_hots functions;    /* by time */
    struct sc_hots memory_lines; /* by peak */
    struct sc_hots await_lines;  /* by await time */

    double kinds[SC_KIND_COUNT_]; /* % */
    struct sc_report_gpu gpu;
    double unlisted_percent; /* of a foreign profile: time in files it does not list */
    struct sc_shares kind_parts[SC_KIND_COUNT_];
    struct sc_shares marks; /* parts of the time across all kinds: garbage collection ... */
    double no_cpu_percent;  /* of the time: ready to run, and no CPU was free */

    bool has_memory;
    double native_threads_mb; /* allocated in all by threads without Python; 0 when next to none */
    bool has_children;        /* a process of the run has started another one of it */
    bool has_threads;         /* more than one thread is worth a table */
    SC_VEC(struct sc_report_thread) threads; /* most CPU time first, at most SC_REPORT_ROWS */
    size_t threads_left_out;
    double native_threads_cpu_s; /* 0 when too little to be shown */
    SC_VEC(struct sc_report_process)
    processes; /* most CPU time first, at most SC_REPORT_ROWS; none when there is only one */
    size_t processes_left_out;

    SC_VEC(struct sc_finding) findings; /* most important first */
    SC_VEC(char *) quality;             /* samples, errors, losses, cost; one sentence each */
};

enum { SC_REPORT_ROWS = 1000, SC_REPORT_FINDINGS = 6 };

enum sc_row_kind { SC_ROW_LINE, SC_ROW_GAP };

/* A row of a file's table. */
struct sc_row {
    enum sc_row_kind kind;
    const struct sc_line *line; /* NULL for a gap */
    size_t source_line;         /* index in the file's source */
    enum sc_heat time_heat;
    enum sc_heat memory_heat;
};

struct sc_function_row {
    const struct sc_function *function;
    enum sc_heat time_heat;
    enum sc_heat memory_heat;
};

struct sc_report_file {
    const struct sc_file *file;
    char *short_name; /* sc_shown_name; owned */
    double seconds;   /* percent_cpu_time of total_s */
    double peak_mb;   /* of the line with the highest one */
    uint32_t last_lineno;
    char *source; /* the lines' text, one newline each: fit for sc_source_init, owned */
    size_t source_length;
    SC_VEC(struct sc_row) rows;
    SC_VEC(struct sc_function_row)
    functions; /* those with a cell or a total to show, most expensive first */
    size_t functions_left_out;
    SC_VEC(char *) warnings; /* changed sources, possible leaks */
    bool is_left_out;        /* of the short view */
};

struct sc_report {
    const struct sc_profile *profile;
    struct sc_parts parts;
    struct sc_overview overview;
    double curve_top_mb;                 /* what a full memory curve is scaled to */
    SC_VEC(struct sc_report_file) files; /* most expensive first */
    size_t files_left_out;
    double files_left_out_percent; /* of the time */
};

/* reduced: only lines with something to show, gaps between them, and of many files and functions
 * only the most expensive. */
void sc_report_init(struct sc_report *report, const struct sc_profile *profile, bool reduced);
void sc_report_done(struct sc_report *report);

/* Sets the profile's findings to those of its report. */
void sc_report_note_findings(struct sc_profile *profile);

/* Pieces, one file each; sc_report_init calls them. */
void sc_report_overview(struct sc_report *report);
void sc_report_devices(struct sc_report *report); /* called by sc_report_overview */
void sc_report_devices_done(struct sc_report_gpu *gpu);
void sc_report_threads(struct sc_report *report);
void sc_report_processes(struct sc_report *report);
void sc_report_fill_bases(struct sc_report *report);
void sc_report_bases_done(struct sc_bases *bases);
void sc_report_findings(struct sc_report *report);
void sc_report_quality(struct sc_report *report);
void sc_report_file(struct sc_report *report, const struct sc_file *file, bool reduced,
                    struct sc_report_file *ret_file);

/* A line's share of the run: its times of every kind, and the device's. */
double sc_cost_time_percent(const struct sc_cost *cost);
void sc_cost_kinds(const struct sc_cost *cost, double ret_kinds[SC_KIND_COUNT_]);

/* The share of the run in which the interpreter runs code: Python without collecting garbage and
 * freeing objects, which compiled or better code of the same objects would not save. Of which kind
 * these two are is not known; nearly always it is Python. */
double sc_cost_interpreting_percent(const struct sc_cost *cost);

enum sc_heat sc_heat_of(double percent);

/* By the share of the run's time, or of all device time, whichever is larger. Where device time was
 * not traced the load of devices counts with the time, as in the original's view. */
enum sc_heat sc_cost_time_heat(const struct sc_parts *parts, const struct sc_cost *cost);

/* The largest live volume of the line in % of the program's; 0 where memory was not measured. */
double sc_cost_peak_percent(const struct sc_parts *parts, const struct sc_cost *cost);

/* By the share of all allocated memory, as in the original's view, or of the program's peak,
 * whichever is larger: memory that is allocated once and kept is a small share of the first. */
enum sc_heat sc_cost_memory_heat(const struct sc_parts *parts, const struct sc_cost *cost);

/* Whether any number column shows something. */
bool sc_cost_has_cell(const struct sc_parts *parts, const struct sc_cost *cost);

/* Whether a list of functions has this one: a number of its own, or 1 % of the time with its calls.
 */
bool sc_cost_is_listed(const struct sc_parts *parts, const struct sc_cost *cost);

/* The rule of the reduced view: time, device, awaited, allocated or held at the line's peak, 1 % or
 * more of any of them. */
bool sc_cost_is_active(const struct sc_parts *parts, const struct sc_cost *cost);

/* Whether the time with calls is worth showing beside the self time. */
bool sc_cost_calls_matter(const struct sc_cost *cost);

/* What most of the time went to, across the kinds of time: worker threads, freeing objects or
 * collecting garbage. In percent of the run; 0 when none of them is worth showing. */
struct sc_share sc_cost_part(const struct sc_cost *cost);

/* How many of a file's leaks are shown: a foreign profile may have one for each line. */
size_t sc_file_leak_count(const struct sc_file *file);

/* The last line of a function; its first where no line gives its end. */
uint32_t sc_function_end(const struct sc_file *file, const struct sc_function *function);

/* The innermost function of the file around a line; else the one of this name: the file has changed
 * since it ran. Comprehensions and lambdas are part of the def around them. NULL: none. */
const struct sc_function *sc_function_around(const struct sc_file *file, uint32_t line,
                                             const char *name);

/* The record of a line, or NULL. */
const struct sc_line *sc_file_line(const struct sc_file *file, uint32_t lineno);

/* Of a load curve, whose values hold until the next point's time: its mean in each of bins equal
 * parts of the span, in %; 0 before the first point and behind last_s. */
void sc_load_bins(const struct sc_footprints *load, double from_s, double to_s, double last_s,
                  size_t bins, float *ret_percents);

/* What a wait for input, output or another process was for, by its causes. */
const char *sc_io_text(const double wait_s[SC_WAIT_COUNT_]);

/* Adds a share unless it would be shown as 0 (less than 0.5 % of the whole, or 0 s). */
void sc_shares_add(struct sc_shares *shares, const char *name, double percent, double seconds);

/* Sorted, largest first; equal ones keep their order. */
void sc_shares_sort(struct sc_shares *shares);

/* levels[i] in 0..top: the highest of the curve in each of count equal spans of time, scaled so
 * that top_mb reads top. False when there is nothing to draw. */
bool sc_curve_levels(const struct sc_footprint *points, size_t point_count, double top_mb,
                     unsigned top, unsigned char *ret_levels, size_t count);
