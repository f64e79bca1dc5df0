/*
 * cli/profile_file.h - the profile that a command is given, and the page that it writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#define SC_DEFAULT_PROFILE "scalene-profile.json"

struct sc_err;
struct sc_page;
struct sc_profile;

/* Reads a profile. ret_profile is set only on success; err is a sentence that names the file. */
bool sc_profile_file_read(const char *path, struct sc_profile *ret_profile, struct sc_err *err);

/* The same for a file that the server will read again and again. One of another profiler is
 * refused, as the server would refuse it when it is written anew. */
bool sc_profile_file_read_followed(const char *path, struct sc_profile *ret_profile,
                                   struct sc_err *err);

/* Writes the page as one file and says so. what: of what it is the page. */
bool sc_page_file_write(struct sc_page *page, const char *what, const char *path,
                        struct sc_err *err);
