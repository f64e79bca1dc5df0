/*
 * cli/pid_word.c - a process, named by its number on the command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/pid_word.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

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
