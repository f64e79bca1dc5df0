/*
 * report/live.h - what a program does now: how the newest profile of a run that goes on differs
 * from the one before.
 *
 * Both are of the same run from its beginning, so the differences are what the time between them,
 * the interval, has cost. Without a profile before, the interval is the run so far.
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

/* What the program as a whole does. */
struct sc_live_head {
    char *command; /* program and arguments, as they were given; owned */
    uint64_t pid;  /* of its first process; 0: not known */
    double elapsed_s;
    double interval_s;
    double cores;       /* on a CPU in the interval */
    double gil_percent; /* of the interval that threads waited for the interpreter lock, summed */
    double memory_mb;   /* resident now; 0: not measured */
    double peak_mb;
    size_t threads;   /* met so far and not ended */
    size_t processes; /* that run */
    bool is_over;     /* the program has ended */
    char *ending;     /* how, in words; NULL: well, or not yet. Owned */
};

/* Initialise with {0}. */
struct sc_live {
    struct sc_profile profile, before;
    bool has_profile, has_before;
};

/* Takes the newest profile; it belongs to live from now on. One in which nothing has been measured
 * is dropped when there is another. */
void sc_live_take(struct sc_live *live, struct sc_profile *profile);
void sc_live_done(struct sc_live *live);

struct sc_live_head sc_live_head_of(const struct sc_live *live);
void sc_live_head_done(struct sc_live_head *head);

/* Which of the numbers rows of this view have. */
bool sc_live_has(const struct sc_live *live, enum sc_live_view view, enum sc_live_number number);

/* The rows that have cost something and whose name or place holds the filter (NULL or "": all; the
 * case of letters does not count), sorted by the number, highest first. */
void sc_live_list(const struct sc_live *live, enum sc_live_view view, enum sc_live_number by,
                  const char *filter, struct sc_live_rows *ret_rows);
void sc_live_rows_done(struct sc_live_rows *rows);
