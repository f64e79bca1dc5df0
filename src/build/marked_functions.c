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
        const struct sc_builder_code *code = &builder->codes[collect->marked.items[i]];
        if (code->function == SC_NONE)
            continue;
        const struct sc_builder_file *file = &builder->files.items[code->file];
        struct sc_builder_marked one = {.function = code->function, .file = code->file};
        for (size_t k = 0; k < file->scopes.count; k++) {
            if (file->scopes.items[k].function == code->function) {
                one.start = builder->functions.items[code->function].line;
                one.end = file->scopes.items[k].end;
            }
        }
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
