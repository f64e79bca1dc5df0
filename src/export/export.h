/*
 * export/export.h - a profile in the formats of other programs.
 *
 * The table of formats is writers.h; a format is one function that adds the profile to a text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "profile/profile.h"

struct sc_export_format {
    const char *name;
    const char *extension; /* of its files, with the point */
    const char *title;     /* what opens it */
    bool is_binary;        /* nothing for a terminal */
    void (*write)(const struct sc_profile *profile, struct sc_str *ret_bytes);
};

extern const struct sc_export_format sc_export_formats[];
extern const size_t sc_export_format_count;

/* NULL when there is no such format. */
const struct sc_export_format *sc_export_find(const char *name);

/* The one whose extension the file's name has, or NULL. */
const struct sc_export_format *sc_export_of_file(const char *path);

/* Whether there is anything to export: a line, a stack or a call. */
bool sc_export_has_data(const struct sc_profile *profile);
