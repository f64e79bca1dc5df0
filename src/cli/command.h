/*
 * cli/command.h - the functions of the commands of `scalene`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "cli/options.h"

/* A command whose line is options and operands alone; --help was seen to. It returns the exit
 * status, but what went wrong is left in err, which the caller prints, and whose status counts. */
typedef int sc_command(const struct sc_values *values, const struct sc_words *operands,
                       struct sc_err *err);

sc_command sc_cmd_completion;
sc_command sc_cmd_doctor;
sc_command sc_cmd_dump;
sc_command sc_cmd_export;
sc_command sc_cmd_gpu_modes;
sc_command sc_cmd_history;
sc_command sc_cmd_import;
sc_command sc_cmd_mcp;
sc_command sc_cmd_merge;
sc_command sc_cmd_optimize;
sc_command sc_cmd_profile;
sc_command sc_cmd_selftest;
sc_command sc_cmd_view;

/* One that divides its line by itself: the words behind its name, ended by NULL. */
typedef int sc_own_line_command(char *const *words, struct sc_err *err);

sc_own_line_command sc_cmd_attach;
sc_own_line_command sc_cmd_compare;
sc_own_line_command sc_cmd_diff;
sc_own_line_command sc_cmd_live;
sc_own_line_command sc_cmd_merge_neuron;
sc_own_line_command sc_cmd_observe;
sc_own_line_command sc_cmd_run;
sc_own_line_command sc_cmd_run_old; /* words without the verb, as the original once had them */
sc_own_line_command sc_cmd_top;

/* Ends this process by the signal the program died of, so that a shell sees the same; returns only
 * when that is not possible. */
void sc_die_by(int number);
