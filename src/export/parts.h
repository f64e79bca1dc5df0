/*
 * export/parts.h - the values of a node, as far as they are known, by thread.
 *
 * The timeline says which thread was where, so time and waiting can be told apart by thread; not
 * all of it, as the timeline has limits. The rest, and all other values, belong to no thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "export/samples.h"
#include "report/timeline.h"

struct sc_export_part {
    uint32_t node;
    uint32_t thread; /* index in the view's, the first of its name, or SC_NONE */
    double share;    /* of the node's time */
};

struct sc_export_parts SC_VEC_OF(struct sc_export_part);

/* By node; of each node the one of no thread is last. Freed by sc_vec_done. */
void sc_export_parts_init(struct sc_export_parts *parts, const struct sc_export_samples *samples,
                          const struct sc_timeline_view *view);

/* Of the part at this index; the parts of a node sum up to its value. */
int64_t sc_export_part_value(const struct sc_export_samples *samples,
                             const struct sc_export_parts *parts, size_t at,
                             enum sc_export_value value);
