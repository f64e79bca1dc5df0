/*
 * agent/memory/hook_python_memory.h - hooks of CPython's allocators, of its mem and object domains.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Installs our hooks in front of the interpreter's allocators. With the GIL held, while no other
 * thread runs Python. */
void sc_hook_python_memory_init(void);

/* Called when a profile begins, after the above: blocks of large_bytes and more are large ones. */
void sc_hook_python_memory_begin(uint64_t large_bytes);
