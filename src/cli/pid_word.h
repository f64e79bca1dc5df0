/*
 * cli/pid_word.h - a process, named by its number on the command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"

/* False with err set when the word is no number of a process. verb: the command, for the message.
 */
bool sc_pid_word_read(const char *verb, const char *word, pid_t *ret_pid, struct sc_err *err);
