/*
 * page/cache.h - tables that answers are made from, kept for the next question: a view that scrolls
 * asks for one table again and again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "page/choice.h"
#include "page/page.h"
#include "source/source.h"

/* Which lines of a file a table has. */
#define SC_MODES(X)                                                                                \
    X(HOT, "hot")             /* those that cost something */                                      \
    X(FUNCTIONS, "functions") /* also the other lines of their functions */                        \
    X(ALL, "all")

#define X_ENUM(name, text) SC_MODE_##name,
enum sc_mode { SC_MODES(X_ENUM) SC_MODE_COUNT_ };
#undef X_ENUM

extern const char *const sc_mode_names[SC_MODE_COUNT_];

/* A row of a table: a line of the file, or lines left out. */
struct sc_page_row {
    size_t index; /* of the line in the file, or of the first that is left out */
    size_t gap;   /* how many are left out; 0: the row is a line */
};

struct sc_page_table {
    bool is_used;
    uint64_t part; /* serial of the part of the run, 0: all of it */
    size_t file;   /* number of the file */
    enum sc_mode mode;
    struct sc_source source;
    SC_VEC(struct sc_page_row) rows;
};

/* A function of a table of functions. */
struct sc_page_function {
    const struct sc_function *function;
    const struct sc_file *file;
    double key; /* what the table is sorted by */
};

/* Functions of one file, or of all (file SIZE_MAX), by the value of one column (NULL: by time). */
struct sc_page_functions {
    bool is_used;
    uint64_t part; /* as in a table */
    size_t file;
    const struct sc_column *column;
    SC_VEC(struct sc_page_function) items;
};

enum sc_part_list { SC_PART_LINES, SC_PART_FUNCTIONS, SC_PART_FILES, SC_PART_COUNT_ };

/* In % of the part's time. */
struct sc_part_time {
    double kinds[SC_KIND_COUNT_]; /* of stacks whose innermost place in a listed file is here */
    double total;                 /* of stacks that it is on; a recursion counts once */
    size_t stamp;                 /* the stack that was counted last */
};

/* A part of the run, and what its places cost (page/part_sums.h). */
struct sc_page_part {
    uint64_t serial; /* from 1 on: tables that were made for a part are found by it */
    struct sc_page_choice choice;
    double whole;                 /* all its stacks, in the unit of their weights */
    double of_run;                /* the same as a share of all stacks of the run, 0..1 */
    double kinds[SC_KIND_COUNT_]; /* of all its stacks, in % of the part's time */
    struct sc_map index[SC_PART_COUNT_];
    SC_VEC(struct sc_part_time) times[SC_PART_COUNT_];
};

enum { SC_CACHED_TABLES = 4, SC_CACHED_FUNCTIONS = 2, SC_CACHED_PARTS = 2 };

struct sc_page_cache {
    struct sc_page_table tables[SC_CACHED_TABLES];
    size_t next_table; /* the one to be replaced next */
    struct sc_page_functions functions[SC_CACHED_FUNCTIONS];
    size_t next_functions;
    struct sc_page_part parts[SC_CACHED_PARTS];
    size_t next_part;
    uint64_t part_count; /* that were ever made */
};

struct sc_page_cache *sc_page_cache_new(void);
void sc_page_cache_free(struct sc_page_cache *cache);

/* The rows of a file's table, for a part of the run or, where that is NULL, for all of it. Valid
 * until another table is requested. */
struct sc_page_table *sc_page_table(struct sc_page *page, const struct sc_page_part *part,
                                    size_t file, enum sc_mode mode);

/* The functions of a file, or of all (SIZE_MAX), by a column (NULL: by time), likewise. Valid until
 * another such list is requested. */
const struct sc_page_functions *sc_page_function_list(struct sc_page *page,
                                                      const struct sc_page_part *part,
                                                      size_t number,
                                                      const struct sc_column *column);

/* The cached table, or an empty entry for it, whose is_used is false. Valid until the next call. */
struct sc_page_table *sc_page_cached_table(struct sc_page_cache *cache, uint64_t part, size_t file,
                                           enum sc_mode mode);
struct sc_page_functions *sc_page_cached_functions(struct sc_page_cache *cache, uint64_t part,
                                                   size_t file, const struct sc_column *column);

/* Likewise; the serial of an empty one is 0. */
struct sc_page_part *sc_page_cached_part(struct sc_page_cache *cache,
                                         const struct sc_page_choice *choice);
