/*
 * cpython/cells.h - the sources of cells that IPython or marimo has run, read through a callback.
 *
 * IPython compiles a cell under a name that is no file's. It puts the text into linecache.cache,
 * for tracebacks, and into the list In of the user's names, whose index is the number of the cell.
 * Both are found through sys.modules, and so in any kernel or terminal, however it was started.
 * marimo puts the text there, too; its cells have no numbers, but names, which their code has.
 *
 * What is read may change meanwhile, or be freed: types are checked, loops are bounded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/modules.h"

#define SC_CELL_BYTES_MAX ((size_t)1 << 20)

/* Whether code of that name may be a cell's: "/tmp/ipykernel_17/2508.py", "<ipython-input-3-...",
 * "/tmp/marimo_17/__marimo__cell_Hbol_.py". */
bool sc_cell_is_name(const char *code_name);

/* The cell's own name in that of its code: "Hbol", of *ret_length bytes; NULL if it has none. */
const char *sc_cell_own_name(const char *code_name, size_t *ret_length);

/* Finds the text of the cell whose code has that name, and its number, 0 if it has a name. The text
 * is put into ret_text, which has room for SC_CELL_BYTES_MAX bytes, without a NUL; other must have
 * room for as many, and is left undefined. */
bool sc_cell_read(const struct sc_python *python, uint64_t interpreter, const char *code_name,
                  char *ret_text, char *other, size_t *ret_length, uint64_t *ret_number);
