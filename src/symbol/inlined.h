/*
 * symbol/inlined.h - functions that a compiler has inlined, where debug information has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

/* Fills ret_names with the functions at address (as in the file, inside an instruction), the real
 * one first, then those inlined into it, inwards; names as in the debug information, which live as
 * long as the module. Returns their number, 0 without debug information for the address. */
size_t sc_inlined_find(Dwfl_Module *module, uint64_t address, const char **ret_names,
                       size_t capacity);
