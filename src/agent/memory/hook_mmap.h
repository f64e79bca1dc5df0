/*
 * agent/memory/hook_mmap.h - hooks of mmap: memory that libraries get from the kernel themselves,
 * past malloc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Finds the allocators, whose mappings are not counted. In normal context. */
void sc_hook_mmap_init(void);
