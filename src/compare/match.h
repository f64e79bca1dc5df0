/*
 * compare/match.h - which file, function and line of one version of a program is which of another.
 *
 * Files match by their names as they are shown (a library's as a module, others relative to the
 * program's folder), the rest by content, then the files of the programs themselves. Functions
 * match by name in files that match, the rest by their bodies, in whatever file: they were renamed
 * or moved. Lines match within functions that match, and outside of all within files that match, by
 * the longest common subsequence of their texts; blanks around a text do not count. Where as many
 * lines stand in place of others, they are taken for these in order: they were changed. A class
 * counts as a function whose lines are those of its body outside of its methods.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "profile/profile.h"

struct sc_match_line {
    const char *text; /* borrowed, without blanks around it; "" where it is not known */
    size_t length;
    uint64_t hash;
    uint32_t function;                 /* innermost one, index in functions, or SC_NONE */
    uint32_t other_file, other_lineno; /* on the other side; 0: none has this line */
};

struct sc_match_file {
    const struct sc_file *file;  /* of the profile that has most of its lines; borrowed */
    struct sc_match_line *lines; /* by number, from 1 on, at index number - 1 */
    size_t line_count;
    uint32_t other; /* index on the other side, or SC_NONE */
};

struct sc_match_function {
    const char *name; /* qualified, without "<locals>."; in texts */
    uint32_t file;
    uint32_t start, end;
    uint32_t number;    /* how many of its name come before it in the file */
    uint32_t namesakes; /* of the first one: how many come behind it */
    uint32_t other;     /* index on the other side, or SC_NONE */
};

/* One side: the files of its profiles. */
struct sc_match_side {
    struct sc_intern names; /* of files, as shown; ids are indices in files */
    SC_VEC(struct sc_match_file) files;
    struct sc_intern keys; /* of functions: file, name; ids are indices in functions */
    SC_VEC(struct sc_match_function) functions;
    struct sc_intern texts;
    size_t made_lines; /* that no record stands for */
};

struct sc_matching {
    struct sc_match_side sides[2];
};

/* The profiles of one side: several runs of one program. */
struct sc_match_profiles {
    struct sc_profile *items;
    size_t count;
};

/* Borrows the profiles, which must outlive it. */
void sc_match_init(struct sc_matching *match, const struct sc_match_profiles sides[2]);
void sc_match_done(struct sc_matching *match);

/* The line of a file; NULL where there is none. */
const struct sc_match_line *sc_match_line_of(const struct sc_matching *match, int side,
                                             uint32_t file, uint32_t lineno);

/* The number of this line in a file of the other side, or 0. Lines whose texts neither side keeps
 * belong together by their numbers. */
uint32_t sc_match_other_line(const struct sc_matching *match, int side, uint32_t file,
                             uint32_t lineno, uint32_t *ret_file);

/* Of one side, in match_side.c: the index of a file by the name that a profile of it has, and of a
 * function of a file, which begins at a line (0: not known); SC_NONE where there is none. */
uint32_t sc_match_file_of(const struct sc_match_side *side, const struct sc_profile *profile,
                          const char *name);
uint32_t sc_match_function_of(const struct sc_match_side *side, uint32_t file, const char *name,
                              uint32_t lineno);

/* For match.c alone: reads one side, with no matches. */
void sc_match_side_init(struct sc_match_side *side, const struct sc_match_profiles *profiles);
void sc_match_side_done(struct sc_match_side *side);

/* Whether the name is that of many functions: "<lambda>". */
bool sc_match_is_nameless(const char *name);

/* Sets key to what a function is found by: file, line of a nameless one, how many of that name came
 * before. */
void sc_match_key(uint32_t file, const char *name, uint32_t lineno, uint32_t number,
                  struct sc_str *key);
