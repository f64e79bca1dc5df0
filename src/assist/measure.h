/*
 * assist/measure.h - whether a proposal helps: both versions run, in turn, under the profiler.
 *
 * This runs the proposed code. It is done only when the user asks for it, each time, after being
 * shown what will run. The project's directory is copied to a temporary one that only its owner can
 * enter; the program gets the environment without the keys of services.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/answer.h"
#include "assist/terms.h"

/* One measured number of both versions, from the runs that count. An error is half the width of an
 * interval that holds the median in about 95 of 100 cases. */
struct sc_ai_compared {
    double original;
    double original_error;
    double changed;
    double changed_error;
    double change_percent; /* below 0: less than before */
    double change_error_percent;
    bool is_certain; /* the change is beyond its error */
};

struct sc_ai_measured {
    unsigned rounds;
    struct sc_ai_compared time_s;
    struct sc_ai_compared peak_mb;
    bool peak_is_footprint; /* what the program allocated; else its resident memory */
    int original_status;    /* exit status, negative: the signal that ended it */
    int changed_status;
    bool same_status;
    bool is_steady;          /* the original's output was the same in all its runs */
    size_t steady_lines;     /* of that output, which were the same in all these runs */
    bool same_output;        /* the proposal's output has these lines, too */
    bool is_unseen;          /* nothing was measured in the lines of the proposal, in any run */
    char *output_difference; /* one sentence, or NULL; owned */
    char *last_line; /* of the output of the original where it fails, or else of the proposal
                      * where that fails; or NULL; owned */
    char *command;   /* what was run; owned */
};

bool sc_ai_measure(const struct sc_ai_proposal *proposal, const struct sc_ai_trial *trial,
                   struct sc_ai_measured *ret_measured, struct sc_err *err);
void sc_ai_measured_done(struct sc_ai_measured *measured);

/* One sentence: faster, slower, or no difference that can be distinguished from chance. */
void sc_ai_measured_verdict(const struct sc_ai_measured *measured, struct sc_str *text);

/* Medians of both series, their difference, and whether it is certain. The arrays are sorted. */
struct sc_ai_compared sc_ai_compare(double *original, double *changed, size_t count);
