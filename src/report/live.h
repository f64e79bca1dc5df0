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

#include "report/live_rows.h"

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
