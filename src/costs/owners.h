/*
 * costs/owners.h - which frame of a stack a cost is charged to.
 *
 * Time is summed by stack, and the line it belongs to is chosen when the profile is written. The
 * peak of a line cannot be found that way: it is the highest sum over all stacks that end in the
 * line. So for memory, waiting tasks and devices the scope is applied during the run; it is the
 * same scope, and it does not change. The rule is the same for both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/marked.h"

struct sc_owners {
    const struct sc_collect *collect; /* not owned */
    const struct sc_scope *scope;     /* not owned */
    struct sc_marked marked;
    SC_VEC(uint32_t) nodes; /* node -> its owner, or SC_NONE */
    SC_VEC(uint8_t) codes;  /* code -> 0 not asked yet, else 1 + its enum sc_scope_reason */
};

/* The rule: the owner of a node whose file is in scope or not for the reason own, given the owner
 * of its parent (callers) and the reason of that one's file, of no meaning if callers is SC_NONE.
 * Code in scope is its own owner; a tool's code is where nothing in scope calls it. */
static inline uint32_t sc_owner_below(uint32_t node, enum sc_scope_reason own, uint32_t callers,
                                      enum sc_scope_reason of_callers)
{
    bool is_in_scope = own == SC_SCOPE_IN;
    bool is_free = callers == SC_NONE || of_callers == SC_SCOPE_TOOL;
    return is_in_scope || (own == SC_SCOPE_TOOL && is_free) ? node : callers;
}

void sc_owners_init(struct sc_owners *owners, const struct sc_collect *collect,
                    const struct sc_scope *scope);
void sc_owners_done(struct sc_owners *owners);

/* The innermost node, from node outwards, that is in scope and, where functions are marked, in a
 * marked one. Without any, the innermost node of the tool that was started (SC_SCOPE_TOOL); whether
 * that is shown is decided when the profile is built. Else SC_NONE. */
uint32_t sc_owner_of(struct sc_owners *owners, uint32_t node);
