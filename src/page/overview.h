/*
 * page/overview.h - the parts of api/overview that tell of the run rather than of its lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "page/page.h"

/* Keys of an object that is open. */
void sc_overview_quality(struct sc_json_out *out, const struct sc_page *page);
void sc_overview_memory(struct sc_json_out *out, const struct sc_page *page);
void sc_overview_activity(struct sc_json_out *out, const struct sc_page *page);
