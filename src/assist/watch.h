/*
 * assist/watch.h - callbacks that follow an answer while it arrives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Callbacks for the progress of an answer; any member may be NULL. */
struct sc_ai_watch {
    void (*text)(void *context, const char *text, size_t length);
    bool (*is_cancelled)(void *context);
    void *context;
};
