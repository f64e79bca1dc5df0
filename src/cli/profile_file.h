/*
 * cli/profile_file.h - reading the profile that a command is given.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#define SC_DEFAULT_PROFILE "scalene-profile.json"

struct sc_err;
struct sc_profile;

/* Reads a profile. ret_profile is set only on success; err is a sentence that names the file. */
bool sc_profile_file_read(const char *path, struct sc_profile *ret_profile, struct sc_err *err);
