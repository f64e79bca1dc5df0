/*
 * render/json_report.h - parts that several forms of a report in JSON have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/json_out.h"
#include "report/report.h"

/* A change of the meaning of a key, or one that is taken away, raises it; new keys do not. */
enum { SC_JSON_REPORT_FORMAT = 1 };

/* Six digits. */
void sc_json_write_number(struct sc_json_out *out, const char *key, double number);

/* Line numbers count from 1; 0 says that there is none. */
void sc_json_write_lineno(struct sc_json_out *out, const char *key, uint32_t lineno);

/* An object, with its key. */
void sc_json_write_summary(struct sc_json_out *out, const struct sc_report *report);

/* Objects. */
void sc_json_write_line(struct sc_json_out *out, const struct sc_report *report,
                        const struct sc_file *file, const struct sc_line *line);
void sc_json_write_function(struct sc_json_out *out, const struct sc_report *report,
                            const struct sc_file *file, const struct sc_function *function);
void sc_json_write_finding(struct sc_json_out *out, const struct sc_finding *finding);

/* Keys of an open object. */
void sc_json_write_cost(struct sc_json_out *out, const struct sc_report *report,
                        const struct sc_cost *cost);
