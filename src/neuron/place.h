/*
 * neuron/place.h - which line of a profile each event of a Neuron trace belongs to.
 *
 * The i-th execution of the trace is the i-th of the debug file, which names the source line. A
 * core's run belongs to the execution whose start (kbl_exec_pre, again in order) has the same
 * exec_id.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "neuron/trace.h"

/* An event and its line. */
struct sc_neuron_place {
    size_t file; /* position among the profile's files */
    uint32_t lineno;
    const struct sc_neuron_event *event;
    const struct sc_neuron_call *call;
};

/* By file, then line, then time. */
struct sc_neuron_places SC_VEC_OF(struct sc_neuron_place);

/* files is the profile's object of files by name; calls and trace must outlive the results, which
 * are initialised with {0} and freed with sc_vec_done. An event whose file the profile does not
 * have is left out. */
void sc_neuron_place(const json_t *files, const struct sc_neuron_calls *calls,
                     const struct sc_neuron_trace *trace, struct sc_neuron_places *ret_executions,
                     struct sc_neuron_places *ret_runs);

/* The first event of a line; ret_count of them follow. */
const struct sc_neuron_place *sc_neuron_places_of(const struct sc_neuron_places *places,
                                                  size_t file, uint32_t lineno, size_t *ret_count);
