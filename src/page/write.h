/*
 * page/write.h - pieces that several answers are made of.
 *
 * key is the name under which a value is written. The caller leaves out a number that is 0 because
 * it was not measured.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/json_out.h"
#include "report/report.h"
#include "source/source.h"

/* NULL is left out. Characters that turn text around are replaced as by sc_write_source. */
void sc_write_text(struct sc_json_out *out, const char *key, const char *text);

/* A name that the page asks by, as it is. */
void sc_write_name(struct sc_json_out *out, const char *key, const char *name);

void sc_write_number(struct sc_json_out *out, const char *key, double number);

void sc_write_shares(struct sc_json_out *out, const char *key, const struct sc_shares *shares);

/* [first, last] */
void sc_write_range(struct sc_json_out *out, const char *key, uint32_t first, uint32_t last);

/* The points of a curve as [[seconds, MB], ...]. */
void sc_write_points(struct sc_json_out *out, const char *key, const struct sc_footprint *points,
                     size_t count);

/* The same, for a drawing: left out with fewer than two points. */
void sc_write_curve(struct sc_json_out *out, const char *key, const struct sc_footprint *points,
                    size_t count);

/* {"python": .., "native": .., "system": ..} */
void sc_write_kinds(struct sc_json_out *out, const char *key, const double kinds[SC_KIND_COUNT_]);

/* "none", "mild", "warm" or "hot". */
const char *sc_heat_name(enum sc_heat heat);

/* Column id to number, for the cells that are not blank. */
void sc_write_cells(struct sc_json_out *out, const struct sc_parts *parts,
                    const struct sc_cost *cost);

/* Text of the source as a value. Characters that only change the order in which others are seen are
 * replaced by their names (<U+202E>): a reader would see other code than what ran. */
void sc_write_source(struct sc_json_out *out, const char *text, size_t length);

/* [[style, text], ...] of a line of the source, which sc_write_source writes; of a very long one
 * its beginning. */
void sc_write_code(struct sc_json_out *out, const struct sc_source *source, size_t line);
