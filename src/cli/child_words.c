/* cli/child_words.c - see child_words.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/child_words.h"

#include <string.h>

#include "base/str.h"

enum outcome { NOT_MINE, TAKEN, WRONG };

static enum outcome take_option(enum sc_verb verb, char *const *words, size_t *index,
                                struct sc_values *values, struct sc_err *err)
{
    struct sc_found_option found;
    switch (sc_option_find(verb, words[*index], &found, err)) {
    case SC_MATCH_ONE:
        return sc_option_take(values, &found, words, index, err) ? TAKEN : WRONG;
    case SC_MATCH_AMBIGUOUS:
        return WRONG;
    default:
        return NOT_MINE;
    }
}

/* An option of the child's command is checked here, so that a mistake is found at once. Its help is
 * no option of another command. */
static enum outcome copy_option(enum sc_verb verb, char *const *words, size_t *index,
                                struct sc_words *ret_options, struct sc_err *err)
{
    struct sc_found_option found;
    struct sc_values values;
    size_t first = *index;
    enum sc_match match = sc_option_find(verb, words[first], &found, err);
    if (match == SC_MATCH_AMBIGUOUS)
        return WRONG;
    if (match == SC_MATCH_NONE || sc_options[found.id].kind == SC_ARG_ACTION)
        return NOT_MINE;
    sc_values_init(&values);
    bool is_good = sc_option_take(&values, &found, words, index, err);
    sc_values_done(&values);
    for (size_t i = first; is_good && i <= *index; i++)
        sc_vec_push(ret_options, words[i]);
    return is_good ? TAKEN : WRONG;
}

static bool is_pid(const char *word, pid_t *ret_pid)
{
    return word[0] >= '0' && word[0] <= '9' && sc_pid_word_read("", word, ret_pid, NULL);
}

static bool refuse_option(enum sc_verb verb, const char *word, struct sc_err *err)
{
    const char *meant = sc_option_suggest(verb, word);
    if (meant == NULL)
        meant = sc_option_suggest(SC_VERB_RUN, word);
    if (meant != NULL && strcmp(word + 2, meant) == 0) /* help of run, which is none of ours */
        meant = NULL;
    const char *name = sc_verb_names[verb];
    return sc_fail(err, SC_ERR_USAGE, "%s: no such option: '%.100s'%s%s (scalene %s --help)", name,
                   word, meant != NULL ? "; did you mean --" : "", meant != NULL ? meant : "",
                   name);
}

/* From the program's name on: all that follows is the program's. */
static void take_program(char *const *words, struct sc_words *ret_program)
{
    static char separator[] = "---";
    if (strcmp(words[0], "--") != 0 && strcmp(words[0], separator) != 0)
        sc_vec_push(ret_program, separator);
    for (size_t i = 0; words[i] != NULL; i++)
        sc_vec_push(ret_program, words[i]);
}

bool sc_child_words_read(enum sc_verb verb, char *const *words, struct sc_values *values,
                         struct sc_child_words *ret_words, struct sc_err *err)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        const char *word = words[i];
        enum outcome outcome = take_option(verb, words, &i, values, err);
        if (outcome == NOT_MINE)
            outcome = copy_option(SC_VERB_RUN, words, &i, &ret_words->options, err);
        if (outcome == NOT_MINE)
            outcome = copy_option(SC_VERB_ATTACH, words, &i, &ret_words->of_attach, err);
        if (outcome == WRONG)
            return false;
        if (outcome == TAKEN)
            continue;
        bool is_separator = sc_is_among(word, "-- ---");
        if (sc_starts_with(word, "--") && !is_separator)
            return refuse_option(verb, word, err);
        if (ret_words->pid != 0)
            return sc_fail(err, SC_ERR_USAGE, "%s: '%.100s' follows the number of a process",
                           sc_verb_names[verb], word);
        if (is_pid(word, &ret_words->pid))
            continue;
        take_program(words + i, &ret_words->program);
        break;
    }
    if (ret_words->pid == 0 && ret_words->of_attach.count > 0)
        return sc_fail(err, SC_ERR_USAGE, "%s: %.100s is for a process that runs already",
                       sc_verb_names[verb], ret_words->of_attach.items[0]);
    return true;
}

void sc_child_words_done(struct sc_child_words *words)
{
    sc_vec_done(&words->options);
    sc_vec_done(&words->of_attach);
    sc_vec_done(&words->program);
    *words = (struct sc_child_words){0};
}
