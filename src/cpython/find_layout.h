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

/* Whether the type of the type of code objects, at code_type, is its own type, as far as memory can
 * be read. Before 3.13 a build may have other objects than its version's table says
 * (--with-trace-refs puts two pointers in front of each). */
bool sc_layout_fits(const struct sc_layout *layout, const struct sc_target *target,
                    uint64_t code_type);
