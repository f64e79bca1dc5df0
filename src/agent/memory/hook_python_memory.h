/*
 * agent/memory/hook_python_memory.h - CPython's own allocators, of its mem and object domains.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Puts ours in front of the interpreter's. With the GIL held, while no other thread runs Python. */
void sc_hook_python_memory_init(void);

/* A profile begins in which blocks of that size and more are large ones. After the above. */
void sc_hook_python_memory_begin(uint64_t large_bytes);
