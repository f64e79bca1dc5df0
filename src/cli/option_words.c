/*
 * cli/option_words.c - recognises options among the words of a command line.
 *
 * Not getopt_long: `scalene run` must hand unknown options on in their place, and distinguish an
 * exact name from a prefix, neither of which it can do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/options.h"

/* Compares word[0..length) with the option's name, or with "no-" and the name. */
static bool fits(const struct sc_option *option, bool negated, const char *word, size_t length,
                 bool *ret_exact)
{
    if (negated) {
        if (option->kind != SC_ARG_SWITCH)
            return false;
        if (length <= 3)
            return strncmp(word, "no-", length) == 0; /* "--no" could be any of them */
        if (strncmp(word, "no-", 3) != 0)
            return false;
        word += 3;
        length -= 3;
    }
    if (strncmp(option->name, word, length) != 0)
        return false;
    *ret_exact = option->name[length] == '\0';
    return true;
}

static enum sc_match find_long(enum sc_verb verb, const char *word,
                               struct sc_found_option *ret_found, struct sc_err *err)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (length == 0)
        return SC_MATCH_NONE;
    size_t found = 0;
    SC_AUTO(sc_str_done) struct sc_str candidates = {0};
    for (int i = 0; i < SC_OPT_COUNT_ * 2; i++) {
        enum sc_option_id id = (enum sc_option_id)(i / 2);
        bool negated = i % 2 == 1;
        const struct sc_option *option = &sc_options[id];
        bool exact = false;
        if (option->verb != verb || !fits(option, negated, name, length, &exact))
            continue;
        if (!exact && (option->group == SC_GROUP_HIDDEN || verb == SC_VERB_TOP))
            continue;
        sc_str_add_format(&candidates, "%s--%s%s", found > 0 ? ", " : "", negated ? "no-" : "",
                          option->name);
        found++;
        *ret_found =
            (struct sc_found_option){.id = id, .negated = negated, .value = value, .exact = exact};
        if (exact) {
            found = 1;
            break;
        }
    }
    if (found > 1)
        (void)sc_fail(err, SC_ERR_USAGE, "%s: '%.100s' may mean any of %s", sc_verb_names[verb],
                      word, sc_str_text(&candidates));
    return found == 0 ? SC_MATCH_NONE : found == 1 ? SC_MATCH_ONE : SC_MATCH_AMBIGUOUS;
}

enum sc_match sc_option_find(enum sc_verb verb, const char *word, struct sc_found_option *ret_found,
                             struct sc_err *err)
{
    if (sc_starts_with(word, "--"))
        return find_long(verb, word, ret_found, err);
    if (word[0] != '-' || word[1] == '\0')
        return SC_MATCH_NONE;
    for (int i = 0; i < SC_OPT_COUNT_; i++) {
        enum sc_option_id id = (enum sc_option_id)i;
        if (sc_options[id].verb != verb || sc_options[id].short_name != word[1])
            continue;
        bool attached = word[2] != '\0';
        if (attached && !sc_option_takes_value(id))
            continue; /* letters are not joined: -rx is no option */
        *ret_found = (struct sc_found_option){
            .id = id, .value = attached ? word + 2 : NULL, .exact = !attached};
        return SC_MATCH_ONE;
    }
    return SC_MATCH_NONE;
}

/* A word that can be the value of the option before it: not an option, but "-" and "-1" are. */
static bool is_value(const char *word)
{
    if (word == NULL)
        return false;
    if (word[0] != '-' || word[1] == '\0')
        return true;
    return (word[1] >= '0' && word[1] <= '9') || word[1] == '.';
}

bool sc_option_take(struct sc_values *values, const struct sc_found_option *found,
                    char *const *words, size_t *index, struct sc_err *err)
{
    const struct sc_option *option = &sc_options[found->id];
    const char *verb = sc_verb_names[option->verb];
    const char *space = verb[0] != '\0' ? ": " : "";
    SC_AUTO_FREE char *place =
        sc_format("%s%s--%s%s", verb, space, found->negated ? "no-" : "", option->name);
    if (!sc_option_takes_value(found->id)) {
        if (found->value != NULL)
            return sc_fail(err, SC_ERR_USAGE, "%s takes no value", place);
        return sc_value_set(values, found->id, found->negated ? "false" : "true", SC_FROM_COMMAND,
                            place, err);
    }
    const char *value = found->value;
    if (value == NULL) {
        if (!is_value(words[*index + 1]))
            return sc_fail(err, SC_ERR_USAGE, "%s needs a value: --%s=%s", place, option->name,
                           option->metavar);
        value = words[++*index];
    }
    return sc_value_set(values, found->id, value, SC_FROM_COMMAND, place, err);
}

