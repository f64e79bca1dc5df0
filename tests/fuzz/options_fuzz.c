/*
 * tests/fuzz/options_fuzz.c - command lines, one word per line of the input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/run_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_run(char *const *words)
{
    struct sc_values values;
    struct sc_run_words read = {0};
    struct sc_err err = {0};
    sc_values_init(&values);
    bool good = sc_run_words_read(words, false, &values, &read, &err);
    if (good != (err.kind == SC_ERR_NONE) || (read.found && read.program == NULL))
        abort();
    sc_run_words_done(&read);
    sc_values_done(&values);
}

static void read_view(char *const *words)
{
    struct sc_values values;
    struct sc_words operands = {0};
    struct sc_err err = {0};
    sc_values_init(&values);
    bool good = sc_options_parse(SC_VERB_VIEW, words, &values, &operands, &err);
    if (good != (err.kind == SC_ERR_NONE))
        abort();
    sc_vec_done(&operands);
    sc_values_done(&values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_words words = {0};
    char *text = sc_strndup((const char *)data, size);
    for (char *rest = text, *word; (word = strsep(&rest, "\n")) != NULL;)
        sc_vec_push(&words, sc_strdup(word));
    size_t count = words.count;
    sc_vec_push(&words, NULL);
    read_view(words.items);
    read_run(words.items);
    for (size_t i = 0; i < count; i++)
        free(words.items[i]);
    sc_vec_done(&words);
    free(text);
    return 0;
}
