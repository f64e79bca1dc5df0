/*
 * build/marks.c - functions that the program has marked with @profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/builder.h"

void sc_builder_find_marks(struct sc_builder *builder)
{
    const struct sc_collect *collect = builder->collect;
    for (size_t i = 0; i < collect->marked.count; i++) {
        const struct sc_builder_code *code = &builder->codes[collect->marked.items[i]];
        if (code->function == SC_NONE)
            continue;
        const struct sc_builder_file *file = &builder->files.items[code->file];
        struct sc_builder_mark mark = {.function = code->function, .file = code->file};
        for (size_t k = 0; k < file->scopes.count; k++) {
            if (file->scopes.items[k].function == code->function) {
                mark.start = builder->functions.items[code->function].line;
                mark.end = file->scopes.items[k].end;
            }
        }
        sc_vec_push(&builder->marks, mark);
    }
}

bool sc_builder_shows_line(const struct sc_builder *builder, uint32_t file, uint32_t line)
{
    for (size_t i = 0; i < builder->marks.count; i++) {
        const struct sc_builder_mark *mark = &builder->marks.items[i];
        if (mark->file == file && line >= mark->start && line <= mark->end)
            return true;
    }
    return builder->marks.count == 0;
}

bool sc_builder_shows_function(const struct sc_builder *builder, uint32_t function)
{
    for (size_t i = 0; i < builder->marks.count; i++) {
        if (builder->marks.items[i].function == function)
            return true;
    }
    return builder->marks.count == 0;
}
