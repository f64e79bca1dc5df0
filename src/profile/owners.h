/*
 * profile/owners.h - which frame of a stack a cost is charged to, while the run goes on.
 *
 * Time is summed by stack, and the line it belongs to is chosen when the profile is written. The
 * peak of a line cannot be found that way: it is the highest sum over all stacks that end in the
 * line. So for memory the scope is applied at once; it is the same one, and it does not change
 * during a run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/marked.h"

struct sc_owners {
    const struct sc_collect *collect; /* not owned */
    const struct sc_scope *scope;     /* not owned */
    struct sc_marked marked;
    SC_VEC(uint32_t) nodes; /* node -> its owner, or SC_NONE */
    SC_VEC(uint8_t) codes;  /* code -> 0 not asked yet, 1 in scope, 2 not, 3 a tool's */
};

void sc_owners_init(struct sc_owners *owners, const struct sc_collect *collect,
                    const struct sc_scope *scope);
void sc_owners_done(struct sc_owners *owners);

/* The innermost node in scope, and of a marked function where there are such, from node outwards;
 * without any, the innermost of the tool that was started (SC_SCOPE_TOOL), of which is known only
 * later whether it is shown; or SC_NONE. */
uint32_t sc_owner_of(struct sc_owners *owners, uint32_t node);
