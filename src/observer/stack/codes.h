/*
 * observer/stack/codes.h - code objects by their key: names, and from an instruction to a line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "build/sent_code.h"
#include "channel/format.h"
#include "costs/cell_sources.h"
#include "costs/collect.h"
#include "costs/made_place.h"
#include "cpython/code_key.h"
#include "cpython/linetable.h"
#include "cpython/walk.h"
#include "observer/stack/cells.h"
#include "observer/stack/directories.h"

struct sc_known_code {
    uint32_t code; /* its index in the collect */
    uint32_t first_line;
    uint32_t line_table; /* id in tables */
    bool lacks_lines;    /* its table could not be read any more */
};

/* Code that has been named in one round. */
struct sc_code_round {
    SC_VEC(struct sc_known_code) known;
    struct sc_intern tables; /* line tables; those of code compiled again are kept once */
    size_t table_bytes;
    struct sc_map by_key; /* code key -> known */
    struct sc_map lines;  /* index in known and instruction -> line */
};

/* One per process. A program that keeps making code keeps bringing new keys, so what is kept is
 * bounded by rounds: code of the last round is kept until the next one begins, and is copied into
 * the present one when it is used. */
struct sc_codes {
    struct sc_collect *collect; /* not owned */
    enum sc_line_table_kind kind;
    /* cells of notebooks: their code is shown under another name; not owned, may be NULL */
    struct sc_cell_sources *cell_sources;
    struct sc_sent_code *sent;         /* files of code sent by value; not owned, may be NULL */
    struct sc_cells cells;             /* set by the creator, may be zero */
    struct sc_directories directories; /* what relative file names are relative to */
    uint64_t directory_changes;
    struct sc_code_round now;
    struct sc_code_round last;
    struct sc_code_keys keys; /* of code objects read from outside; owned */
    uint64_t unknown; /* frames that were left out, since nothing is known of their code, or are at
                       * its first line, since nothing is known of the others */
};

void sc_codes_init(struct sc_codes *codes, struct sc_collect *collect,
                   enum sc_line_table_kind kind);
void sc_codes_done(struct sc_codes *codes);

/* Whether a new round is due. */
bool sc_codes_are_many(const struct sc_codes *codes);

/* Begins a new round: the agent is to send the names of all code again. */
void sc_codes_begin_round(struct sc_codes *codes);

/* Adds the code of an agent's record. A key that is known already is left as it is. */
void sc_codes_add_record(struct sc_codes *codes, const struct sc_record_code *record,
                         const struct sc_layout *layout, const struct sc_target *target);

/* Notes that the code object is that of a marked function. */
void sc_codes_mark(struct sc_codes *codes, const struct sc_record_mark *record);

/* The key of a code object found while reading the process from outside, which is known from then
 * on; 0 when it cannot be named. interpreter: the number of the interpreter that it belongs to
 * (cpython/code_key.h). */
uint64_t sc_codes_add_remote(struct sc_codes *codes, const struct sc_layout *layout,
                             const struct sc_target *target, uint64_t interpreter, uint64_t code);

/* The node below parent for a frame of this code at this instruction; parent itself when the key is
 * not known, which is counted. */
uint32_t sc_codes_frame(struct sc_codes *codes, uint32_t parent, uint64_t code_key,
                        int32_t instruction);
