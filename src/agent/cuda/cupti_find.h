/*
 * agent/cuda/cupti_find.h - CUPTI, wherever the program's CUDA has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "agent/cuda/cupti_abi.h"

/* Fills ret_cupti from the library that the program has loaded already; unless only_loaded, from
 * one that is loaded now, which is the one that goes with the program's CUDA, if any. False when
 * there is none, or not one with all functions. In normal context: loads libraries. */
bool sc_cupti_find(struct sc_cupti *ret_cupti, bool only_loaded);

/* Whether the driver is in the process. */
bool sc_cupti_has_driver(void);

/* A function of the CUPTI that is loaded, or NULL. */
void *sc_cupti_symbol(const char *name);

/* A function of the CUPTI that the library around the address caller was linked to, or of the one
 * that is loaded; never one of ours. NULL when there is none. */
void *sc_cupti_symbol_for(const void *caller, const char *name);
