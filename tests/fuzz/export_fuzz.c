/*
 * tests/fuzz/export_fuzz.c - profiles from anywhere in every format: what is no binary file is
 * UTF-8 without control characters.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "export/export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct sc_str *text)
{
    for (size_t i = 0; i < text->length;) {
        size_t length = sc_utf8_length(text->data + i, text->length - i);
        unsigned char byte = (unsigned char)text->data[i];
        if (length == 0 || byte == 0x7f || (byte < 0x20 && strchr("\r\n\t", byte) == NULL))
            abort();
        i += length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_profile profile = {0};
    if (!sc_profile_from_json((const char *)data, size, &profile, NULL))
        return 0;
    for (size_t i = 0; i < sc_export_format_count; i++) {
        struct sc_str bytes = {0};
        sc_export_formats[i].write(&profile, &bytes);
        if (!sc_export_formats[i].is_binary)
            check(&bytes);
        sc_str_done(&bytes);
    }
    sc_profile_done(&profile);
    return 0;
}
