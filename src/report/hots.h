/*
 * report/hots.h - gathering the most expensive lines and functions; for src/report alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/report.h"

/* Sets the text shown of a line of source, or of a function's name: without blanks around it. NULL
 * is "". Borrows text. */
void sc_hot_text(const char *text, struct sc_hot *hot);

/* Keeps the SC_REPORT_HOT items of the highest percent, highest first, equal ones in order. */
void sc_hots_offer(struct sc_hots *hots, const struct sc_hot *hot);

/* Gives each its place. */
void sc_hots_name(const struct sc_profile *profile, struct sc_hots *hots);

void sc_hots_done(struct sc_hots *hots);
