/*
 * profile/owners.c - which frame of a stack a cost is charged to, while the run goes on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/owners.h"

enum { NOT_ASKED, IN_SCOPE, OUT_OF_SCOPE };

void sc_owners_init(struct sc_owners *owners, const struct sc_collect *collect,
                    const struct sc_scope *scope)
{
    *owners = (struct sc_owners){.collect = collect, .scope = scope};
}

void sc_owners_done(struct sc_owners *owners)
{
    sc_vec_done(&owners->nodes);
    sc_vec_done(&owners->codes);
}

static bool is_in_scope(struct sc_owners *owners, uint32_t code)
{
    while (owners->codes.count <= code)
        sc_vec_push(&owners->codes, NOT_ASKED);
    if (owners->codes.items[code] == NOT_ASKED) {
        const struct sc_code *asked = &owners->collect->codes.items[code];
        const char *name = sc_intern_text(&owners->collect->names, asked->file);
        bool in_scope =
            !sc_code_is_native(asked) && sc_scope_of_code(owners->scope, name) == SC_SCOPE_IN;
        owners->codes.items[code] = in_scope ? IN_SCOPE : OUT_OF_SCOPE;
    }
    return owners->codes.items[code] == IN_SCOPE;
}

uint32_t sc_owner_of(struct sc_owners *owners, uint32_t node)
{
    const struct sc_stack_node *nodes = owners->collect->nodes.items;
    /* parents have smaller ids, so theirs is known */
    for (uint32_t i = (uint32_t)owners->nodes.count; i <= node; i++) {
        uint32_t owner = SC_NONE;
        if (i > 0)
            owner = is_in_scope(owners, nodes[i].code) ? i : owners->nodes.items[nodes[i].parent];
        sc_vec_push(&owners->nodes, owner);
    }
    return owners->nodes.items[node];
}
