/*
 * agent/cuda/hook_cupti.h - the program, or a library in it, wants to use CUPTI itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* CUPTI has been found. Where this library came late, the functions of it that we stand in front of
 * are led to ours: nobody could find them before, as CUPTI's names are not the whole program's. */
void sc_hook_cupti_lead(void);
