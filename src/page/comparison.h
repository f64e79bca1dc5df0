/*
 * page/comparison.h - the page of a comparison: what has changed, the calls as a flame chart, the
 * sources of both versions.
 *
 * Such a page has no profile: all its answers are made at once. They are in
 * docs/design/0010-page.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "compare/compare.h"
#include "compare/limits.h"
#include "page/page.h"

/* Of a page that was made of an empty profile. names: what each side is called. The comparison may
 * go afterwards. */
void sc_page_compare(struct sc_page *page, const struct sc_comparison *comparison,
                     const struct sc_limits *limits, const char *const names[2]);

/* Two files that belong together, or one that only one side has. */
struct sc_page_pair {
    uint32_t file[2];  /* index in the side's files, or SC_NONE */
    double changed_s;  /* of its lines, without signs */
    size_t line_count; /* of both */
};

/* Those that have lines or functions with a cost, what changed most first. */
struct sc_page_pairs {
    SC_VEC(struct sc_page_pair) items;
    size_t kept;         /* how many of them are on the page: the first ones */
    uint32_t *number[2]; /* per file of a side: its pair on the page, or SC_NONE */
};

/* Of comparison_sources.c, for comparison.c. */
void sc_page_pairs_init(struct sc_page_pairs *pairs, const struct sc_comparison *comparison);
void sc_page_pairs_done(struct sc_page_pairs *pairs);
void sc_page_write_compared_pairs(struct sc_json_out *out, const struct sc_comparison *comparison,
                                  const struct sc_page_pairs *pairs);
void sc_page_write_compared_sources(struct sc_json_out *out, const struct sc_comparison *comparison,
                                    const struct sc_page_pairs *pairs, size_t pair);

/* Of comparison_stacks.c, for comparison.c. */
void sc_page_write_compared_stacks(struct sc_json_out *out, const struct sc_comparison *comparison,
                                   const struct sc_page_pairs *pairs);
