/*
 * report/advice.h - findings that know what a line does: rules over statements that cost time; for
 * src/report/advice*.c alone.
 *
 * A rule sees one statement whose cost was measured, and says what could be written instead. What
 * can be saved is never more than the statement's own time. A rule is silent where the text does
 * not settle what the statement does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/findings.h"
#include "report/stacks.h"
#include "source/code.h"

/* A statement that took time. */
struct sc_spot {
    const struct sc_report *report;
    const struct sc_stacks *stacks; /* NULL: the profile has no times of calls */
    const struct sc_file *file;
    const struct sc_code *code;
    uint32_t statement;
    uint32_t lineno; /* the line of it with most time */
    double percent;  /* own time, of the run */
    double error;
    double kinds[SC_KIND_COUNT_];
    double interpreting;        /* part of the Python kind, as sc_cost_interpreting_percent */
    const struct sc_cost *cost; /* of that line */
    struct sc_advices *advices;
    bool is_wait; /* see sc_advice */
};

static inline const struct sc_statement *sc_spot_statement(const struct sc_spot *spot)
{
    return &spot->code->statements.items[spot->statement];
}

/* Whether compiled code takes most of the statement's time, as far as that was measured. */
bool sc_spot_is_native(const struct sc_spot *spot);

/* The time below the statement's lines in functions of these names, with blanks between them, or,
 * where names is NULL, in processes that multiprocessing has forked there; in percent of the run,
 * negative when the profile does not have it. */
double sc_spot_callee_percent(const struct sc_spot *spot, const char *names);

/* The time of some lines of the spot's file, in percent of the run. */
double sc_spot_lines_percent(const struct sc_spot *spot, uint32_t first, uint32_t last);

/* The lexemes [first, end) as text, cut to a length fit for a sentence; to be freed. */
char *sc_spot_text(const struct sc_spot *spot, uint32_t first, uint32_t end);

/* " in the loop at line 12", or ""; to be freed. */
char *sc_spot_loop(const struct sc_spot *spot, const struct sc_repeat *repeat);

/* Adds an advice. The saving is that much of the run, at most the spot's; takes the texts. */
void sc_advise(const struct sc_spot *spot, const char *id, double percent, const char *key,
               char *fact, char *instead, char *evidence);

/* Frees the texts of an advice. */
void sc_advice_done(struct sc_advice *advice);

/* Rules on containers that grow or are searched, and on calls. */
void sc_advise_containers(const struct sc_spot *spot);
void sc_advise_searches(const struct sc_spot *spot);
void sc_advise_calls(const struct sc_spot *spot);
void sc_advise_waits(const struct sc_spot *spot);
void sc_advise_memory(const struct sc_spot *spot);
void sc_advise_columns(const struct sc_spot *spot);
