/*
 * cpython/find_layout.h - the layout of a running interpreter: by its version, checked against what
 * it publishes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/layout.h"

enum sc_layout_status {
    SC_LAYOUT_OK,
    SC_LAYOUT_TOO_OLD,    /* before 3.8 */
    SC_LAYOUT_UNKNOWN,    /* newer than 3.15 */
    SC_LAYOUT_UNREADABLE, /* _Py_DebugOffsets could not be read or makes no sense */
};

/* Fills ret_layout for the interpreter whose _PyRuntime is at runtime_address. version is the
 * upper half of PY_VERSION_HEX (0x030b). free_threaded counts only where the interpreter does not
 * publish it itself. allow_unknown: a version after the newest known one is tried with the newest
 * layout. ret_layout is set only on success. Async-signal-safe, allocates nothing, uses no libc. */
enum sc_layout_status sc_layout_init(struct sc_layout *ret_layout, uint16_t version,
                                     bool free_threaded, const struct sc_target *target,
                                     uint64_t runtime_address, bool allow_unknown);
