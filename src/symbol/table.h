/*
 * symbol/table.h - the named functions of one ELF file, sorted by address.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct sc_symbol_entry {
    uint64_t start; /* as in the file */
    uint64_t end;
    uint64_t section_end; /* of a symbol without a size; 0: not known */
    const char *name;     /* as in the file; lives as long as the module */
};

struct sc_symbol_table SC_VEC_OF(struct sc_symbol_entry);

/* Reads all symbol tables of the module, those of a separate debug file or of a compressed one
 * (.gnu_debugdata) included. */
void sc_symbol_table_read(Dwfl_Module *module, struct sc_symbol_table *ret_table);
void sc_symbol_table_done(struct sc_symbol_table *table);

/* The function that holds address, or NULL. A symbol without a size reaches to the
 * next, or to the end of its section. */
const struct sc_symbol_entry *sc_symbol_table_find(const struct sc_symbol_table *table,
                                                   uint64_t address);
