/*
 * observer/process/started.c - what a Python was started to run. Its options: Python/getopt.c of
 * python/cpython.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/started.h"

#include <stdbool.h>
#include <string.h>

static const char *word_behind(const char *word, const char *end)
{
    const char *next = word + strlen(word) + 1;
    return next < end ? next : NULL;
}

/* An option with a value has it in the rest of its word or in the next one. */
static const char *value_at(const char *letter, const char *end)
{
    return letter[1] != '\0' ? letter + 1 : word_behind(letter, end);
}

struct sc_started sc_started_of(const char *words, size_t length)
{
    const char *end = words + length;
    const char *word = length > 0 ? word_behind(words, end) : NULL;
    for (; word != NULL; word = word_behind(word, end)) {
        if (strcmp(word, "--check-hash-based-pycs") == 0) {
            word = word_behind(word, end);
            if (word == NULL)
                break;
            continue;
        }
        if (word[0] != '-')
            return (struct sc_started){.script = word};
        if (word[1] == '-')
            continue;
        const char *letter = word + 1 + strcspn(word + 1, "cmWX");
        if (word[1] == '\0')
            break;
        if (*letter == 'c')
            return (struct sc_started){.text = value_at(letter, end)};
        if (*letter == 'm')
            return (struct sc_started){.module = value_at(letter, end)};
        if (*letter != '\0' && letter[1] == '\0' && (word = word_behind(letter, end)) == NULL)
            break;
    }
    return (struct sc_started){.module = NULL};
}
