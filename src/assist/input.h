/*
 * assist/input.h - what a request of the page gives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "profile/profile.h"

/* A profile, and its files by the numbers of the page; NULL for a number of none. */
struct sc_ai_files {
    const struct sc_profile *profile;
    const struct sc_file *(*file)(void *context, size_t number);
    void *context;
};

/* A body as it came. */
struct sc_ai_body {
    const char *text;
    size_t length;
};
