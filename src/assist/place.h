/*
 * assist/place.h - which lines of which file of a profile are to be made better.
 *
 * Only files that the profile names can be asked about, by the text that was recorded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* Which lines around a given one are taken. */
#define SC_AI_SCOPES(X)                                                                            \
    X(REGION, "region") /* the innermost loop, else the function, else the line */                 \
    X(LINE, "line")                                                                                \
    X(LOOP, "loop") /* the outermost loop in its function */                                       \
    X(FUNCTION, "function")

#define X_ENUM(name, text) SC_AI_##name,
enum sc_ai_scope { SC_AI_SCOPES(X_ENUM) SC_AI_SCOPE_COUNT_ };
#undef X_ENUM

extern const char *const sc_ai_scope_names[SC_AI_SCOPE_COUNT_];

/* How the program was run, as far as a profile knows. Owned: it outlives the profile. */
struct sc_ai_program {
    char *program;       /* its path, or the name of a module */
    SC_VEC(char *) args; /* with the program's own name first */
    char *root_dir;
    char *entrypoint_dir;
    double elapsed_s;
    bool memory;
    bool is_own; /* it was a run of this user; else none of the above can be trusted */
};
void sc_ai_program_copy(const struct sc_ai_program *program, struct sc_ai_program *ret_copy);
void sc_ai_program_done(struct sc_ai_program *program);

/* profile and file are borrowed; the other members stay valid without them. */
struct sc_ai_place {
    const struct sc_profile *profile;
    const struct sc_file *file;
    char *path; /* of the file; owned */
    char *name; /* the path as it is shown; owned */
    struct sc_ai_program program;
    uint32_t first; /* lines, inclusive */
    uint32_t last;
    struct sc_str text; /* the whole file as it was recorded; owned */
    size_t start;       /* of the lines in it */
    size_t end;         /* behind their last newline */
    bool is_changed;    /* the file on disk is not what was recorded */
};

/* The file of that name, of length bytes; it may be the end of a path. NULL: there is none, or
 * there are several. */
const struct sc_file *sc_ai_file_find(const struct sc_profile *profile, const char *name,
                                      size_t length, struct sc_err *err);

/* The line of the profile that "FILE:LINE" names, whether its text is known or not; NULL, with err
 * set, when there is none. */
const struct sc_line *sc_ai_line_parse(const struct sc_profile *profile, const char *words,
                                       const struct sc_file **ret_file, struct sc_err *err);

/* last 0: the lines around first that scope selects; else exactly first to last. */
bool sc_ai_place_find(const struct sc_profile *profile, const struct sc_file *file, uint32_t first,
                      uint32_t last, enum sc_ai_scope scope, struct sc_ai_place *ret_place,
                      struct sc_err *err);

/* The same by "FILE:LINE" or "FILE:FIRST-LAST"; FILE may be the end of a path. */
bool sc_ai_place_parse(const struct sc_profile *profile, const char *words, enum sc_ai_scope scope,
                       struct sc_ai_place *ret_place, struct sc_err *err);

void sc_ai_place_done(struct sc_ai_place *place);

/* Whether a name is that of a file: "[3]" is a cell of a notebook, "<exec@prog.py:9>" is code that
 * a program has made. */
bool sc_ai_is_file(const char *name);

/* Adds the bytes of a regular file, at most 64 MiB. A profile may name any file: a pipe, for
 * instance, would block. */
bool sc_ai_read_source(const char *path, struct sc_str *ret_bytes, struct sc_err *err);

/* Whether two texts have the same lines, whatever ends them. */
bool sc_ai_same_lines(const char *first, size_t first_length, const char *second,
                      size_t second_length);
