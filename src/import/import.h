/*
 * import/import.h - profiles that other profilers have written.
 *
 * A format is one row of the table: how its files are recognised and how they are read. What is
 * read, and what of it a profile of ours cannot hold: docs/import.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "import/tree.h"

/* A longer file is refused, and one that is longer when it is decompressed. */
#define SC_IMPORT_BYTES_MAX ((size_t)256 << 20U)

struct sc_import_format {
    const char *name;  /* of --format */
    const char *title; /* in a sentence */
    /* Whether the bytes look like such a file; reads no more than their beginning, or for JSON the
     * keys of the outermost object. */
    bool (*probe)(const char *bytes, size_t length);
    bool (*read)(struct sc_import_tree *tree, const char *bytes, size_t length, struct sc_err *err);
};

#define SC_IMPORT_FORMATS_END NULL /* the name of the row behind the last */
extern const struct sc_import_format sc_import_formats[];

/* The format of that name, or NULL with err set. */
const struct sc_import_format *sc_import_format_named(const char *name, struct sc_err *err);

/* What gzip has compressed becomes what it was, of limit bytes at most; other bytes stay. */
bool sc_import_plain(struct sc_str *bytes, size_t limit, struct sc_err *err);

/* Adds what a file holds to the tree. format: NULL, or as it is asked for; *ret_format: what it was
 * read as, also where that has failed; NULL: as nothing. path says where relative names may be
 * from. */
bool sc_import_read(struct sc_import_tree *tree, const char *path, const struct sc_str *bytes,
                    const struct sc_import_format *format,
                    const struct sc_import_format **ret_format, struct sc_err *err);

/* Reads a file whole, checks its kind and size first. *ret_changed_ns: when it was written, if that
 * is later than what it holds. */
bool sc_import_load(const char *path, struct sc_str *ret_bytes, uint64_t *ret_changed_ns,
                    struct sc_err *err);
