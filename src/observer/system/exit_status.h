/*
 * observer/system/exit_status.h - how a process ended that is not our child.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* A descriptor by which the status can be read later; -1 when there is none. To be closed. */
int sc_exit_status_open(pid_t pid);

/* Whether a process has waited for it: what cannot be read after that never can. */
bool sc_exit_status_is_lost(int fd);

/* The process's status as wait(2) has it. False when it has not ended, or the status cannot be
 * known: before Linux 6.15 only a zombie's can be read. fd: of sc_exit_status_open, or -1. */
bool sc_exit_status_read(int fd, pid_t pid, int *ret_status);
