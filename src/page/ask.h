/*
 * page/ask.h - a page from a profile, and its answers to questions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "page/page.h"

/* Takes ownership of the profile's contents and leaves it {0}. path may be NULL. The page must not
 * be moved afterwards: its report points into it. */
void sc_page_init(struct sc_page *page, struct sc_profile *profile, const char *path);

void sc_page_done(struct sc_page *page);

/* Adds the answer of "api/overview", "api/file?file=0&mode=hot", ... to ret_json. Where it cannot
 * be given, err says why and nothing is added. */
enum sc_answer sc_page_ask(struct sc_page *page, const char *question, struct sc_str *ret_json,
                           struct sc_err *err);
