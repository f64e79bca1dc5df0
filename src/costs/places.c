/* costs/places.c - see places.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/places.h"

void sc_places_init(struct sc_places *places, struct sc_owners *owners)
{
    *places = (struct sc_places){.owners = owners};
}

void sc_places_done(struct sc_places *places)
{
    sc_map_done(&places->line_index);
    sc_map_done(&places->function_index);
}

static uint32_t number_of(struct sc_map *index, uint64_t key, uint32_t *count)
{
    uint32_t number = sc_map_get(index, key);
    if (number == SC_NONE) {
        number = (*count)++;
        sc_map_put(index, key, number);
    }
    return number;
}

struct sc_place sc_place_of(struct sc_places *places, uint32_t node)
{
    const struct sc_collect *collect = places->owners->collect;
    uint32_t owner = sc_owner_of(places->owners, node);
    if (owner == SC_NONE)
        return (struct sc_place){.line = SC_NONE, .function = SC_NONE, .node = SC_NONE};
    const struct sc_stack_node *at = &collect->nodes.items[owner];
    const struct sc_code *code = &collect->codes.items[at->code];
    uint32_t line = at->line != 0 ? at->line : code->first_line;
    return (struct sc_place){
        .line =
            number_of(&places->line_index, (uint64_t)code->file << 32 | line, &places->line_count),
        .function = number_of(&places->function_index, at->code, &places->function_count),
        .node = owner,
    };
}
