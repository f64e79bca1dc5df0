/*
 * report/findings.h - how findings are gathered; for src/report/findings*.c alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "report/report.h"
#include "source/code.h"

struct sc_findings SC_VEC_OF(struct sc_finding);

/* Where a finding is; {0} is the whole program. */
struct sc_finding_place {
    const struct sc_file *file;
    uint32_t lineno, end_lineno;
    bool can_ask;
};

struct sc_finding_place sc_finding_at(const struct sc_file *file, uint32_t lineno, bool can_ask);

/* A share of the run with its error ("14 +- 2%"), which is left out where it is small. Freed by the
 * caller. */
char *sc_share_text(double percent, double error);

/* Memory of some lines, and the sum of the squares of its errors. Initialise with {0}. */
struct sc_memory_amount {
    double mb;
    double squares;
};

/* mb: of the line's memory, at any moment. */
void sc_memory_amount_add(struct sc_memory_amount *amount, const struct sc_cost *cost, double mb);

/* "up to 48.6 MB +- 0.4 MB of the 117.5 MB at the peak could be saved". Freed by the caller. */
char *sc_memory_saving(const struct sc_profile *profile, const struct sc_memory_amount *amount);

/* The error of what some lines of a file take together. */
double sc_lines_error(const struct sc_file *file, uint32_t first, uint32_t last);

/* id is a constant; takes text. */
void sc_found(struct sc_findings *findings, const char *id, double percent,
              struct sc_finding_place place, char *text);

/* What a rule over statements (advice.h) has found. */
struct sc_advice {
    const char *id;
    char *key;      /* what it is about, such as a name: spots with the same key are one finding */
    char *fact;     /* what the place does; owned */
    char *instead;  /* a sentence; owned */
    char *evidence; /* what it was concluded from; owned */
    const struct sc_file *file;
    uint32_t lineno;
    double percent;       /* what could be saved, of the run */
    double error;         /* 95 % half width, in points */
    double largest;       /* the percent of the spot that lineno and fact are of */
    uint32_t last_lineno; /* of the spot that was added last */
    double last_percent;  /* the largest saving of that line */
    unsigned spots;
    bool is_wait; /* of threads beside each other: percent is no part of the run that could be saved
                   */
};

struct sc_advices SC_VEC_OF(struct sc_advice);

/* Adds a finding for each statement that took time and could be written in a better way, and keeps
 * in ret_advices ({0}) what they are about. Freed by sc_advices_done. */
void sc_find_advice(const struct sc_report *report, struct sc_findings *findings,
                    struct sc_advices *ret_advices);
void sc_advices_done(struct sc_advices *advices);

/* Whether the lines of a file are those that ran, with a record for each. */
bool sc_file_has_text(const struct sc_file *file);

/* Reads the file's lines, which text keeps ({0}); both are to be freed, text after code. */
void sc_file_code_init(const struct sc_file *file, struct sc_str *text, struct sc_code *code);

/* Whether a line of the file from first to last is in one of the advices. */
bool sc_advices_cover(const struct sc_advices *advices, const struct sc_file *file, uint32_t first,
                      uint32_t last);

/* Add the findings on, in this order: loops and functions that interpret Python; lines that wait or
 * make long calls; imports; memory
 * that grows as long as the program runs, then that of lines that seldom free; what is alive at
 * the peak and not needed then; the whole program;
 * the devices. */
void sc_find_python(const struct sc_report *report, const struct sc_advices *advices,
                    struct sc_findings *findings);
void sc_find_lines(const struct sc_report *report, const struct sc_advices *advices,
                   struct sc_findings *findings);
void sc_find_imports(const struct sc_report *report, struct sc_findings *findings);
void sc_find_memory(const struct sc_report *report, struct sc_findings *findings);
void sc_find_growth(const struct sc_report *report, struct sc_findings *findings);
void sc_find_peak(const struct sc_report *report, struct sc_findings *findings);
void sc_find_program(const struct sc_report *report, struct sc_findings *findings);
void sc_find_gpu(const struct sc_report *report, struct sc_findings *findings);

/* Adds a finding, and returns true, when a line's time is the device's work: the device was busy
 * throughout. */
bool sc_find_gpu_bound(const struct sc_report *report, const struct sc_hot *hot,
                       struct sc_findings *findings);
