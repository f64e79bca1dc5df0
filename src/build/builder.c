/* build/builder.c - see builder.h. SPDX-License-Identifier: Apache-2.0 */
#include "build/builder.h"

struct sc_builder_file *sc_builder_file_of(const struct sc_builder *builder, uint32_t node)
{
    uint32_t code = builder->collect->nodes.items[node].code;
    return &builder->files.items[builder->codes[code].file];
}

uint32_t sc_builder_owner_line(const struct sc_builder *builder, uint32_t node)
{
    uint32_t moved = sc_map_get(&builder->collect->moved, node); /* costs of workers */
    uint32_t owner = builder->owners[moved != SC_NONE ? moved : node];
    return owner != SC_NONE ? builder->node_lines[owner] : SC_NONE;
}

struct sc_total *sc_builder_line_of(const struct sc_builder *builder, uint32_t node)
{
    uint32_t line = builder->node_lines[node];
    return line != SC_NONE ? &builder->lines.items[line] : NULL;
}

struct sc_total *sc_builder_function_of(const struct sc_builder *builder, uint32_t node)
{
    uint32_t function = builder->codes[builder->collect->nodes.items[node].code].function;
    return function != SC_NONE ? &builder->functions.items[function] : NULL;
}

uint64_t sc_builder_counted_ns(const struct sc_builder *builder, const struct sc_stack_cost *cost)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < SC_TIME_COUNT_; i++) {
        if (builder->counts[i])
            sum += cost->time_ns[i];
    }
    return sum;
}

double sc_builder_seconds(uint64_t time_ns)
{
    uint64_t time_us = time_ns / 1000;
    return (double)time_us / 1e6;
}

uint64_t sc_builder_part_ns(const struct sc_builder *builder, const struct sc_stack_cost *cost,
                            uint64_t part_ns)
{
    uint64_t counted_ns = sc_builder_counted_ns(builder, cost);
    return part_ns < counted_ns ? part_ns : counted_ns;
}
