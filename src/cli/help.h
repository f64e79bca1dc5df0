/*
 * cli/help.h - help texts, made from the table of options.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "cli/options.h"

/* Adds the whole help of a command, its lines at most width columns. */
void sc_help_text(enum sc_verb verb, enum sc_option_group group, size_t width, bool colour,
                  struct sc_str *ret_text);

/* Writes it to stdout, as wide as the terminal, in colour when that is one and NO_COLOR is not
 * set. */
void sc_help_show(enum sc_verb verb, enum sc_option_group group);

/* Adds words from column on, wrapped at width, each new line indented by indent. */
void sc_help_add_wrapped(struct sc_str *text, const char *words, size_t column, size_t indent,
                         size_t width);
