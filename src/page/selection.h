/*
 * page/selection.h - which answers are stored in a page that has no server.
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
 * overview among them lists what did not fit. Sets served, notebook and left_out of the page for
 * this form. */
void sc_page_select(struct sc_page *page, enum sc_page_form form, struct sc_str *ret_members);
