/*
 * tests/fuzz/view_fuzz.c - profiles from anywhere in the terminal: no control character, no line
 * too wide.
 *
 * The first byte chooses the form of the view, the rest is the profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "render/render.h"
#include "render/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct sc_str *text, const struct sc_render_options *options)
{
    for (size_t start = 0; start < text->length;) {
        const char *line = text->data + start;
        size_t length = strcspn(line, "\n");
        for (size_t i = 0; i < length; i++) {
            unsigned char byte = (unsigned char)line[i];
            if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !options->unicode))
                abort();
        }
        if (sc_text_width(line, length, 0, true) > options->width)
            abort();
        start += length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_profile profile = {0};
    struct sc_report report;
    struct sc_str text = {0};
    if (size == 0 || setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        return 0;
    struct sc_render_options options = {40U + (data[0] >> 2) * 4U, false, (data[0] & 1) != 0};
    if (sc_profile_from_json((const char *)data + 1, size - 1, &profile, NULL)) {
        sc_report_init(&report, &profile, (data[0] & 2) != 0);
        sc_render_terminal(&report, &options, &text);
        check(&text, &options);
        sc_report_done(&report);
    }
    sc_str_done(&text);
    sc_profile_done(&profile);
    return 0;
}
