/*
 * observer/report/output.h - where a finished profile goes: its file, the terminal, those it is
 * shared with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Writes the file, and unless quiet says so. False when that failed; a line on stderr has said
 * so. */
bool sc_output_write(struct sc_observation *observation, struct sc_profile *profile, bool quiet);

/* Shares the last profile, whose file is written. What went wrong goes into the file, too. */
void sc_output_end(struct sc_observation *observation, struct sc_profile *profile, bool is_written);

/* Whether profiles can be left there on the way: a pipe has one reader, for the end. */
bool sc_output_is_file(const char *outfile);
