/*
 * page/timeline.c - "api/timeline": what each thread did when.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "page/frames.h"
#include "page/write.h"

#define BINS_DEFAULT 1000

static void write_threads(const struct sc_timeline_view *view, size_t count,
                          struct sc_json_out *out)
{
    sc_json_begin_under(out, "threads", '[');
    for (size_t i = 0; i < count; i++) {
        const struct sc_timeline_thread *thread = &view->threads.items[i];
        sc_json_begin(out, '{');
        sc_write_text(out, "id", thread->id);
        sc_write_text(out, "name", thread->name);
        sc_json_bool_under(out, "is_main", thread->is_main);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    sc_json_count_under(out, "threads_left_out", view->threads.count - count);
}

/* The frames of a stack, outermost first. */
static void write_stack(const struct sc_stacks *stacks, uint32_t stack,
                        struct sc_frame_table *table, struct sc_json_out *out)
{
    const struct sc_trie *trie = &stacks->tries[SC_GRAIN_LINE];
    SC_AUTO_FREE SC_VEC(uint32_t) path = {0};
    for (uint32_t at = stacks->lists[SC_STACKS_TIME].items[stack].node; at != 0;
         at = trie->nodes.items[at].parent)
        sc_vec_push(&path, trie->nodes.items[at].frame);
    sc_json_begin(out, '[');
    for (size_t i = path.count; i-- > 0;)
        sc_json_count(out, sc_frame_table_add(table, path.items[i]));
    sc_json_end(out, ']');
}

/* The stacks of the runs; ret_numbers gets the index of each in the answer. */
static void write_stacks(const struct sc_page *page, const struct sc_stacks *stacks,
                         const struct sc_timeline_span *span, uint32_t *ret_numbers,
                         struct sc_json_out *out)
{
    SC_AUTO(sc_frame_table_done) struct sc_frame_table table = {0};
    uint32_t count = 0;
    sc_frame_table_init(&table, stacks);
    for (size_t i = 0; i < stacks->lists[SC_STACKS_TIME].count; i++)
        ret_numbers[i] = SC_NONE;
    sc_json_begin_under(out, "stacks", '[');
    for (size_t i = 0; i < span->runs.count; i++) {
        uint32_t stack = span->runs.items[i].stack;
        if (ret_numbers[stack] != SC_NONE)
            continue;
        ret_numbers[stack] = count++;
        write_stack(stacks, stack, &table, out);
    }
    sc_json_end(out, ']');
    sc_frame_table_write(&table, page, stacks, true, out);
}

#define WRITE_RUNS(out, key, span, write)                                                          \
    do {                                                                                           \
        sc_json_begin_under(out, key, '[');                                                        \
        for (size_t i = 0; i < (span)->runs.count; i++) {                                          \
            const struct sc_shown_run *run = &(span)->runs.items[i];                               \
            write;                                                                                 \
        }                                                                                          \
        sc_json_end(out, ']');                                                                     \
    } while (0)

static void write_track(struct sc_json_out *out, const char *id, const char *title,
                        const float *percents, size_t bins, double unit)
{
    sc_json_begin(out, '{');
    sc_write_text(out, "id", id);
    sc_write_text(out, "title", title);
    sc_json_begin_under(out, "percents", '[');
    for (size_t i = 0; i < bins; i++)
        sc_json_count(out, (uint64_t)lround(unit * (double)percents[i]));
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

/* The load of devices belongs to no thread: it comes from a curve of its own. */
static void write_load(const struct sc_page *page, const struct sc_timeline_span *span,
                       struct sc_json_out *out)
{
    const struct sc_profile *profile = &page->profile;
    if (profile->gpu_load.count < 2 || span->bins == 0)
        return;
    SC_AUTO_FREE float *percents = sc_alloc(span->bins, sizeof(*percents));
    sc_load_bins(&profile->gpu_load, span->from_s, span->to_s, page->report.overview.span_s,
                 span->bins, percents);
    SC_AUTO_FREE char *title = sc_format("Load of the %s", page->report.overview.gpu.noun);
    write_track(out, "gpu", title, percents, span->bins, 1);
}

static void write_tracks(const struct sc_page *page, const struct sc_timeline_view *view,
                         const struct sc_timeline_span *span, struct sc_json_out *out)
{
    sc_json_begin_under(out, "tracks", '[');
    for (int track = 0; track < SC_TRACK_COUNT_; track++) {
        if (view->has_track[track])
            write_track(out, sc_track_ids[track], sc_track_titles[track], span->shares[track],
                        span->bins, 100);
    }
    write_load(page, span, out);
    sc_json_end(out, ']');
}

bool sc_page_timeline(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                      struct sc_err *err)
{
    const struct sc_page_stacks *stacks = sc_page_stacks_of(page);
    SC_AUTO(sc_timeline_span_done) struct sc_timeline_span span = {0};
    double from_s;
    double to_s;
    uint64_t bins;
    if (!sc_page_span(stacks, query, &from_s, &to_s, err) ||
        !sc_query_count(query, "bins", UINT32_MAX, BINS_DEFAULT, &bins, err))
        return false;
    sc_timeline_span_init(&span, &stacks->timeline, from_s, to_s, (size_t)bins);
    SC_AUTO_FREE uint32_t *numbers =
        sc_alloc(stacks->stacks.lists[SC_STACKS_TIME].count + 1, sizeof(*numbers));
    sc_json_begin(out, '{');
    sc_write_number(out, "from_s", from_s);
    sc_write_number(out, "to_s", to_s);
    sc_write_number(out, "end_s", stacks->end_s);
    sc_json_count_under(out, "run_count", stacks->timeline.run_count);
    sc_json_bool_under(out, "is_cut", stacks->timeline.is_cut);
    write_threads(&stacks->timeline, span.threads_shown, out);
    write_stacks(page, &stacks->stacks, &span, numbers, out);
    WRITE_RUNS(out, "starts_s", &span, sc_json_rounded(out, run->start_s, 10));
    WRITE_RUNS(out, "ends_s", &span, sc_json_rounded(out, run->end_s, 10));
    WRITE_RUNS(out, "run_threads", &span, sc_json_count(out, run->thread));
    WRITE_RUNS(out, "run_stacks", &span, sc_json_count(out, numbers[run->stack]));
    write_tracks(page, &stacks->timeline, &span, out);
    sc_json_end(out, '}');
    return true;
}
