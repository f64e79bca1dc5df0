/*
 * import/places.h - which files the names in another profiler's file mean here, and where the
 * functions in them begin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "costs/collect.h"
#include "source/parsed.h"

/* The file of frames of which only a name is known. */
#define SC_IMPORT_NO_FILE "<no file>"

/* Further files share one name. */
#define SC_IMPORT_FILES_MAX 1000U

/* The lines that such files are shown with, together. */
#define SC_IMPORT_MADE_LINES_MAX 100000U

/* A part of a text. */
struct sc_import_text {
    const char *bytes;
    size_t length;
};

struct sc_import_file {
    char *name;
    bool is_python;
    bool is_lost; /* a relative name of no file that is known here */
    bool is_read; /* whether the source was tried to be read */
    bool has_source;
    uint32_t last_line; /* that was seen, of a file without a source */
    struct sc_source source;
};

/* Initialise with {0}. */
struct sc_import_places {
    struct sc_intern names; /* as files have them; ids are indices of files */
    SC_VEC(struct sc_import_file) files;
    SC_VEC(char *) library_dirs; /* standard libraries that were met */
    size_t source_bytes;         /* of the sources that are read */
    size_t made_lines;           /* of files without a source, see sc_import_line */
    bool has_own;                /* a file of the program is on this machine */
    const char *beside; /* folder of the file that is read: relative names may be from there; not
                           owned */
};

/* The line, or 0 where it cannot be kept: a file that is not on this machine is shown with all
 * lines up to the last that was seen, and a short text could make millions of them. */
uint32_t sc_import_line(struct sc_import_places *places, struct sc_import_file *file,
                        uint32_t line);

/* Where none of the program's own files is on this machine, those that are not the standard
 * library's are taken to be its own, below the current folder. When all is read. */
void sc_import_assume_own(struct sc_import_places *places, struct sc_collect *collect);

void sc_import_places_done(struct sc_import_places *places);

/* What a name of a file means; valid until the next call. */
struct sc_import_file *sc_import_place(struct sc_import_places *places, struct sc_import_text name);

/* Where the function begins that a line of the file is in, or, with line 0, that has the name: its
 * first decorator, 1 outside of any, 0 where that cannot be known. */
uint32_t sc_import_first_line(struct sc_import_places *places, struct sc_import_file *file,
                              const char *function, uint32_t line);
