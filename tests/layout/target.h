/*
 * tests/layout/target.h - another process's memory and the addresses of CPython's symbols in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "cpython/target.h"

/* For struct sc_target; context is a pointer to the pid_t. */
bool target_read(void *context, uint64_t address, void *bytes, size_t length);

/* The address of a dynamic symbol in the process's executable or its libpython, or 0. */
uint64_t target_symbol(pid_t pid, const char *name);
