/*
 * observer/snapshot/model.h - the threads and tasks of a process at one moment, now or in a core
 * file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct sc_snapshot_options {
    bool with_native;    /* functions of C, of threads that are blocked */
    bool with_variables; /* of Python frames */
};

struct sc_snapshot_variable {
    char *name;
    char *value; /* as repr shows it, shortened */
};

/* All texts of a snapshot are owned by it. */
struct sc_snapshot_frame {
    char *function;
    char *file;    /* native: the module's */
    uint32_t line; /* 0: not known, or native */
    char *source;  /* the line's text without its indentation, or NULL */
    bool is_native;
    bool has_changed; /* the file is newer than the process */
    SC_VEC(struct sc_snapshot_variable) variables;
};

struct sc_snapshot_frames {
    struct sc_snapshot_frame *items; /* innermost first */
    size_t count;
    size_t capacity;
};

#define SC_SNAPSHOT_NOBODY  SIZE_MAX
#define SC_SNAPSHOT_NO_TIME (-1.0)

struct sc_snapshot_thread {
    pid_t tid;            /* its number in /proc */
    uint64_t ident;       /* threading.get_ident(); 0: no Python thread */
    uint64_t interpreter; /* its number in Python, 0: the main one */
    char *name;
    bool is_main;
    bool is_daemon;
    bool holds_gil;
    bool is_blocked;
    bool is_moving; /* it ran while its stack was read; of a core file: some of it cannot be read */
    bool is_cut;    /* there are more frames, further out */
    bool has_crashed; /* of a core file: by what it did the process has ended */
    double cpu_s;     /* or SC_SNAPSHOT_NO_TIME */
    char *doing;      /* what it does or waits for, such as "sleeps" */
    struct sc_snapshot_frames frames;
    size_t waits_for; /* index of the thread that must act first, or SC_SNAPSHOT_NOBODY */
};

/* An asyncio task that waits. */
struct sc_snapshot_task {
    char *name;
    struct sc_texts awaited; /* the names of tasks that it awaits */
    size_t awaited_left_out; /* there are too many */
    struct sc_snapshot_frames frames;
};

/* A greenlet that is switched out. */
struct sc_snapshot_greenlet {
    char *name;
    char *doing;
    struct sc_snapshot_frames frames;
};

struct sc_snapshot {
    pid_t pid;
    char *command;
    char *version;   /* "3.12.1" */
    char *directory; /* working directory, or NULL */
    bool is_free_threaded;
    double age_s;
    char *ending;           /* of a core file: why it was written; else NULL */
    double cpu_s;           /* of a core file: of all threads, or SC_SNAPSHOT_NO_TIME */
    struct sc_texts losses; /* of a core file: sentences on what it lacks */
    SC_VEC(struct sc_snapshot_thread) threads;
    SC_VEC(struct sc_snapshot_task) tasks;
    size_t tasks_left_out; /* that wait, too: there are too many */
    SC_VEC(struct sc_snapshot_greenlet) greenlets;
    size_t greenlets_left_out; /* there are too many */
    bool greenlets_unreadable; /* there may be some */
    SC_VEC(char *)
    findings; /* sentences: deadlocks, blocked event loops, who keeps others waiting */
};
