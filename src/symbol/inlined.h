/*
 * symbol/inlined.h - functions that a compiler has inlined, where debug information has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* A range of addresses that a function covers. */
struct sc_inlined_range {
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Die function;
};

/* The functions of one compiled unit, sorted by address. */
struct sc_inlined_unit {
    Dwarf_Off offset;
    SC_VEC(struct sc_inlined_range) ranges;
};

/* What is known of one file: each unit is read through at the first question about it. */
struct sc_inlined {
    SC_VEC(struct sc_inlined_unit) units;
    struct sc_inlined_unit whole; /* the units as if they were functions, where they are listed */
    bool is_listed;
};

void sc_inlined_done(struct sc_inlined *inlined);

/* Fills ret_names with the functions at address (as in the file, inside an instruction), the real
 * one first, then those inlined into it, inwards; names as in the debug information, which live as
 * long as the module. Returns their number, 0 without debug information for the address. */
size_t sc_inlined_find(struct sc_inlined *inlined, Dwfl_Module *module, uint64_t address,
                       const char **ret_names, size_t capacity);
