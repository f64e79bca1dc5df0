/* observer/process/started.c - see started.h. SPDX-License-Identifier: Apache-2.0 */
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

size_t sc_started_package(const char *word)
{
    size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    bool is_name = length > 0 && (word[0] < '0' || word[0] > '9') && strchr(word, '/') == NULL;
    return is_name && strchr(".:", word[length]) != NULL ? length : 0;
}

static struct sc_started with_arguments(struct sc_started started, const char *end)
{
    const char *last = started.module != NULL ? started.module : started.script;
    started.arguments = last != NULL ? word_behind(last, end) : NULL;
    return started;
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
            return with_arguments((struct sc_started){.script = word}, end);
        if (word[1] == '-')
            continue;
        const char *letter = word + 1 + strcspn(word + 1, "cmWX");
        if (word[1] == '\0')
            break;
        if (*letter == 'c')
            return (struct sc_started){.text = value_at(letter, end)};
        if (*letter == 'm')
            return with_arguments((struct sc_started){.module = value_at(letter, end)}, end);
        if (*letter != '\0' && letter[1] == '\0' && (word = word_behind(letter, end)) == NULL)
            break;
    }
    return (struct sc_started){.module = NULL};
}
