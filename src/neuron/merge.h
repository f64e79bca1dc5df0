/*
 * neuron/merge.h - a profile's JSON with the times of a Neuron trace added to its lines.
 *
 * The keys are those of the original's merge tool; docs/accelerators.md lists them. Everything else
 * in the profile stays as it is, also keys unknown here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Counts and sums of a merge, for a sentence to the user. */
struct sc_neuron_merged {
    size_t executions; /* nrt_execute events of the process */
    size_t runs;       /* nc_exec_running events */
    size_t lines;      /* that have got times */
    size_t elsewhere;  /* executions whose line the profile does not have */
    double runtime_ms;
    double core_ms;
    size_t samples;
    size_t overlapping; /* samples while a core was busy */
};

/* profile is the text of a profile, or of a page that embeds one; trace and debug are those of
 * neuron/trace.h. The names are used in messages. ret_json gets the new profile. */
bool sc_neuron_merge(const struct sc_str *profile, const char *profile_name,
                     const struct sc_str *trace, const char *trace_name, const struct sc_str *debug,
                     const char *debug_name, struct sc_str *ret_json,
                     struct sc_neuron_merged *ret_merged, struct sc_err *err);
