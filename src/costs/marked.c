/* costs/marked.c - see marked.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/marked.h"

#include "base/helper.h"

#define SOURCE_LIMIT_BYTES ((size_t)64 << 20)

void sc_marked_init(struct sc_marked *marked, const struct sc_collect *collect,
                    const struct sc_scope *scope)
{
    *marked = (struct sc_marked){.collect = collect, .scope = scope, .source_file = SC_NONE};
}

void sc_marked_done(struct sc_marked *marked)
{
    sc_vec_done(&marked->items);
    sc_source_done(&marked->source);
}

/* The last line of the def that begins on a line of a file; that line itself without a source. */
static uint32_t end_of(struct sc_marked *marked, uint32_t file, uint32_t first)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct stat status;
    if (file != marked->source_file) {
        const char *name = sc_intern_text(&marked->collect->names, file);
        sc_source_done(&marked->source);
        if (sc_helper_read(marked->scope->helper, name, SOURCE_LIMIT_BYTES, &status, &text) ==
            SC_HELPER_READ)
            sc_source_init(&marked->source, sc_str_text(&text), text.length);
        marked->source_file = file;
    }
    if (first == 0 || first > marked->source.regions.count)
        return first;
    const struct sc_region *region = &marked->source.regions.items[first - 1];
    return region->start_function_line == first ? region->end_function_line : first;
}

bool sc_marked_update(struct sc_marked *marked)
{
    const struct sc_collect *collect = marked->collect;
    size_t known = marked->items.count;
    for (size_t i = known; i < collect->marked.count; i++) {
        const struct sc_code *code = &collect->codes.items[collect->marked.items[i]];
        struct sc_marked_lines lines = {.file = code->file, .first = code->first_line};
        lines.last = end_of(marked, code->file, code->first_line);
        sc_vec_push(&marked->items, lines);
    }
    return marked->items.count > known;
}

bool sc_marked_has(const struct sc_marked *marked, uint32_t node)
{
    const struct sc_stack_node *at = &marked->collect->nodes.items[node];
    const struct sc_code *code = &marked->collect->codes.items[at->code];
    uint32_t line = at->line != 0 ? at->line : code->first_line;
    for (size_t i = 0; i < marked->items.count; i++) {
        const struct sc_marked_lines *lines = &marked->items.items[i];
        if (lines->file == code->file && ((line >= lines->first && line <= lines->last) ||
                                          marked->collect->marked.items[i] == at->code))
            return true;
    }
    return marked->items.count == 0;
}
