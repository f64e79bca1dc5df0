/*
 * observer/system/descendants.h - the processes that a process has started, and those that they
 * have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Fills pids with the processes below pid, at most capacity, a parent before its children. One that
 * has lost its parent is not found. */
size_t sc_descendants_list(pid_t pid, pid_t *pids, size_t capacity);
