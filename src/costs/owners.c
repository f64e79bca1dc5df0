/*
 * costs/owners.c - which frame of a stack a cost is charged to, during the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/owners.h"

enum { NOT_ASKED, IN_SCOPE, OUT_OF_SCOPE, A_TOOLS };

void sc_owners_init(struct sc_owners *owners, const struct sc_collect *collect,
                    const struct sc_scope *scope)
{
    *owners = (struct sc_owners){.collect = collect, .scope = scope};
    sc_marked_init(&owners->marked, collect, scope);
}

void sc_owners_done(struct sc_owners *owners)
{
    sc_marked_done(&owners->marked);
    sc_vec_done(&owners->nodes);
    sc_vec_done(&owners->codes);
}

static uint8_t kind_of(struct sc_owners *owners, uint32_t code)
{
    while (owners->codes.count <= code)
        sc_vec_push(&owners->codes, NOT_ASKED);
    if (owners->codes.items[code] == NOT_ASKED) {
        const struct sc_code *asked = &owners->collect->codes.items[code];
        const char *name = sc_intern_text(&owners->collect->names, asked->file);
        enum sc_scope_reason reason =
            sc_code_is_native(asked) ? SC_SCOPE_INTERNAL : sc_scope_of_code(owners->scope, name);
        owners->codes.items[code] = reason == SC_SCOPE_IN     ? IN_SCOPE
                                    : reason == SC_SCOPE_TOOL ? A_TOOLS
                                                              : OUT_OF_SCOPE;
    }
    return owners->codes.items[code];
}

/* The owner of a node, given its parent's (callers). */
static uint32_t owner_below(struct sc_owners *owners, uint32_t node, uint32_t callers)
{
    const struct sc_stack_node *nodes = owners->collect->nodes.items;
    uint8_t kind = kind_of(owners, nodes[node].code);
    if (kind == OUT_OF_SCOPE || !sc_marked_has(&owners->marked, node))
        return callers;
    bool is_second =
        kind == A_TOOLS && callers != SC_NONE && kind_of(owners, nodes[callers].code) == IN_SCOPE;
    return is_second ? callers : node;
}

uint32_t sc_owner_of(struct sc_owners *owners, uint32_t node)
{
    const struct sc_stack_node *nodes = owners->collect->nodes.items;
    if (sc_marked_update(&owners->marked))
        owners->nodes.count = 0;
    /* parents have smaller ids, so theirs is known */
    for (uint32_t i = (uint32_t)owners->nodes.count; i <= node; i++) {
        uint32_t owner = SC_NONE;
        if (i > 0)
            owner = owner_below(owners, i, owners->nodes.items[nodes[i].parent]);
        sc_vec_push(&owners->nodes, owner);
    }
    return owners->nodes.items[node];
}
