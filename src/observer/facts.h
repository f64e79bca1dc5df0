/*
 * observer/facts.h - what the agent tells of the interpreter it is in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "channel/reader.h"
#include "observer/classify.h"

/* As it is now; the agent learns the rest when user code is about to begin. */
struct sc_interpreter_facts sc_facts_read(const struct sc_reader *reader);
