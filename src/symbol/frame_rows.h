/*
 * symbol/frame_rows.h - how to get from a function's frame to its caller's: the unwind records of
 * one ELF file (.eh_frame), read by libdw.
 *
 * Registers have DWARF's numbers of the processor: System V ABI, AMD64 supplement, figure 3.36;
 * DWARF for the Arm 64-bit Architecture, section 4.1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define SC_FRAME_REGISTERS 33

enum sc_frame_rule_kind {
    SC_FRAME_UNKNOWN,
    SC_FRAME_SAME,  /* the caller's value is still there */
    SC_FRAME_SAVED, /* it is in memory, at the frame's address + offset */
    SC_FRAME_VALUE, /* it is the frame's address + offset */
};

struct sc_frame_rule {
    enum sc_frame_rule_kind kind;
    int64_t offset;
};

/* The frame's address (DWARF's CFA) is what frame_register holds + frame_offset. Frames described
 * by expressions, as those of linkage tables are, have no row. */
struct sc_frame_row {
    uint32_t frame_register;
    int64_t frame_offset;
    uint32_t return_register;
    struct sc_frame_rule rules[SC_FRAME_REGISTERS];
};

struct sc_frame_rows;

/* Takes the descriptor. NULL when the file has no unwind records. */
struct sc_frame_rows *sc_frame_rows_open(int fd);

void sc_frame_rows_free(struct sc_frame_rows *rows);

/* The row for the instruction at file_offset; false when there is none, or none of that form. */
bool sc_frame_rows_find(struct sc_frame_rows *rows, uint64_t file_offset,
                        struct sc_frame_row *ret_row);
