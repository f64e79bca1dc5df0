/*
 * cli/options.h - the table of options, and the values a command line or a file gives them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

enum sc_verb {
#define VERB(id, ...) SC_VERB_##id,
#include "cli/options.def"
    SC_VERB_COUNT_
};

extern const char *const sc_verb_names[SC_VERB_COUNT_];
extern const char *const sc_verb_summaries[SC_VERB_COUNT_];

/* SC_VERB_COUNT_ when there is no such command. */
enum sc_verb sc_verb_find(const char *name);

enum sc_option_id {
#define OPTION(verb, id, ...) SC_OPT_##id,
#include "cli/options.def"
    SC_OPT_COUNT_
};

enum sc_argument {
    SC_ARG_ACTION, /* no value; does something at once */
    SC_ARG_FLAG,   /* no value; true when given */
    SC_ARG_SWITCH, /* --name or --no-name */
    SC_ARG_PATH,
    SC_ARG_TEXT,
    SC_ARG_LIST,
    SC_ARG_ITEMS,
    SC_ARG_NUMBER,
    SC_ARG_COUNT,
};

enum sc_option_group { SC_GROUP_BASIC, SC_GROUP_ADVANCED, SC_GROUP_HIDDEN };

#define SC_TRAIT_IGNORED   1U /* taken, and without an effect */
#define SC_TRAIT_FIRST     2U /* taken only before the program's name */
#define SC_TRAIT_NO_CONFIG 4U /* no key in the YAML file */
#define SC_TRAIT_ADDS      8U /* a LIST that is given again is added to the one before */

struct sc_option {
    const char *name;
    const char *metavar;  /* NULL when it takes no value */
    const char *fallback; /* the default as text; NULL for actions */
    const char *help;
    double low, high; /* of NUMBER and COUNT */
    enum sc_verb verb;
    enum sc_argument kind;
    enum sc_option_group group;
    unsigned traits;
    char short_name; /* 0: none */
};

extern const struct sc_option sc_options[SC_OPT_COUNT_];

bool sc_option_takes_value(enum sc_option_id id);

/* Where a value comes from; the higher source wins. */
enum sc_value_source { SC_FROM_DEFAULT, SC_FROM_CONFIG, SC_FROM_COMMAND };

struct sc_value {
    enum sc_value_source source;
    bool flag;           /* ACTION, FLAG, SWITCH */
    double number;       /* NUMBER */
    uint64_t count;      /* COUNT */
    char *text;          /* PATH, TEXT; NULL when never given and without a default */
    SC_VEC(char *) list; /* LIST, ITEMS */
};

struct sc_values {
    struct sc_value of[SC_OPT_COUNT_];
};

/* Sets every default. */
void sc_values_init(struct sc_values *values);
void sc_values_done(struct sc_values *values);

/* The text of a PATH or TEXT; NULL when it is empty or was never given. */
const char *sc_value_given(const struct sc_value *value);

/* Sets a value from text ("true" and "false" for those without a value); nothing happens when a
 * higher source has set it. place names it in the message: "--outfile", "f.yaml:3: outfile". */
bool sc_value_set(struct sc_values *values, enum sc_option_id id, const char *text,
                  enum sc_value_source source, const char *place, struct sc_err *err);

/* Adds one item to a LIST or to ITEMS, which is not split at commas; the first item from a higher
 * source empties it. */
void sc_value_add_item(struct sc_values *values, enum sc_option_id id, const char *item,
                       enum sc_value_source source);

/* What a word of a command line is. */
enum sc_match { SC_MATCH_NONE, SC_MATCH_ONE, SC_MATCH_AMBIGUOUS };

struct sc_found_option {
    enum sc_option_id id;
    bool negated;      /* --no-name */
    const char *value; /* the text after "=" or after a short option's letter, or NULL */
    bool exact;        /* the whole name was written */
};

/* Looks up "--name", "--name=value", "-x" or "-xvalue" among a command's options. Prefixes of
 * visible long options count when only one fits; when several do, err says which. */
enum sc_match sc_option_find(enum sc_verb verb, const char *word, struct sc_found_option *ret_found,
                             struct sc_err *err);

/* Takes the option found at words[*index], and its value, which may be the next word (*index is
 * then moved on to it). words ends with NULL. */
bool sc_option_take(struct sc_values *values, const struct sc_found_option *found,
                    char *const *words, size_t *index, struct sc_err *err);

/* Reads a command line made of options and operands alone, as every command but run has; unknown
 * options are an error. Operands are added to ret_operands, borrowed. */
struct sc_words SC_VEC_OF(char *);
bool sc_options_parse(enum sc_verb verb, char *const *words, struct sc_values *values,
                      struct sc_words *ret_operands, struct sc_err *err);

/* The option that a mistyped long option most likely means, or NULL. word begins with "--". */
const char *sc_option_suggest(enum sc_verb verb, const char *word);

/* The one of some names that a mistyped word most likely means, or NULL. */
const char *sc_word_suggest(const char *word, const char *const *names, size_t count);

/* The command that a mistyped one most likely means, or NULL. */
const char *sc_verb_suggest(const char *word);

/* False with err set when the word is no number of a process. verb: the command, for the message.
 */
bool sc_pid_word_read(const char *verb, const char *word, pid_t *ret_pid, struct sc_err *err);
