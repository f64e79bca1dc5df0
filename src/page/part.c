/*
 * page/part.c - "api/part": what a part of the run is, and the files' shares of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "page/frames.h"
#include "page/part_sums.h"
#include "page/write.h"

/* A file with less of the part is not listed, in %. */
#define LEAST_PERCENT 0.005

/* "files": [[file, % of the part]] of those that have any. */
static void write_files(struct sc_json_out *out, const struct sc_page *page,
                        const struct sc_page_part *part)
{
    sc_json_key(out, "files");
    sc_json_begin(out, '[');
    for (size_t i = 0; i < page->report.files.count; i++) {
        const struct sc_part_time *time = sc_page_part_time(part, SC_PART_FILES, i, 0);
        double percent = 0;
        for (int kind = 0; time != NULL && kind < SC_KIND_COUNT_; kind++)
            percent += time->kinds[kind];
        if (!(percent >= LEAST_PERCENT))
            continue;
        sc_json_item(out);
        sc_json_begin(out, '[');
        sc_json_item(out);
        sc_json_count(out, i);
        sc_json_item(out);
        sc_json_rounded(out, percent, 5);
        sc_json_end(out, ']');
    }
    sc_json_end(out, ']');
}

enum sc_answer sc_page_of_part(struct sc_page *page, const struct sc_query *query,
                               struct sc_json_out *out, struct sc_err *err)
{
    const struct sc_page_part *part;
    if (!sc_page_part_of(page, query, &part, err))
        return err->kind == SC_ERR_USAGE ? SC_ANSWER_BAD : SC_ANSWER_MISSING;
    if (part == NULL) {
        (void)sc_fail(err, SC_ERR_USAGE, "the question must say which span, thread or time");
        return SC_ANSWER_BAD;
    }
    sc_json_begin(out, '{');
    sc_write_number(out, "from_s", part->choice.from_s);
    sc_write_number(out, "to_s", part->choice.to_s);
    sc_write_text(out, "unit", sc_page_stacks_of(page)->stacks.is_timed ? "s" : "samples");
    sc_json_key(out, "total");
    sc_json_rounded(out, part->whole, 7);
    double samples = part->of_run * (double)page->profile.samples_taken;
    sc_write_count(out, "samples", (uint64_t)fmin(round(samples), 1e15));
    write_files(out, page, part);
    sc_json_end(out, '}');
    return SC_ANSWER_OK;
}
