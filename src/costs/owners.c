/* costs/owners.c - see owners.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/owners.h"

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

static enum sc_scope_reason reason_of(struct sc_owners *owners, uint32_t node)
{
    uint32_t code = owners->collect->nodes.items[node].code;
    while (owners->codes.count <= code)
        sc_vec_push(&owners->codes, 0);
    if (owners->codes.items[code] == 0) {
        const struct sc_code *asked = &owners->collect->codes.items[code];
        const char *name = sc_intern_text(&owners->collect->names, asked->file);
        enum sc_scope_reason reason =
            sc_code_is_native(asked) ? SC_SCOPE_INTERNAL : sc_scope_of_code(owners->scope, name);
        owners->codes.items[code] = (uint8_t)(1 + reason);
    }
    return (enum sc_scope_reason)(owners->codes.items[code] - 1);
}

/* The owner of a node, given its parent's (callers). */
static uint32_t owner_below(struct sc_owners *owners, uint32_t node, uint32_t callers)
{
    if (!sc_marked_has(&owners->marked, node))
        return callers;
    return sc_owner_below(node, reason_of(owners, node), callers,
                          callers == SC_NONE ? SC_SCOPE_IN : reason_of(owners, callers));
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
