/*
 * observer/facts.h - what the agent tells of the interpreter it is in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "channel/reader.h"
#include "cpython/layout.h"
#include "observer/classify/classify.h"

/* As it is now; the agent learns the rest when user code is about to begin. */
struct sc_interpreter_facts sc_facts_read(const struct sc_reader *reader);

/* Where the interpreter's fields are, by what the agent has sent of its own description: nothing of
 * the process is read. False when that makes no sense. */
bool sc_facts_layout(const struct sc_reader *reader, bool allow_unknown,
                     struct sc_layout *ret_layout);
