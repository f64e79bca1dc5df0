/* page/comparison.c - see comparison.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/comparison.h"

#include "page/write.h"
#include "render/comparison.h"

/* Where the answer to a question is to be written; valid until the next one. */
static struct sc_json_out begin(struct sc_page *page, char *question)
{
    sc_vec_push(&page->stored, (struct sc_page_stored){.question = question});
    return (struct sc_json_out){.text = &page->stored.items[page->stored.count - 1].answer,
                                .is_compact = true};
}

/* The first screen: the page sees by it that it shows a comparison. */
static void write_overview(struct sc_json_out *out, const char *const names[2])
{
    SC_AUTO_FREE char *title = sc_format("%s \u2192 %s", names[0], names[1]);
    sc_json_begin(out, '{');
    sc_write_text(out, "title", title);
    sc_json_begin_under(out, "comparison", '{');
    sc_write_text(out, "before", names[0]);
    sc_write_text(out, "after", names[1]);
    sc_json_end(out, '}');
    sc_json_begin_under(out, "files", '[');
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

void sc_page_compare(struct sc_page *page, const struct sc_comparison *comparison,
                     const struct sc_limits *limits, const char *const names[2])
{
    SC_AUTO(sc_page_pairs_done) struct sc_page_pairs pairs = {0};
    sc_page_pairs_init(&pairs, comparison);
    struct sc_json_out out = begin(page, sc_strdup("api/overview"));
    write_overview(&out, names);
    out = begin(page, sc_strdup("api/diff"));
    sc_json_write_comparison(&out, comparison, limits, true);
    out = begin(page, sc_strdup("api/diff?of=stacks"));
    sc_page_write_compared_stacks(&out, comparison, &pairs);
    out = begin(page, sc_strdup("api/diff?of=files"));
    sc_page_write_compared_pairs(&out, comparison, &pairs);
    for (size_t i = 0; i < pairs.kept; i++) {
        out = begin(page, sc_format("api/diff?of=sources&pair=%zu", i));
        sc_page_write_compared_sources(&out, comparison, &pairs, i);
    }
}

/* Where there is a comparison, its answers are found before this is called. */
bool sc_page_diff(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                  struct sc_err *err)
{
    (void)page;
    (void)query;
    (void)out;
    return sc_fail(err, SC_ERR_FAILED, "this page does not have that of a comparison");
}
