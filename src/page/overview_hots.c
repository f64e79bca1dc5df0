/*
 * page/overview_hots.c - part of api/overview: places that cost most.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page/overview.h"
#include "page/write.h"
#include "report/number.h"

static void write_hot_part(struct sc_json_out *out, enum sc_hot_part part,
                           const struct sc_cost *cost)
{
    switch (part) {
    case SC_HOT_TIME:
        if (sc_cost_calls_matter(cost))
            sc_write_number(out, "cumulative_percent",
                            sc_clamp(cost->cumulative_percent, 0.0, 100.0));
        return;
    case SC_HOT_MEMORY:
        sc_write_number(out, "peak_mb", sc_clamp(cost->peak_mb, 0.0, 1e12));
        sc_write_number(out, "python_fraction", sc_clamp(cost->python_fraction, 0.0, 1.0));
        return;
    case SC_HOT_AWAIT:
        sc_write_number(out, "await_percent", sc_clamp(cost->async_await_percent, 0.0, 100.0));
        sc_write_number(out, "await_mean", cost->async_concurrency_mean);
        sc_write_number(out, "await_peak", cost->async_concurrency_peak);
        return;
    case SC_HOT_GPU:
        sc_write_number(out, "gpu_s", sc_clamp(cost->gpu_s, 0.0, 1e10));
        sc_write_number(out, "gpu_idle_s", sc_clamp(cost->gpu_idle_s, 0.0, 1e10));
        sc_write_number(out, "gpu_live_mb", sc_clamp(cost->gpu_live_peak_mb, 0.0, 1e12));
        return;
    }
}

void sc_overview_hots(struct sc_json_out *out, const struct sc_page *page, const char *key,
                      enum sc_hot_part part, const struct sc_hots *hots)
{
    sc_json_begin_under(out, key, '[');
    SC_EACH(const struct sc_hot, hot, hots) {
        sc_json_begin(out, '{');
        sc_json_count_under(out, "file", sc_page_number_of(page, hot->file));
        sc_json_count_under(out, "lineno", hot->lineno);
        sc_write_text(out, "place", hot->place);
        sc_json_key(out, "text");
        sc_write_source(out, hot->text, hot->text_length);
        sc_write_number(out, "percent", sc_cost_time_percent(hot->cost));
        sc_write_kinds(out, "kinds", hot->kinds);
        sc_write_text(out, "heat", sc_heat_name(hot->heat));
        write_hot_part(out, part, hot->cost);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}
