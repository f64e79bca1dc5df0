/*
 * cpython/linetable.h - from an instruction to a source line, in the three formats of 3.8 to 3.15.
 *
 * Formats: Objects/lnotab_notes.txt (3.8, 3.9), Objects/lnotab_notes.txt and PEP 626 (3.10),
 * InternalDocs/code_objects.md "Source code locations" (3.11 and later) of python/cpython.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/layout.h"

/* The line of the instruction at this byte offset (negative: the first line), or 0 when the table
 * has none for it. The table may be any bytes. Bounded by its length; no overflow is possible. */
uint32_t sc_line_of(enum sc_line_table_kind kind, const uint8_t *table, size_t length,
                    uint32_t first_line, int32_t instruction);
