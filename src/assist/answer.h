/*
 * assist/answer.h - what an answer proposes: the code in it, put into its place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/place.h"
#include "assist/signature.h"
#include "source/diff.h"

/* What a service proposes for a place. All owned; made by sc_ai_proposal_make. */
struct sc_ai_proposal {
    char *path; /* of the file */
    char *name; /* the path as it is shown */
    struct sc_ai_program program;
    uint32_t first; /* the lines it replaces */
    uint32_t last;
    struct sc_str original; /* those lines */
    struct sc_str code;     /* the code that replaces them, indented for its place */
    struct sc_str imports;  /* new import statements, or "" */
    struct sc_str remarks;  /* what else the answer says */
    struct sc_str old_text; /* the whole file as it was recorded */
    struct sc_str new_text; /* and with the proposal in it */
    struct sc_diff diff;    /* of these two */
    uint32_t new_first;     /* the lines of the code in new_text */
    uint32_t new_last;
    struct sc_texts interface_changes; /* what callers notice (signature.h) */
    struct sc_texts unseen;            /* what a reader does not see */
};

/* False when the answer holds no code, only a part of it, or the code that is there already. */
bool sc_ai_proposal_make(const struct sc_ai_place *place, const char *answer, size_t length,
                         struct sc_ai_proposal *ret_proposal, struct sc_err *err);
void sc_ai_proposal_done(struct sc_ai_proposal *proposal);

/* The parts of an answer: its code, its import statements, and everything else. old is the code
 * that is there already: another block is preferred to one that only repeats it. False where the
 * answer ends within a block. */
bool sc_ai_answer_split(const char *answer, size_t length, const char *old, size_t old_length,
                        struct sc_str *ret_code, struct sc_str *ret_imports,
                        struct sc_str *ret_remarks);

/* Adds the code moved so that its outermost statements begin with indent, relative depths kept;
 * lines within strings that go over several lines stay as they are. */
void sc_ai_indent_add(const char *code, size_t length, const char *indent, size_t indent_length,
                      struct sc_str *ret_code);

/* Where new imports belong in a source text for code at the offset before: before the first import
 * of the module's level that stands in front of that, or behind the comments and the docstring that
 * the text begins with. An offset. */
size_t sc_ai_import_place(const char *text, size_t length, size_t before);
