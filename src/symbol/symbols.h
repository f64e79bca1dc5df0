/*
 * symbol/symbols.h - names of native functions, for all files that a run has executed code of.
 *
 * While the program runs a file is only opened, so that its name can mean another file later; its
 * symbols and debug information are read when the first name is asked for. All that is done by a
 * child process (base/helper.h), so that a file that cannot be read in time, or is broken, does no
 * harm: it just has no names. Nothing is fetched from the network.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/record.h"

/* Functions at one address, the real one and those inlined into it. */
#define SC_SYMBOL_DEPTH_MAX 16

struct sc_symbol_name {
    const char *text; /* owned by the symbols */
    uint64_t inside;  /* bytes from the function's start, 0 when inlined */
};

struct sc_helper;
struct sc_symbols;

/* helper answers what may take long, and is not owned. Without one (NULL) each question reads its
 * file again. */
struct sc_symbols *sc_symbols_new(struct sc_helper *helper);
void sc_symbols_free(struct sc_symbols *symbols);

/* What the file of a path is known as: the path, unless another file had it before. identity
 * distinguishes the files of a path. */
const char *sc_symbols_name(struct sc_symbols *symbols, const char *path, uint64_t identity);

/* Opens the file that the target knows as name and that open_path, or else other_path, leads to
 * from this process, unless one of that name was added. False when it cannot be opened, or too many
 * are; a file that is not open after a few milliseconds may still be opened later. */
bool sc_symbols_add(struct sc_symbols *symbols, const char *name, const char *open_path,
                    const char *other_path);

/* Finds the names at all these places in a file, for sc_symbols_find and sc_symbols_start. */
void sc_symbols_prepare(struct sc_symbols *symbols, const char *name, const uint64_t *file_offsets,
                        size_t count, bool with_inlined);

/* Fills ret_names with the functions that the instruction at file_offset is in: the real one, then
 * those inlined into it, inwards. with_inlined false: the real one alone. Returns their number, at
 * most SC_SYMBOL_DEPTH_MAX; 0 when the file has no name there.
 */
size_t sc_symbols_find(struct sc_symbols *symbols, const char *name, uint64_t file_offset,
                       bool with_inlined, struct sc_symbol_name *ret_names);

/* The offset in the file where the function begins that the instruction at file_offset is in, by
 * unwind records; file_offset itself when none covers it. */
uint64_t sc_symbols_start(struct sc_symbols *symbols, const char *name, uint64_t file_offset);

enum sc_symbols_row {
    SC_SYMBOLS_NO_ROW,
    SC_SYMBOLS_ROW,
    SC_SYMBOLS_ROW_LATER, /* the file is still being read */
};

/* How to get from the frame of the function at file_offset to its caller's, while the program runs,
 * too; as sc_functions_row. */
enum sc_symbols_row sc_symbols_row(struct sc_symbols *symbols, const char *name,
                                   uint64_t file_offset, struct sc_unwind_row *ret_row);
