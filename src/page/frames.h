/*
 * page/frames.h - the stacks and the timeline of a page, read from the profile when they are first
 * asked for: the first screen does not wait for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "page/page.h"
#include "report/calls.h"
#include "report/stacks.h"
#include "report/timeline.h"

struct sc_page_stacks {
    const struct sc_profile *profile; /* the page's */
    struct sc_stacks stacks;
    struct sc_timeline_view timeline;
    struct sc_call_graph calls;
    double end_s; /* of the program's run, or of the timeline if that is later */
};

/* Owned by the page. */
const struct sc_page_stacks *sc_page_stacks_of(struct sc_page *page);
void sc_page_stacks_free(struct sc_page_stacks *stacks);

/* How much of the run's time the stacks are, in %; 0: not known. */
double sc_page_stacks_percent(const struct sc_page *page, const struct sc_page_stacks *stacks);

/* "from_s" and "to_s" of a question; where they are not there, 0 and the end. */
bool sc_page_span(const struct sc_page_stacks *stacks, const struct sc_query *query,
                  double *ret_from_s, double *ret_to_s, struct sc_err *err);

/* "thread" of a question as an index in the timeline, one behind the last for a thread that has no
 * stacks; SC_ANY_THREAD where it is not there. */
uint32_t sc_page_thread(const struct sc_page_stacks *stacks, const struct sc_query *query);

/* The table of those frames that an answer names, in the order they were first named. */
struct sc_frame_table {
    uint32_t *numbers; /* per frame of the stacks: its index in frames, or SC_NONE */
    SC_VEC(uint32_t) frames;
};

void sc_frame_table_init(struct sc_frame_table *table, const struct sc_stacks *stacks);
uint32_t sc_frame_table_add(struct sc_frame_table *table, uint32_t frame);

/* "frames": [{"name", "kind": "python|native|kernel", "role": "library|plumbing", "path", "module",
 * "file"}]. "module" is the name of the module whose code a frame is.
 * "file" is missing where the page does not have the file. */
void sc_frame_table_write(const struct sc_frame_table *table, const struct sc_page *page,
                          const struct sc_stacks *stacks, bool with_lines, struct sc_json_out *out);

/* The members of a frame, without the braces around them. */
void sc_page_write_frame(const struct sc_page *page, const struct sc_stacks *stacks,
                         const struct sc_frame *frame, bool with_line, struct sc_json_out *out);
void sc_frame_table_done(struct sc_frame_table *table);
