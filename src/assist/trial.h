/*
 * assist/trial.h - one run of one version; shared by measure.c and its parts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/answer.h"
#include "assist/terms.h"

/* The directories of both versions. All owned. */
struct sc_ai_bench {
    const struct sc_ai_program *program; /* the proposal's */
    const struct sc_ai_proposal *proposal;
    const struct sc_ai_trial *trial;
    char *root;      /* the directory that is copied */
    char *folder;    /* the temporary one */
    char *place;     /* the proposal's file below the root */
    char *directory; /* where the program is started, below the root; "" for the root */
    char *scalene;
    struct sc_str new_text; /* of the file, with its line endings */
    double limit_s;         /* of one run */
    bool copies_anew;       /* each run has a fresh copy */
};

struct sc_ai_run {
    double elapsed_s; /* from the profile; 0 when not known */
    double wall_s;
    double footprint_mb;
    double rss_mb;
    int status;
    struct sc_str output; /* of stdout and stderr, the copy's path replaced */
    bool has_profile;
    bool reaches_lines; /* something was measured in the proposal's lines or what they call */
    bool uses_original; /* code of the project was run that is not in the copy */
};

/* Copies the project, and makes the folder. */
bool sc_ai_bench_init(struct sc_ai_bench *bench, const struct sc_ai_proposal *proposal,
                      const struct sc_ai_trial *trial, struct sc_err *err);
void sc_ai_bench_done(struct sc_ai_bench *bench);

/* Runs a version to its end. */
bool sc_ai_bench_run(struct sc_ai_bench *bench, bool is_changed, struct sc_ai_run *ret_run,
                     struct sc_err *err);
void sc_ai_run_done(struct sc_ai_run *run);

/* The words of a version's command: "scalene", "run" and so on, ended by NULL; all owned. version
 * is the directory of the copy, outfile that of the profile. */
bool sc_ai_bench_command(const struct sc_ai_bench *bench, const char *version, const char *outfile,
                         struct sc_texts *ret_words, struct sc_err *err);

/* Adds the text with each occurrence of one path replaced by another. is_whole: not where it is a
 * part of a longer name, as in /a/bc and /x/a/b for /a/b. */
void sc_ai_replace_path(const char *text, size_t length, const char *from, const char *to,
                        bool is_whole, struct sc_str *ret_text);
