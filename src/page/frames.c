/* page/frames.c - see frames.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/write.h"
#include "report/name.h"

const struct sc_page_stacks *sc_page_stacks_of(struct sc_page *page)
{
    if (page->stacks != NULL)
        return page->stacks;
    struct sc_page_stacks *stacks = sc_alloc(1, sizeof(*stacks));
    stacks->profile = &page->profile;
    sc_stacks_init(&stacks->stacks, &page->profile);
    sc_timeline_view_init(&stacks->timeline, &page->profile, &stacks->stacks);
    sc_call_graph_init(&stacks->calls, &stacks->stacks, NULL);
    stacks->end_s = fmax(page->report.overview.span_s, stacks->timeline.end_s);
    page->stacks = stacks;
    return stacks;
}

void sc_page_stacks_free(struct sc_page_stacks *stacks)
{
    if (stacks == NULL)
        return;
    sc_call_graph_done(&stacks->calls);
    sc_timeline_view_done(&stacks->timeline);
    sc_stacks_done(&stacks->stacks);
    free(stacks);
}

double sc_page_stacks_percent(const struct sc_page *page, const struct sc_page_stacks *stacks)
{
    return stacks->stacks.has_calls ? page->profile.call_tree_percent
                                    : page->profile.stacks_percent;
}

bool sc_page_span(const struct sc_page_stacks *stacks, const struct sc_query *query,
                  double *ret_from_s, double *ret_to_s, struct sc_err *err)
{
    if (!sc_query_number(query, "from_s", 0, ret_from_s, err) ||
        !sc_query_number(query, "to_s", stacks->end_s, ret_to_s, err))
        return false;
    *ret_from_s = fmin(fmax(*ret_from_s, 0), stacks->end_s);
    *ret_to_s = fmin(fmax(*ret_to_s, *ret_from_s), stacks->end_s);
    return true;
}

uint32_t sc_page_thread(const struct sc_page_stacks *stacks, const struct sc_query *query)
{
    const struct sc_timeline_view *view = &stacks->timeline;
    SC_AUTO_FREE char *id = sc_query_text(query, "thread");
    uint32_t at = 0;
    if (id == NULL)
        return SC_ANY_THREAD;
    while (at < view->threads.count && strcmp(view->threads.items[at].id, id) != 0)
        at++;
    return at;
}

void sc_frame_table_init(struct sc_frame_table *table, const struct sc_stacks *stacks)
{
    *table = (struct sc_frame_table){0};
    table->numbers = sc_alloc(stacks->frames.count + 1, sizeof(*table->numbers));
    for (size_t i = 0; i < stacks->frames.count; i++)
        table->numbers[i] = SC_NONE;
}

uint32_t sc_frame_table_add(struct sc_frame_table *table, uint32_t frame)
{
    if (table->numbers[frame] == SC_NONE) {
        table->numbers[frame] = (uint32_t)table->frames.count;
        sc_vec_push(&table->frames, frame);
    }
    return table->numbers[frame];
}

static const char *const kind_names[] = {"python", "python", "native", "native", "kernel"};
static const char *const role_names[] = {NULL, SC_CALL_LIBRARY, NULL, SC_CALL_PLUMBING, NULL};

void sc_page_write_frame(const struct sc_page *page, const struct sc_stacks *stacks,
                         const struct sc_frame *frame, bool with_line, struct sc_json_out *out)
{
    const char *path = sc_intern_text(&stacks->texts, frame->path);
    sc_write_text(out, "name", sc_intern_text(&stacks->texts, frame->name));
    sc_write_text(out, "kind", kind_names[frame->kind]);
    if (role_names[frame->kind] != NULL)
        sc_write_text(out, "role", role_names[frame->kind]);
    if (path[0] != '\0')
        sc_write_text(out, "path", path);
    if (sc_frame_is_python(frame) && path[0] != '\0' &&
        strcmp(sc_intern_text(&stacks->texts, frame->name), "<module>") == 0) {
        SC_AUTO_FREE char *module = sc_module_name(&page->profile, path);
        sc_write_text(out, "module", module);
    }
    size_t file = sc_frame_is_python(frame) ? sc_page_find_file(page, path) : SIZE_MAX;
    if (file != SIZE_MAX)
        sc_json_count_under(out, "file", file);
    if (with_line && frame->line != 0)
        sc_json_count_under(out, "line", frame->line);
}

void sc_frame_table_write(const struct sc_frame_table *table, const struct sc_page *page,
                          const struct sc_stacks *stacks, bool with_lines, struct sc_json_out *out)
{
    sc_json_begin_under(out, "frames", '[');
    for (size_t i = 0; i < table->frames.count; i++) {
        sc_json_begin(out, '{');
        sc_page_write_frame(page, stacks, &stacks->frames.items[table->frames.items[i]], with_lines,
                            out);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

void sc_frame_table_done(struct sc_frame_table *table)
{
    free(table->numbers);
    sc_vec_done(&table->frames);
}
