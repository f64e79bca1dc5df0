/*
 * cli/programs.h - programs in other languages that are a part of this one: small Python programs
 * that are run to try things (src/cli/programs), and completion scripts for shells.
 *
 * Made by tools/embed_files.py.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <string.h>

struct sc_own_program {
    const char *name; /* of the file, "doctor.py" */
    const char *text;
};

/* Sorted by name, ended by one without a name. */
extern const struct sc_own_program sc_own_programs[];

/* The text of the program of that name, which must be one. */
static inline const char *sc_own_program_text(const char *name)
{
    const struct sc_own_program *own = sc_own_programs;
    while (strcmp(own->name, name) != 0)
        own++;
    return own->text;
}
