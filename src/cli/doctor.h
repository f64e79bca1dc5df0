/*
 * cli/doctor.h - what of a profile can be had here, and why not the rest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/vec.h"
#include "cli/trial.h"

enum sc_check_state {
    SC_CHECK_GOOD,
    SC_CHECK_PART, /* profiling works without it */
    SC_CHECK_BAD,  /* nothing can be profiled */
};

struct sc_check {
    const char *id;
    enum sc_check_state state;
    char *found;
    char *cost; /* what a profile lacks because of it, and what helps; NULL: nothing */
};

struct sc_diagnosis {
    SC_VEC(struct sc_check) checks;
    struct sc_trial trial;
};

/* Adds a check; found and cost are owned by the diagnosis from then on. */
void sc_diagnosis_add(struct sc_diagnosis *diagnosis, const char *id, enum sc_check_state state,
                      char *found, char *cost);

/* Whether a run gives a profile: no check is bad. */
bool sc_diagnosis_is_good(const struct sc_diagnosis *diagnosis);

void sc_diagnosis_done(struct sc_diagnosis *diagnosis);

/* The interpreter (python as for --python, or NULL), and a trial run with it. */
void sc_doctor_try(struct sc_diagnosis *diagnosis, const char *python);

/* What the kernel permits and how it measures. */
void sc_doctor_ask_system(struct sc_diagnosis *diagnosis);
