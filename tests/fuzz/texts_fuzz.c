/*
 * tests/fuzz/texts_fuzz.c - sources that a notebook hands over.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "costs/cell_sources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_cell_sources cell_sources = {0};
    size_t bytes = 0;
    sc_cell_sources_parse(&cell_sources, (const char *)data, size);
    for (size_t i = 0; i < cell_sources.items.count; i++) {
        const struct sc_cell_source *text = &cell_sources.items.items[i];
        bytes += text->length;
        if (sc_cell_sources_find(&cell_sources, text->shown) == NULL ||
            sc_cell_sources_shown(&cell_sources, text->code_name) == NULL)
            abort();
    }
    if (bytes > size)
        abort();
    sc_cell_sources_done(&cell_sources);
    return 0;
}
