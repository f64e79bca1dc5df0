/*
 * tests/fuzz/texts_fuzz.c - sources that a notebook hands over.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "costs/texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_texts texts = {0};
    size_t bytes = 0;
    sc_texts_parse(&texts, (const char *)data, size);
    for (size_t i = 0; i < texts.items.count; i++) {
        const struct sc_text *text = &texts.items.items[i];
        bytes += text->length;
        if (sc_texts_find(&texts, text->shown) == NULL ||
            sc_texts_shown(&texts, text->code_name) == NULL)
            abort();
    }
    if (bytes > size)
        abort();
    sc_texts_done(&texts);
    return 0;
}
