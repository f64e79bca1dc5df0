/*
 * costs/marked.h - the lines of functions that the program has marked with @profile.
 *
 * Where there are any, a cost is charged to the nearest frame of a marked function, whatever that
 * function calls. Each mark is known before its function is first called.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/collect.h"
#include "costs/scope.h"
#include "source/source.h"

/* The lines of a function, from its first decorator to its last statement. */
struct sc_marked_lines {
    uint32_t file; /* id of the code's file name */
    uint32_t first, last;
};

struct sc_marked {
    const struct sc_collect *collect; /* not owned */
    const struct sc_scope *scope;     /* not owned */
    SC_VEC(struct sc_marked_lines) items;
    struct sc_source source; /* of the file that a function was marked in last */
    uint32_t source_file;    /* id of its name, SC_NONE before the first */
};

void sc_marked_init(struct sc_marked *marked, const struct sc_collect *collect,
                    const struct sc_scope *scope);
void sc_marked_done(struct sc_marked *marked);

/* Finds the lines of the functions marked since the last call; returns whether there were any. */
bool sc_marked_update(struct sc_marked *marked);

/* Whether costs may be charged to the node: always, unless functions are marked and it is in none
 * of them. */
bool sc_marked_has(const struct sc_marked *marked, uint32_t node);
