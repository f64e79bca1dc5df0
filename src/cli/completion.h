/*
 * cli/completion.h - completion scripts for shells, made from the table of options.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* Adds the script for "bash", "zsh" or "fish"; false for any other word. */
bool sc_completion_script(const char *shell, struct sc_str *ret_text);
