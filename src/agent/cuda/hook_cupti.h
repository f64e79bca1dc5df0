/*
 * agent/cuda/hook_cupti.h - gives way when the program, or a library in it, uses CUPTI itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Call it when CUPTI has been found. If this library was loaded late, imports of the CUPTI
 * functions that we hook are redirected to ours. That is not possible earlier, as CUPTI's symbols
 * are not in the program's global scope. */
void sc_hook_cupti_redirect(void);
