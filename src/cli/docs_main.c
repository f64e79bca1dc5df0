/*
 * cli/docs_main.c - build tool: prints manual pages and completion scripts.
 *
 * A program of its own, so that they can be made when the profiler itself cannot run here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "cli/completion.h"
#include "cli/man.h"

#define MORE_BYTES_MAX (1 << 20)

static bool make(char **words, struct sc_str *text, struct sc_err *err)
{
    if (strcmp(words[1], "completion") == 0)
        return sc_completion_script(words[2], text) ||
               sc_fail(err, SC_ERR_USAGE, "no such shell: %s", words[2]);
    enum sc_verb verb = strcmp(words[2], "top") == 0 ? SC_VERB_TOP : sc_verb_find(words[2]);
    if (strcmp(words[1], "man") != 0 || verb == SC_VERB_COUNT_)
        return sc_fail(err, SC_ERR_USAGE, "no such page: %s %s", words[1], words[2]);
    struct sc_str more = {0};
    bool good = words[3] == NULL || sc_read_file(words[3], MORE_BYTES_MAX, &more, err);
    if (good)
        sc_man_page(verb, sc_str_text(&more), text);
    sc_str_done(&more);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        (void)fputs("usage: scalene-docs man COMMAND|top [MORE] | completion SHELL\n", stderr);
        return 2;
    }
    struct sc_str text = {0};
    struct sc_err err = {0};
    if (make(argv, &text, &err))
        (void)fputs(sc_str_text(&text), stdout);
    else
        (void)fprintf(stderr, "scalene-docs: %s\n", err.text);
    sc_str_done(&text);
    return sc_err_status(&err);
}
