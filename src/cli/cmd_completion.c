/*
 * cli/cmd_completion.c - `scalene completion SHELL`: prints a completion script.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/programs.h"

/* The scripts have the names under which they are installed. */
static const char *const shells[][2] = {
    {"bash", "scalene"}, {"zsh", "_scalene"}, {"fish", "scalene.fish"}};

static bool print_script(const struct sc_words *words, struct sc_err *err)
{
    for (size_t i = 0; words->count == 1 && i < sizeof(shells) / sizeof(shells[0]); i++)
        if (strcmp(words->items[0], shells[i][0]) == 0)
            return fputs(sc_own_program_text(shells[i][1]), stdout) >= 0;
    return sc_fail(err, SC_ERR_USAGE, "completion: name one shell: bash, zsh or fish");
}

int sc_cmd_completion(const struct sc_values *values, const struct sc_words *operands,
                      struct sc_err *err)
{
    (void)values;
    return print_script(operands, err) ? 0 : 1;
}
