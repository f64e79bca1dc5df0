/*
 * page/selection.h - which answers a page holds that has no server to ask.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "page/page.h"

enum sc_page_form {
    SC_PAGE_FILE,     /* a file of its own */
    SC_PAGE_NOTEBOOK, /* the output of a notebook's cell, which is saved with the notebook */
    SC_PAGE_FORM_COUNT_,
};

/* Adds "question":answer, as members of a JSON object, for everything that the form holds. The
 * overview among them says what did not fit. The page is one of this form from then on (served,
 * notebook, left_out). */
void sc_page_select(struct sc_page *page, enum sc_page_form form, struct sc_str *ret_members);
