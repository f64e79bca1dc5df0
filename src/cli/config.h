/*
 * cli/config.h - options of `scalene run` from a YAML file.
 *
 * Keys are the names of the options, with dashes or underscores; docs/config.md describes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cli/options.h"

/* Sets what the file gives and the command line has not. Errors name the file and the line. */
bool sc_config_read(const char *path, struct sc_values *values, struct sc_err *err);

/* The same from memory; path is for messages. values may be half set when it fails. */
bool sc_config_parse(const char *text, size_t length, const char *path, struct sc_values *values,
                     struct sc_err *err);
