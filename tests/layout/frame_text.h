/*
 * tests/layout/frame_text.h - a frame of another process as a line of text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/walk.h"

/* Prints file, line and name, tab separated; false when the code object cannot be read. */
bool print_frame(const struct sc_layout *layout, const struct sc_target *target,
                 const struct sc_py_frame *frame);
