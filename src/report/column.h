/*
 * report/column.h - the columns of a line table: one object each, in the order they are shown.
 *
 * A column has its headings, its widths, the number that it shows and the rule by which it is left
 * out. Renderers walk the table; nothing about a column is written anywhere else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"
#include "report/number.h"

/* What a cell holds. */
enum sc_unit {
    SC_UNIT_PERCENT,       /* 31% */
    SC_UNIT_MEGABYTES,     /* 310M, 1.25G */
    SC_UNIT_MB_PER_SECOND, /* 3100 */
    SC_UNIT_SECONDS,       /* 850ms, 12.4s */
    SC_UNIT_CURVE,         /* memory over time */
};

/* What kind of cost a column belongs to: gives its colour and whether a hot line marks it. */
enum sc_group {
    SC_GROUP_TIME,
    SC_GROUP_GPU,
    SC_GROUP_AWAIT,
    SC_GROUP_MEMORY,
    SC_GROUP_COPY,
    SC_GROUP_COUNT_,
};

struct sc_group_text {
    const char *heading;       /* above the columns of the group */
    const char *short_heading; /* in a narrow table */
};

extern const struct sc_group_text sc_groups[SC_GROUP_COUNT_];

enum sc_column_id {
    SC_COLUMN_SELF,
    SC_COLUMN_TOTAL,
    SC_COLUMN_PYTHON,
    SC_COLUMN_NATIVE,
    SC_COLUMN_SYSTEM,
    SC_COLUMN_WAITING,
    SC_COLUMN_GPU,
    SC_COLUMN_GPU_TIME,
    SC_COLUMN_GPU_IDLE,
    SC_COLUMN_GPU_MEMORY,
    SC_COLUMN_GPU_ALLOCATED,
    SC_COLUMN_NEURON_RUNTIME,
    SC_COLUMN_NEURON_CORES,
    SC_COLUMN_NEURON_UNUSED,
    SC_COLUMN_AWAIT,
    SC_COLUMN_MEMORY_PYTHON,
    SC_COLUMN_MEMORY_PEAK,
    SC_COLUMN_MEMORY_AVERAGE,
    SC_COLUMN_MEMORY_CURVE,
    SC_COLUMN_MEMORY_USAGE,
    SC_COLUMN_COPY,
    SC_COLUMN_COUNT_,
};

/* What parts of a profile hold data. */
struct sc_parts {
    bool totals;        /* times of lines with what they call */
    bool waiting;       /* time of lines in which nothing was on a CPU */
    bool gpu;           /* load, as the driver reports it */
    bool gpu_time;      /* device time, as recorded by the device */
    bool gpu_idle;      /* time in which it had nothing to do */
    bool gpu_memory;    /* of the program, while a line ran */
    bool gpu_allocated; /* by lines */
    bool neuron;        /* times of a trace of AWS Neuron */
    bool await;
    bool memory;
    bool memory_curves;
    bool copies;
    double device_s;    /* of all that was launched; 0 when that was not traced */
    double gpu_least_s; /* device time from which on a line is worth a row: 1 % of all */
    double peak_mb;     /* the program's largest live volume; 0: memory was not measured */
};

struct sc_column {
    const char *id; /* as in documents */
    enum sc_group group;
    const char *header;
    const char *short_header;
    enum sc_unit unit;
    int width;          /* never less: digits are never cut; 0: shown on the page alone */
    int short_width;    /* in a narrow table; 0: not shown there */
    double blank_below; /* in the unit of the cell */
    int drop_rank; /* the highest rank is left out first where even a narrow table is too wide */
    double (*value)(const struct sc_cost *cost);
    bool (*shown)(const struct sc_parts *parts); /* NULL: always */
};

extern const struct sc_column sc_columns[SC_COLUMN_COUNT_];

static inline bool sc_column_is_of_page(const struct sc_column *column)
{
    return column->width == 0;
}

/* A number of a cell, in few characters; "" of a curve. */
struct sc_number sc_cell_text(enum sc_unit unit, double value);

/* The text of a cell, "" where it is blank; at most short_width characters. Not for curves. */
struct sc_number sc_column_text(const struct sc_column *column, const struct sc_cost *cost);

/* Looks through all lines for what the profile holds. */
struct sc_parts sc_parts_of(const struct sc_profile *profile);