bool sc_options_parse(enum sc_verb verb, char *const *words, struct sc_values *values,
                      struct sc_words *ret_operands, struct sc_err *err)
{
    bool options_end = false;
    for (size_t i = 0; words[i] != NULL; i++) {
        char *word = words[i];
        if (options_end || word[0] != '-' || word[1] == '\0') {
            sc_vec_push(ret_operands, word);
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        struct sc_found_option found;
        switch (sc_option_find(verb, word, &found, err)) {
        case SC_MATCH_ONE:
            if (!sc_option_take(values, &found, words, &i, err))
                return false;
            break;
        case SC_MATCH_AMBIGUOUS:
            return false;
        case SC_MATCH_NONE: {
            const char *meant = sc_starts_with(word, "--") ? sc_option_suggest(verb, word) : NULL;
            const char *name = sc_verb_names[verb];
            return sc_fail(
                err, SC_ERR_USAGE, "%s%sno such option: '%.100s'%s%s (scalene %s%s--help)", name,
                name[0] != '\0' ? ": " : "", word, meant != NULL ? "; did you mean --" : "",
                meant != NULL ? meant : "", name, name[0] != '\0' ? " " : "");
        }
        }
    }
    return true;
}

#define NAME_MAX_LENGTH 32 /* longer words are not taken for typing errors */

static size_t least(size_t first, size_t second)
{
    return first < second ? first : second;
}

/* Number of letters to insert, drop, change or swap with the next to get from one to the other. */
static size_t edit_distance(const char *first, size_t first_length, const char *second,
                            size_t second_length)
{
    size_t rows[3][NAME_MAX_LENGTH + 1];
    for (size_t j = 0; j <= second_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= first_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= second_length; j++) {
            size_t cost = first[i - 1] == second[j - 1] ? 0 : 1;
            row[j] = least(above[j - 1] + cost, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && first[i - 1] == second[j - 2] && first[i - 2] == second[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[first_length % 3][second_length];
}

const char *sc_option_suggest(enum sc_verb verb, const char *word)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    if (length == 0 || length > NAME_MAX_LENGTH)
        return NULL;
    const char *best = NULL;
    size_t best_distance = 3;
    for (int id = 0; id < SC_OPT_COUNT_; id++) {
        const struct sc_option *option = &sc_options[id];
        size_t option_length = strlen(option->name);
        if (option->verb != verb || option->group == SC_GROUP_HIDDEN ||
            option_length > NAME_MAX_LENGTH)
            continue;
        size_t distance = edit_distance(name, length, option->name, option_length);
        /* a short name is near to everything: one letter in three may be wrong */
        if (distance < best_distance && distance * 3 <= option_length) {
            best = option->name;
            best_distance = distance;
        }
    }
    return best;
}

const char *sc_word_suggest(const char *word, const char *const *names, size_t count)
{
    size_t length = strlen(word);
    const char *best = NULL;
    size_t best_distance = 3;
    for (size_t i = 0; i < count && length <= NAME_MAX_LENGTH; i++) {
        size_t name_length = strlen(names[i]);
        size_t distance = edit_distance(word, length, names[i], name_length);
        if (distance < best_distance && distance * 2 <= name_length) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best;
}

const char *sc_verb_suggest(const char *word)
{
    return sc_word_suggest(word, sc_verb_names + SC_VERB_TOP + 1, SC_VERB_COUNT_ - SC_VERB_TOP - 1);
}

bool sc_pid_word_read(const char *verb, const char *word, pid_t *ret_pid, struct sc_err *err)
{
    char *end = NULL;
    errno = 0;
    long number = strtol(word, &end, 10);
    if (errno != 0 || end == word || *end != '\0' || number <= 0 || number > INT32_MAX)
        return sc_fail(err, SC_ERR_USAGE, "%s: '%.100s' is no number of a process", verb, word);
    *ret_pid = (pid_t)number;
    return true;
}
