/*
 * page/standalone.h - the page as one file that needs no server: the answers are inside.
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

/* Adds the file's text. Its size is bounded; the overview inside lists what it leaves out. No text
 * of the profile can end an element of the file, and its Content-Security-Policy allows no script
 * but its own and no request. The page has this form from then on, as by sc_page_select. */
void sc_page_standalone(struct sc_page *page, enum sc_page_form form, struct sc_str *ret_html);
