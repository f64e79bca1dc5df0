/*
 * cli/run_labels.h - the labels of a run: what launchers, the machine and the user say of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "cli/options.h"
#include "profile/labels.h"

/* Sets what the environment says, "NAME=VALUE" texts that each end in a zero byte. Variables beside
 * those of the table are not looked at: they may hold secrets. */
void sc_labels_of_environment(const char *environment, size_t length, struct sc_labels *labels);

/* The number of the container in which a process is, by its cgroup and mountinfo in /proc; to be
 * freed, or NULL. */
char *sc_container_of(const char *cgroups, const char *mounts);

/* All of the process's labels, 0 being this one; those that the user gives as KEY=VALUE win over
 * others. directory: that of the program, may be NULL. */
bool sc_run_labels_make(pid_t pid, const char *directory, const struct sc_value *given,
                        struct sc_labels *labels, struct sc_err *err);
