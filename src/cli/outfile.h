/*
 * cli/outfile.h - where a command writes what it makes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <time.h>

#include "base/err.h"
#include "base/str.h"
#include "profile/labels.h"

/* What the places of a name ("profile-{rank}.json") stand for: {pid}, {time}, and each label. */
struct sc_name_facts {
    const struct sc_labels *labels;
    long pid;
    time_t time;
};

/* *ret_path becomes the absolute path for what -o was given (its extension becomes .json; a device
 * or a pipe stays as it is), owned by the caller. With facts, its places are filled, and a name
 * that other ranks have, too, gets the rank. False when it could not be written, which is found out
 * before the program starts. command: what messages about the option begin with. */
bool sc_outfile_resolve(const char *command, const char *given, const struct sc_name_facts *facts,
                        char **ret_path, struct sc_err *err);

/* The name beside which the output lies: the input's own; of a pipe, or of a file that is open
 * (/dev/stdin), the other one, which is here. Borrowed. */
const char *sc_output_beside(const char *input, const char *other);

/* Whether both are one regular file. */
bool sc_output_is_same(const char *one, const char *other);

/* Writes all to standard output. */
bool sc_output_stdout(const struct sc_str *bytes, struct sc_err *err);
