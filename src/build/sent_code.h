/*
 * build/sent_code.h - the file of code that another process has sent by value.
 *
 * cloudpickle, by which joblib, loky, Dask, Ray and Spark hand functions of a script to workers,
 * writes the file of each as "<dynamic-code>" (cloudpickle.py, _code_reduce, 3.1.2 and later). The
 * function's name and first line are kept, so its file is the one in scope that has a function of
 * that name on that line. Where two files have one, the file's name stays "<dynamic-code>".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "build/build.h"

#define SC_SENT_CODE "<dynamic-code>"

struct sc_builder_file;

struct sc_sent_code {
    const struct sc_collect *collect; /* whose files are searched; not owned */
    const struct sc_scope *scope;     /* those in it; not owned */
    const char *program;              /* not owned */
    SC_VEC(struct sc_builder_file *) files;
    struct sc_intern names; /* of files that were read, or are not to be */
    size_t codes_seen;      /* of the collect */
    size_t text_bytes;
    struct sc_intern questions; /* "NAME:LINE" */
    SC_VEC(uint32_t) answers;   /* of each question: index in files, or SC_NONE */
    size_t files_asked;         /* number of files that were searched for the answers */
};

/* program: the path of the script that was started, or NULL. */
void sc_sent_code_init(struct sc_sent_code *sent, const struct sc_collect *collect,
                       const struct sc_scope *scope, const char *program);
void sc_sent_code_done(struct sc_sent_code *sent);

/* The file of a function that was sent, valid as long as sent; NULL where it is not known. name: as
 * code objects have it, qualified or not. */
const char *sc_sent_code_file(struct sc_sent_code *sent, const char *name, uint32_t first_line);
