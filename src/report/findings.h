/*
 * report/findings.h - how findings are gathered; for src/report/findings*.c alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/report.h"

struct sc_findings {
    struct sc_finding *items;
    size_t count;
    size_t capacity;
};

/* Where a finding is; {0} is the whole program. */
struct sc_finding_place {
    const struct sc_file *file;
    uint32_t lineno, end_lineno;
    bool can_ask;
};

struct sc_finding_place sc_finding_at(const struct sc_file *file, uint32_t lineno, bool can_ask);

/* id is a constant; takes text. */
void sc_found(struct sc_findings *findings, const char *id, double percent,
              struct sc_finding_place place, char *text);

/* Add the findings on, in this order: loops and functions that interpret Python; lines that wait or
 * make long calls; imports; memory; the whole program; the devices. */
void sc_find_python(const struct sc_report *report, struct sc_findings *findings);
void sc_find_lines(const struct sc_report *report, struct sc_findings *findings);
void sc_find_imports(const struct sc_report *report, struct sc_findings *findings);
void sc_find_memory(const struct sc_report *report, struct sc_findings *findings);
void sc_find_program(const struct sc_report *report, struct sc_findings *findings);
void sc_find_gpu(const struct sc_report *report, struct sc_findings *findings);

/* Adds a finding, and returns true, when a line's time is the device's work: the device was busy
 * throughout. */
bool sc_find_gpu_bound(const struct sc_report *report, const struct sc_hot *hot,
                       struct sc_findings *findings);
