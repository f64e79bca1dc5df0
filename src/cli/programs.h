/*
 * cli/programs.h - the small Python programs that are run to try things.
 *
 * The sources are in src/cli/programs; tools/embed_files.py makes them a part of this program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sc_own_program {
    const char *name; /* of the file, "doctor.py" */
    const char *text;
};

/* Sorted by name, ended by one without a name. */
extern const struct sc_own_program sc_own_programs[];
