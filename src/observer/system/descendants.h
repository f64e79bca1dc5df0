/*
 * observer/system/descendants.h - the processes that a process has started, and those that they
 * have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Adds the processes below the count first of pids, up to capacity, a parent before its children;
 * returns how many there are then. One that has lost its parent is found by its own number only. */
size_t sc_descendants_list(pid_t *pids, size_t count, size_t capacity);
