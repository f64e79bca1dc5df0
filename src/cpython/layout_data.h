/*
 * cpython/layout_data.h - the generated tables behind layout.h, for layout.c and tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "cpython/layout.h"

/* The walker's blocks: the span of the fields used of a frame, and of a code object's head. */
#define SC_FRAME_BLOCK_BYTES 96
#define SC_CODE_BLOCK_BYTES  64

/* Every known version in ascending order, a free-threaded build after the normal one. */
extern const struct sc_layout sc_layouts[];
extern const size_t sc_layouts_count;

/* What is read of _Py_DebugOffsets: GROUP_struct is the size of the group's structure, the other
 * names are those of SC_LAYOUT_FIELDS, is_gc and gc_collecting add up to is_gc_collecting. */
#define SC_DEBUG_POSITIONS(X)                                                                      \
    X(version)                                                                                     \
    X(free_threaded)                                                                               \
    X(rt_struct)                                                                                   \
    X(rt_interpreters_head)                                                                        \
    X(rt_finalizing)                                                                               \
    X(is_struct)                                                                                   \
    X(is_next)                                                                                     \
    X(is_id)                                                                                       \
    X(is_threads_head)                                                                             \
    X(is_gc)                                                                                       \
    X(ts_struct)                                                                                   \
    X(ts_next)                                                                                     \
    X(ts_interp)                                                                                   \
    X(ts_frame)                                                                                    \
    X(ts_thread_id)                                                                                \
    X(ts_native_thread_id)                                                                         \
    X(fr_struct)                                                                                   \
    X(fr_code)                                                                                     \
    X(fr_back)                                                                                     \
    X(fr_instruction)                                                                              \
    X(fr_owner)                                                                                    \
    X(fr_localsplus)                                                                               \
    X(fr_tlbc_index)                                                                               \
    X(co_struct)                                                                                   \
    X(co_filename)                                                                                 \
    X(co_name)                                                                                     \
    X(co_qualname)                                                                                 \
    X(co_first_line)                                                                               \
    X(co_line_table)                                                                               \
    X(co_code_adaptive)                                                                            \
    X(co_tlbc)                                                                                     \
    X(ob_struct)                                                                                   \
    X(ob_type)                                                                                     \
    X(by_struct)                                                                                   \
    X(by_size)                                                                                     \
    X(by_data)                                                                                     \
    X(us_struct)                                                                                   \
    X(us_length)                                                                                   \
    X(us_state)                                                                                    \
    X(us_ascii_data)                                                                               \
    X(us_compact_data)                                                                             \
    X(gc_struct)                                                                                   \
    X(gc_collecting)                                                                               \
    X(debug_size)

/* The byte positions of these numbers (64 bits each) in _Py_DebugOffsets of one minor version, -1
 * where it has none; debug_size is the size of the whole. */
struct sc_debug_positions {
    uint16_t python;
#define X_POSITION(name) int16_t name;
    SC_DEBUG_POSITIONS(X_POSITION)
#undef X_POSITION
};

extern const struct sc_debug_positions sc_debug_positions[];
extern const size_t sc_debug_positions_count;
