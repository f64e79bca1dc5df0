/*
 * export/export_collapsed.c - one line for each stack, "outer;inner MICROSECONDS".
 *
 * The form of Brendan Gregg's stackcollapse programs. It has one number: of a profile with times
 * these are microseconds, else samples.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>

#include "export/samples.h"
#include "export/writers.h"

#define NS_PER_US 1000

/* What ends a frame is no part of its name. */
static void add_frame(struct sc_str *text, const char *shown)
{
    for (; *shown != '\0'; shown++)
        sc_str_add_char(text, *shown == ';' ? ':' : *shown);
}

void sc_export_collapsed(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    SC_AUTO(sc_export_samples_done) struct sc_export_samples samples = {0};
    SC_AUTO_FREE struct sc_export_stack stack = {0};
    sc_export_samples_init(&samples, profile);
    bool has_time = samples.self[SC_EXPORT_TIME] != NULL;
    for (uint32_t node = 1; has_time && node < samples.nodes.count; node++) {
        double unit = samples.is_timed ? NS_PER_US : 1;
        int64_t weight = sc_export_whole(samples.self[SC_EXPORT_TIME][node] / unit);
        if (weight == 0)
            continue;
        sc_export_stack_of(&samples, node, &stack);
        for (size_t i = 0; i < stack.count; i++) {
            if (i > 0)
                sc_str_add_char(ret_bytes, ';');
            add_frame(ret_bytes, samples.frames.items[stack.items[i]].shown);
        }
        sc_str_add_format(ret_bytes, " %" PRId64 "\n", weight);
    }
}
