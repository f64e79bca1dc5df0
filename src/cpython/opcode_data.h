/*
 * cpython/opcode_data.h - the generated table behind opcode.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/layout.h"
#include "cpython/opcode_kinds.h"

/* enum sc_opcode_kind by minor version and opcode */
extern const uint8_t sc_opcode_kinds[SC_PY_NEWEST - SC_PY_OLDEST + 1][256];
