/*
 * report/live_rows.h - the rows of live.h: functions, lines, threads, processes or tasks of a
 * profile, each with what it has cost since an earlier profile of the same run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "profile/profile.h"

/* What the rows are: name in code, word, heading of their names. */
#define SC_LIVE_VIEWS(X)                                                                           \
    X(FUNCTIONS, "functions", "FUNCTION")                                                          \
    X(LINES, "lines", "LINE")                                                                      \
    X(THREADS, "threads", "THREAD")                                                                \
    X(PROCESSES, "processes", "PROCESS")                                                           \
    X(TASKS, "tasks", "TASK")

#define X_ENUM(name, word, heading) SC_LIVE_##name,
enum sc_live_view { SC_LIVE_VIEWS(X_ENUM) SC_LIVE_VIEW_COUNT_ };
#undef X_ENUM

extern const char *const sc_live_view_words[SC_LIVE_VIEW_COUNT_];

/* The numbers of a row. Times are in seconds: of the interval, and of the whole run; those of a
 * kind are parts of the whole, but for the wait for the interpreter lock. */
enum sc_live_number {
    SC_LIVE_NOW,
    SC_LIVE_NOW_PYTHON,
    SC_LIVE_NOW_NATIVE,
    SC_LIVE_NOW_SYSTEM,
    SC_LIVE_NOW_WAITING,
    SC_LIVE_NOW_GIL,
    SC_LIVE_ALL,
    SC_LIVE_ALL_PYTHON,
    SC_LIVE_ALL_NATIVE,
    SC_LIVE_ALL_SYSTEM,
    SC_LIVE_ALL_WAITING,
    SC_LIVE_ALL_GIL,
    SC_LIVE_MEMORY_MB,    /* alive now, or of a process the most that was resident */
    SC_LIVE_ALLOCATED_MB, /* in all, freed or not */
    SC_LIVE_NUMBER_COUNT_,
};

struct sc_live_row {
    char *name;  /* owned */
    char *place; /* where it is, "prog.py:12", or how it ended; "": nothing to say. Owned */
    double numbers[SC_LIVE_NUMBER_COUNT_];
    double rank; /* the number that rows are sorted by */
};

struct sc_live_rows SC_VEC_OF(struct sc_live_row);

/* All rows that have cost something, in the order of the profile. before: the earlier profile;
 * NULL: none, and the interval is the run so far. */
void sc_live_find_rows(const struct sc_profile *profile, const struct sc_profile *before,
                       enum sc_live_view view, struct sc_live_rows *ret_rows);
void sc_live_row_done(struct sc_live_row *row);
void sc_live_rows_done(struct sc_live_rows *rows);
