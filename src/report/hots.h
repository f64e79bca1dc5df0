/*
 * report/hots.h - gathering the most expensive lines and functions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"

/* How hot a line is: a scale that every view shows by more than colour.
 *   name, from this share of the run's time (or of all allocated memory) on, in % */
#define SC_HEATS(X)                                                                                \
    X(NONE, 0)                                                                                     \
    X(MILD, 3)                                                                                     \
    X(WARM, 10)                                                                                    \
    X(HOT, 33)

#define X_ENUM(name, percent) SC_HEAT_##name,
enum sc_heat { SC_HEATS(X_ENUM) SC_HEAT_COUNT_ };
#undef X_ENUM

/* The kinds of time. Each has the same colour and pattern in every view. */
enum sc_kind {
    SC_KIND_PYTHON,
    SC_KIND_NATIVE,
    SC_KIND_SYSTEM,
    SC_KIND_COUNT_,
};

extern const char *const sc_kind_names[SC_KIND_COUNT_];

/* A line or function among the most expensive. */
struct sc_hot {
    const struct sc_file *file;
    char *place; /* "prog.py:42", owned */
    const struct sc_cost *cost;
    uint32_t lineno;
    const char *text; /* the source line, or the function's name; no newline */
    size_t text_length;
    double percent; /* own time */
    double watched; /* the part of it that watches over other processes: it does not rank */
    double kinds[SC_KIND_COUNT_];
    enum sc_heat heat;
};

struct sc_hots SC_VEC_OF(struct sc_hot);

/* Sets the text shown of a line of source, or of a function's name: without blanks around it. NULL
 * is "". Borrows text. */
void sc_hot_text(const char *text, struct sc_hot *hot);

enum { SC_REPORT_HOT = 5 };

/* Keeps the SC_REPORT_HOT items of the highest percent, without what is watched, highest first,
 * equal ones in order. */
void sc_hots_offer(struct sc_hots *hots, const struct sc_hot *hot);

/* Sets the place of each item. */
void sc_hots_name(const struct sc_profile *profile, struct sc_hots *hots);

void sc_hots_done(struct sc_hots *hots);
