/*
 * build/marked_functions.c - functions that the program has marked with @profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/builder.h"

void sc_builder_find_marked(struct sc_builder *builder)
{
    const struct sc_collect *collect = builder->collect;
    for (size_t i = 0; i < collect->marked.count; i++) {
        uint32_t marked = collect->marked.items[i];
        const struct sc_marked_lines *lines = &builder->marked.items.items[i];
        const struct sc_builder_code *code = &builder->codes[marked];
        if (!builder->files.items[code->file].is_shown)
            continue;
        struct sc_builder_marked one = {code->function, code->file, lines->first, lines->last};
        if (code->last_line > one.end)
            one.end = code->last_line; /* of a lambda: no text says where it ends */
        sc_vec_push(&builder->marked_functions, one);
    }
}

bool sc_builder_shows_line(const struct sc_builder *builder, uint32_t file, uint32_t line)
{
    SC_EACH(const struct sc_builder_marked, one, &builder->marked_functions)
        if (one->file == file && line >= one->start && line <= one->end)
            return true;
    return builder->marked_functions.count == 0;
}

bool sc_builder_shows_function(const struct sc_builder *builder, uint32_t function)
{
    for (size_t i = 0; i < builder->marked_functions.count; i++) {
        if (builder->marked_functions.items[i].function == function)
            return true;
    }
    return builder->marked_functions.count == 0;
}
