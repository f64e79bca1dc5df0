/*
 * symbol/file.h - one ELF file that a run has executed code of. All that touches the file is done
 * by errands (base/errands.h), in their thread.
 *
 * The file may be in any file system, and may become shorter while libdw has it mapped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <elfutils/libdwfl.h>

#include "base/errands.h"
#include "base/map.h"
#include "base/vec.h"
#include "symbol/frame_rows.h"
#include "symbol/functions.h"
#include "symbol/inlined.h"
#include "symbol/table.h"

/* Functions at one address, the real one and those inlined into it. */
#define SC_FILE_NAMES_MAX 16

struct sc_file_question;

struct sc_symbol_file {
    /* used by the owner's thread */
    char *name;
    SC_VEC(struct sc_file_question *) answers; /* to questions that were asked together; owned */
    struct sc_map answer_index;                /* file_offset -> answers */
    bool is_lost; /* an errand on it was lost: the rest must not be used */
    struct sc_errand opening;
    struct sc_errand reading_rows;
    struct sc_file_question *lost_question; /* NULL, or the question whose errand was lost */

    /* used by the errands, and by the owner's thread once the errand that sets them is done */
    const Dwfl_Callbacks *callbacks;
    char *paths[2]; /* to open it by, the first that can be; owned */
    int fd;         /* -1 when it could not be opened */
    bool is_open;
    bool is_read;
    struct sc_functions *functions; /* NULL without unwind records */
    Dwfl *dwfl;                     /* NULL when the file makes no sense */
    Dwfl_Module *module;
    struct sc_symbol_table table;
    struct sc_inlined inlined;
    struct sc_frame_rows *rows; /* by reading_rows; NULL without unwind records */
};

/* A question about an instruction, and its answer; names are mangled ones, innermost last. */
struct sc_file_question {
    struct sc_errand errand;
    struct sc_symbol_file *file;
    struct sc_file_question *next; /* answered by the same errand, or NULL; not owned */
    uint64_t file_offset;
    bool with_names;
    bool with_inlined;
    uint64_t start; /* where its function begins by unwind records; else file_offset */
    char *names[SC_FILE_NAMES_MAX]; /* owned */
    size_t name_count;
    uint64_t inside; /* bytes from the start of the function that the first name is of */
};

/* Copies the strings. Sets the work of the two errands, but starts neither. */
struct sc_symbol_file *sc_symbol_file_new(const char *name, const char *path,
                                          const char *other_path, const Dwfl_Callbacks *callbacks);

/* For a file that is not lost, when no errand uses it. */
void sc_symbol_file_free(struct sc_symbol_file *file);

/* A question about a file that has been opened, for its errand to answer; the first answer reads
 * the file. */
struct sc_file_question *sc_file_question_new(struct sc_symbol_file *file, uint64_t file_offset);
void sc_file_question_free(struct sc_file_question *question);
