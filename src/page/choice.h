/*
 * page/choice.h - which stacks a question is about: of a span of time, a thread, a unit of work, or
 * the time on a CPU or the waiting alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "page/frames.h"

struct sc_page_choice {
    enum sc_stack_list list;
    bool is_part;    /* a span or a thread: the timeline says how much of each stack is in it */
    uint32_t thread; /* index in the timeline, or SC_ANY_THREAD */
    uint32_t unit; /* index in the profile's units; SC_NONE: of all. Not with a span or a thread */
    double from_s;
    double to_s;
};

/* Reads "from_s", "to_s", "thread", "unit" (its name) and "time" ("cpu" or "waiting") of a
 * question. The list is that of all time where "time" is not there. False when a number or a word
 * is none, or the profile does not have what is chosen. */
bool sc_page_choice_of(const struct sc_page_stacks *stacks, const struct sc_query *query,
                       struct sc_page_choice *ret_choice, struct sc_err *err);

bool sc_page_choice_equals(const struct sc_page_choice *a, const struct sc_page_choice *b);

/* What each stack of the list weighs. The timeline does not say which of a stack's moments were
 * waiting, so each has the part of it that the whole stack has. */
void sc_page_weigh(const struct sc_page_stacks *stacks, const struct sc_page_choice *choice,
                   double *ret_weights);
