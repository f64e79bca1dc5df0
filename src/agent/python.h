/*
 * agent/python.h - finds and describes the CPython of this process, and detects when its program
 * begins.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "channel/format.h"

/* Whether this process is a CPython at all: it exports symbols that only CPython has. */
bool sc_python_is_loaded(void);

/* Fills sc_agent's layout, addresses and getters, and ret_facts as far as they are known before the
 * interpreter exists. In the constructor. */
enum sc_hello_status sc_python_find(struct sc_segment_facts *ret_facts, bool allow_unknown);

/* Installs an audit hook that calls sc_python_begin_now when user code is about to run. After
 * sc_agent.segment is set. */
void sc_python_watch_start(void);

/* Begins the profile: user code is about to run, or (is_late) runs already. Called with the GIL
 * held. */
void sc_python_begin_now(bool is_late);

/* The name of the threading.Thread that the calling thread is about to start, when it is in
 * Thread.start with the GIL held; otherwise name is unchanged. name has room for 64 bytes. */
void sc_python_starting_thread_name(char *name);
