/*
 * cli/help.h - help texts, made from the table of options.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/str.h"
#include "cli/options.h"

/* The forms a command is written in, one each, ended by NULL. */
const char *const *sc_help_usages(enum sc_verb verb);

/* The heading in a list: "-o, --outfile=FILE". */
void sc_help_option_heading(enum sc_option_id id, struct sc_str *ret_text);

/* What the option does, with its default. */
void sc_help_option_text(enum sc_option_id id, struct sc_str *ret_text);

/* Adds the whole help of a command, its lines at most width columns. */
void sc_help_text(enum sc_verb verb, enum sc_option_group group, size_t width, bool colour,
                  struct sc_str *ret_text);

/* Writes it to stdout, as wide as the terminal, in colour when that is one and NO_COLOR is not
 * set. */
void sc_help_show(enum sc_verb verb, enum sc_option_group group);
