/*
 * observer/system/subject.h - what is read of a process: itself, by /proc, or its core file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "observer/system/procfs.h"
#include "observer/system/remote.h"
#include "unwind/record.h"

struct sc_subject {
    pid_t pid;            /* of the core file: the number that the process had */
    struct sc_core *core; /* NULL: the process itself; not owned */
};

/* A reader of its memory. */
struct sc_remote sc_subject_remote(struct sc_subject subject);

/* Adds its mappings as /proc/PID/maps has them. False, with errno set, when they cannot be read. */
bool sc_subject_maps(struct sc_subject subject, size_t limit_bytes, struct sc_str *ret_text);

/* A path that opens from here a file that it has under that name; is_mapped: NULL unless it is the
 * one that was mapped. To be freed. */
char *sc_subject_path(struct sc_subject subject, const char *name, bool is_mapped);

/* The name of the program's file, or NULL. To be freed. */
char *sc_subject_program(struct sc_subject subject);

/* A thread at one moment. */
struct sc_subject_look {
    struct sc_schedstat stat;
    struct sc_blocked blocked;
    struct sc_registers registers; /* as far as they are known */
};

/* Fills ret_tids with the numbers of the threads in /proc, ret_own_tids with those that they have
 * themselves; returns how many, at most capacity. */
size_t sc_subject_threads(struct sc_subject subject, pid_t *ret_tids, pid_t *ret_own_tids,
                          size_t capacity);

/* False when the thread is gone. target reads the memory. */
bool sc_subject_look(struct sc_subject subject, pid_t tid, const struct sc_target *target,
                     struct sc_subject_look *ret);

/* What the scheduler has counted of the thread: of a core file always nothing. False when it is
 * gone. */
bool sc_subject_schedstat(struct sc_subject subject, pid_t tid, struct sc_schedstat *ret);

/* The thread's state as proc(5) has it, '\0' when it is gone; of a core file always 'S'. */
char sc_subject_state(struct sc_subject subject, pid_t tid);

/* The kernel's name of the thread, or "". */
void sc_subject_thread_name(struct sc_subject subject, pid_t tid, char ret_name[64]);
