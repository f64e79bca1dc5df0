/*
 * observer/stack/cells.h - cells of a notebook whose kernel is an ordinary process of the run:
 * their texts are read from its memory when their code is first seen.
 *
 * A profile that a cell starts itself gets the texts from the Python package
 * (costs/cell_sources.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/cell_sources.h"
#include "cpython/layout.h"
#include "observer/system/subject.h"

/* What is known of a process; nothing is owned. */
struct sc_cells {
    struct sc_subject subject;
    const struct sc_layout *layout;
    uint64_t runtime;
    unsigned failures;
};

/* The name to show for code of that name, such as "[3]", when it is a cell whose text could be
 * read; the text is then added to cell_sources. Else NULL. */
const char *sc_cells_shown(struct sc_cells *cells, struct sc_cell_sources *cell_sources,
                           const char *code_name);
