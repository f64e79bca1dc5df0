/*
 * observer/process/running_python.h - the CPython of a process that has no agent, found from
 * outside.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "channel/format.h"
#include "cpython/layout.h"

struct sc_helper;
struct sc_remote;

/* Fills ret_facts with the addresses of the symbols, and the version, and ret_layout. helper reads
 * the files. False with err set when there is none, it is too old, or the process must not be
 * read. */
bool sc_running_python_find(struct sc_remote *remote, struct sc_helper *helper,
                            struct sc_interpreter_facts *ret_facts, struct sc_layout *ret_layout,
                            struct sc_err *err);

/* Whether there is such a process, so that it can be looked into. False with err set when not. */
bool sc_running_python_exists(pid_t pid, struct sc_err *err);
