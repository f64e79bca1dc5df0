/*
 * observer/process/facts.h - what the agent reports of the interpreter it is in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "channel/reader.h"
#include "cpython/layout.h"
#include "observer/classify/classify.h"

/* What the agent has reported so far; it finds out the rest when user code is about to begin. */
struct sc_interpreter_facts sc_facts_read(const struct sc_reader *reader);

/* Where the interpreter's fields are, from the interpreter's own description, which the agent has
 * sent: the process is not read. False when the description makes no sense. */
bool sc_facts_layout(const struct sc_reader *reader, bool allow_unknown,
                     struct sc_layout *ret_layout);
