/*
 * observer/snapshot/taking.h - what the files of this folder share while a snapshot is taken.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/cell_sources.h"
#include "cpython/frame_values.h"
#include "cpython/tasks.h"
#include "cpython/threads.h"
#include "observer/process/process.h"
#include "observer/snapshot/model.h"
#include "observer/snapshot/wait_words.h"
#include "observer/system/subject.h"

#define SC_LOCKS_PER_THREAD 16U

/* A source file that was read. */
struct sc_snapshot_source {
    char *file;
    char *text; /* its lines are ended by zeros; NULL when it cannot be read */
    SC_VEC(char *) lines;
    bool has_changed;
};

/* What is known of a thread only while the snapshot is taken. */
struct sc_taken_thread {
    struct sc_thread_entry entry;
    struct sc_blocked blocked;
    struct sc_schedstat stat; /* when its stack was read */
    struct sc_registers registers;
    bool waits_for_gil;
    bool is_stopped;   /* by a signal or a debugger, or has ended */
    bool has_timeout;  /* its wait ends by itself */
    bool is_unsure;    /* the thread that it waits for may have released the lock in its block */
    struct sc_gil gil; /* when its stack was read */
    struct sc_py_frame innermost; /* code 0: no Python frame */
    size_t held_count;
    struct sc_lock held[SC_LOCKS_PER_THREAD]; /* in whose `with` blocks its frames are */
    size_t seen_count;
    struct sc_lock seen[SC_LOCKS_PER_THREAD]; /* in the innermost frame */
    bool is_parked;
    struct sc_lock parked_for; /* a mutex */
    uint64_t joined; /* threading.get_ident() of the thread that it waits for to end, or 0 */
};

struct sc_taking {
    struct sc_subject subject;
    const struct sc_snapshot_options *wish;
    struct sc_snapshot *snapshot; /* its threads are in the order of those below */
    struct sc_process process;    /* as an observer has it, without an agent */
    struct sc_collect collect;
    struct sc_cell_sources cells;
    struct sc_task_layout at;
    struct sc_python python;
    struct sc_tasks tasks;
    struct sc_sockets sockets;
    unsigned asking_looks; /* at threads that may wait for the GIL */
    double started_s;      /* the process, in seconds since the epoch */
    SC_VEC(struct sc_thread_entry) entries;
    SC_VEC(struct sc_named_thread) named;
    SC_VEC(struct sc_taken_thread) threads;
    SC_VEC(struct sc_snapshot_source) sources;
};

/* Fills the frames of a stack: Python's, given innermost first, and around them native ones, by
 * the registers of a thread that stands (or NULL). False when the code of a frame cannot be read.
 */
bool sc_snapshot_name_frames(struct sc_taking *taking, const struct sc_py_frame *frames,
                             size_t count, uint64_t thread_state, pid_t tid,
                             const struct sc_registers *registers, struct sc_snapshot_frames *ret);
void sc_snapshot_frames_done(struct sc_snapshot_frames *frames);
void sc_snapshot_sources_done(struct sc_taking *taking);

/* Fills the tasks of the snapshot. */
void sc_snapshot_take_tasks(struct sc_taking *taking);

/* Fills the greenlets of the snapshot. */
void sc_snapshot_take_greenlets(struct sc_taking *taking);
void sc_snapshot_greenlet_done(struct sc_snapshot_greenlet *greenlet);

/* Finds which thread each blocked one waits for, says so in its words, and adds the findings. */
void sc_snapshot_judge(struct sc_taking *taking);

/* Of a core file: says why it was written, and how much time the threads have used. */
void sc_snapshot_note_end(struct sc_taking *taking);

/* The node of a finding's subject, "thread 17 (worker)". To be freed. */
char *sc_snapshot_thread_words(const struct sc_snapshot_thread *thread);
