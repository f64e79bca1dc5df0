/*
 * tests/fuzz/view_fuzz.c - profiles from anywhere in the terminal: no control character, no line
 * too wide.
 *
 * The first byte chooses the form of the view, the rest is the profile. It is also merged with
 * itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "ranks/profile_sums.h"
#include "render/ranks.h"
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

static void check_merged(const struct sc_profile *profile, const struct sc_render_options *options)
{
    struct sc_ranks ranks = {0};
    struct sc_profile_sums sums = {0};
    struct sc_stragglers stragglers = {0};
    struct sc_texts notes = {0};
    struct sc_str text = {0};
    const struct sc_ranks_view shown = {&ranks, &stragglers, &notes};
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"a", "b", "c"};
        if (!sc_ranks_add(&ranks, profile, names[i], NULL))
            abort();
        sc_profile_sums_add(&sums, profile, names[i]);
    }
    sc_ranks_finish(&ranks);
    sc_stragglers_find(&ranks, &stragglers);
    sc_profile_sums_finish(&sums);
    sc_render_ranks(&shown, options, &text);
    check(&text, options);
    sc_str_clear(&text);
    sc_render_ranks_json(&shown, &text);
    sc_str_clear(&text);
    sc_profile_to_json(&sums.profile, &text);
    struct sc_profile again = {0};
    if (!sc_profile_from_json(text.data, text.length, &again, NULL))
        abort();
    sc_profile_done(&again);
    sc_str_done(&text);
    sc_stragglers_done(&stragglers);
    sc_profile_sums_done(&sums);
    sc_ranks_done(&ranks);
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
        if (!profile.foreign)
            check_merged(&profile, &options);
    }
    sc_str_done(&text);
    sc_profile_done(&profile);
    return 0;
}
