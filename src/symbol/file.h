/*
 * symbol/file.h - one ELF file that a run has executed code of: questions about it, and the work
 * that answers them in a child process (base/helper.h).
 *
 * The file may be in any file system, and may become shorter while libdw has it mapped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/helper_child.h"

/* Functions at one address, the real one and those inlined into it. */
#define SC_FILE_NAMES_MAX 16

/* Which file it was when it was opened; zero: not known. */
struct sc_file_identity {
    uint64_t device;
    uint64_t inode;
};

/* The beginning of a question, which opens the file unless it is open. Places and texts follow. */
struct sc_file_question {
    struct sc_file_identity identity; /* another file is not opened */
    uint64_t place_count;
    bool with_inlined;
};

/* name: what the file is known as; it is opened by the first path that can be. places: offsets in
 * the file. */
void sc_file_ask(struct sc_str *ret_question, const struct sc_file_question *head,
                 const uint64_t *places, const char *name, const char *const paths[2]);

/* Answers with the identity, or with nothing when the file cannot be opened. It stays open. */
sc_helper_work sc_file_open;

/* Answers with the row of the only place (sc_functions_row), or with nothing. */
sc_helper_work sc_file_row;

/* What is known of a place; the names follow, each with its NUL, innermost last. */
struct sc_file_answer {
    uint64_t start;  /* where its function begins by unwind records; else the place */
    uint64_t inside; /* bytes from the start of the function that the first name is of */
    uint64_t name_count;
};

/* Answers with an sc_file_answer for each place. */
sc_helper_work sc_file_names;
