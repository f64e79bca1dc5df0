/*
 * costs/cell_sources.h - sources that are in no file: the cells of a notebook.
 *
 * The package that runs in the notebook writes them all to one file, which it replaces as a whole
 * when there is a new cell. For each cell there is a line
 *
 *     <name to show, without blanks> <bytes of the code's name> <bytes of the text>
 *
 * and behind it, without anything between, the name that the cell's code objects have (co_filename)
 * and the text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

struct sc_cell_source {
    char *shown;     /* "[3]" */
    char *code_name; /* "/tmp/ipykernel_12/34.py" */
    char *text;
    size_t length;
};

struct sc_helper;

/* Initialise with {.path = ..., .helper = ...}, both borrowed, or {0} for none. */
struct sc_cell_sources {
    const char *path;
    struct sc_helper *helper; /* reads that file, or NULL */
    SC_VEC(struct sc_cell_source) items;
    uint64_t inode; /* of the file that was read last */
    uint64_t changed_ns;
};

/* Adds what the bytes hold, up to the first part that does not have the form above. Also for
 * tests. */
void sc_cell_sources_parse(struct sc_cell_sources *sources, const char *bytes, size_t length);

/* Adds one. Takes ownership of the two names, and returns shown, valid until sources is done, or is
 * read anew from its file. The text has length bytes. */
const char *sc_cell_sources_add(struct sc_cell_sources *sources, char *shown, char *code_name,
                                const char *text, size_t length);

/* The name to show for code of that name; NULL when the code is no cell's. Reads the file of the
 * cells again when it has changed. Valid until the next call. */
const char *sc_cell_sources_shown(struct sc_cell_sources *sources, const char *code_name);

/* The text that is shown under a name, the last one if there are several; NULL without one. */
const struct sc_cell_source *sc_cell_sources_find(const struct sc_cell_sources *sources,
                                                  const char *shown);

void sc_cell_sources_done(struct sc_cell_sources *sources);
