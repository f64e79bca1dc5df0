/*
 * page/overview.h - the parts of api/overview about the run rather than about its lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "page/page.h"

/* Each adds keys to an object that is open. */
void sc_overview_quality(struct sc_json_out *out, const struct sc_page *page);
void sc_overview_memory(struct sc_json_out *out, const struct sc_page *page);
void sc_overview_gpu(struct sc_json_out *out, const struct sc_page *page);
void sc_overview_activity(struct sc_json_out *out, const struct sc_page *page);
void sc_overview_units(struct sc_json_out *out, const struct sc_page *page);

/* What a list of places is about. */
enum sc_hot_part { SC_HOT_TIME, SC_HOT_MEMORY, SC_HOT_AWAIT, SC_HOT_GPU };

void sc_overview_hots(struct sc_json_out *out, const struct sc_page *page, const char *key,
                      enum sc_hot_part part, const struct sc_hots *hots);
