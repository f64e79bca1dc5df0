/*
 * observer/attach/script.h - has a running CPython of 3.14 or later execute a script: the interface
 * for debuggers of PEP 768.
 *
 * The file's name and a flag are written into the state of one thread. The interpreter reads them
 * the next time that this thread handles pending events between two instructions, and executes the
 * file in an empty namespace.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "channel/format.h"
#include "cpython/layout.h"

struct sc_remote;

#define SC_SCRIPT_FIRST_VERSION 0x030eU

enum sc_script_answer {
    SC_SCRIPT_POSTED,
    SC_SCRIPT_UNKNOWN,   /* this Python has no such interface */
    SC_SCRIPT_DISABLED,  /* it was started or built without (-X disable-remote-debug) */
    SC_SCRIPT_FORBIDDEN, /* the system does not let us write, or the process is ending */
};

/* Posts the script to the thread whose Python state is at that address. path: at most 511 bytes. */
enum sc_script_answer sc_script_post(struct sc_remote *remote,
                                     const struct sc_interpreter_facts *facts,
                                     const struct sc_layout *layout, uint64_t thread_state,
                                     const char *path);

/* Takes it back. True where that is not possible: the thread has executed it, or is about to. */
bool sc_script_cancel(struct sc_remote *remote, const struct sc_interpreter_facts *facts,
                      const struct sc_layout *layout, uint64_t thread_state);
