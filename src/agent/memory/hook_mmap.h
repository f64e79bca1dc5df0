/*
 * agent/memory/hook_mmap.h - memory that libraries take from the kernel themselves, past malloc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Finds out whose mappings are not counted; before, none is. In normal context. */
void sc_hook_mmap_init(void);
