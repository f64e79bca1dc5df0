/*
 * page/part_sums.h - what lines, functions and files cost within a part of the run: a span of time,
 * one thread, a unit of work, the time on a CPU or the waiting alone, or several of these.
 *
 * A profile keeps whole stacks and when they were sampled, so the times of a part can be summed up.
 * Memory, devices and awaits have no such record: they are known of the whole run alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "page/cache.h"
#include "page/page.h"

/* The part that a question names (page/choice.h), kept for the next question; NULL where it names
 * none: the whole run. False when the profile does not have what it names. Valid until the next
 * call. */
bool sc_page_part_of(struct sc_page *page, const struct sc_query *query,
                     const struct sc_page_part **ret_part, struct sc_err *err);

/* Which number a place of a file has in its list: a line its number, a function its index in the
 * profile, a file 0. NULL: no stack of the part is there. */
const struct sc_part_time *sc_page_part_time(const struct sc_page_part *part,
                                             enum sc_part_list list, size_t file, size_t number);

/* The cost of a place with the times of the part in place of the run's, or as it is where part is
 * NULL. Borrows from cost. */
void sc_page_part_cost(const struct sc_page_part *part, enum sc_part_list list, size_t file,
                       size_t number, const struct sc_cost *cost, struct sc_cost *ret_cost);

/* What rows of a part are chosen by: its times alone. The page's own where part is NULL. */
const struct sc_parts *sc_page_parts(const struct sc_page *page, const struct sc_page_part *part);

/* "heat" and "memory_heat" of a row whose cost is that of the part. Of a part, rows are hot by its
 * time alone. */
void sc_page_write_heats(struct sc_json_out *out, const struct sc_page *page,
                         const struct sc_page_part *part, const struct sc_cost *cost);
enum sc_heat sc_page_heat(const struct sc_page *page, const struct sc_page_part *part,
                          const struct sc_cost *cost);
enum sc_heat sc_page_memory_heat(const struct sc_page *page, const struct sc_page_part *part,
                                 const struct sc_cost *cost);
