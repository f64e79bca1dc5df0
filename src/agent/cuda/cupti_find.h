/*
 * agent/cuda/cupti_find.h - finds the CUPTI library that fits the program's CUDA.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "agent/cuda/cupti_abi.h"

/* Fills ret_cupti from the library that the program has loaded already; if there is none and
 * only_loaded is false, loads the one that fits the program's CUDA. False when there is none, or it
 * lacks a function. In normal context: loads libraries. */
bool sc_cupti_find(struct sc_cupti *ret_cupti, bool only_loaded);

/* Whether the process has loaded the driver; and whether it has begun to use it (cuInit). */
bool sc_cupti_has_driver(void);
bool sc_cupti_driver_is_used(void);

/* A function of the CUPTI that is loaded, or NULL. */
void *sc_cupti_symbol(const char *name);

/* A function of the CUPTI that the library around the address caller was linked to, or of the one
 * that is loaded; never one of ours. NULL when there is none. */
void *sc_cupti_symbol_for(const void *caller, const char *name);

/* Whether the address is in this library. */
bool sc_cupti_is_ours(const void *address);
