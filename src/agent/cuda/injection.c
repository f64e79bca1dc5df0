/*
 * agent/cuda/injection.c - where the tracing of devices begins: the driver loads this library, or
 * it was loaded into a program that has the driver.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>

#include "agent/cuda/cuda.h"
#include "agent/cuda/cupti_find.h"
#include "agent/cuda/hook_cupti.h"
#include "agent/rules.h"

/* The driver calls this; 1 is success, as in NVIDIA's samples for CUPTI. */
SC_EXPORT int InitializeInjection(void);
SC_EXPORT int InitializeInjection(void)
{
    int saved_errno = errno;
    sc_cuda_begin(false, sc_hook_cupti_redirect);
    errno = saved_errno;
    return 1;
}

void sc_cuda_begin_late(void)
{
    if (sc_cupti_has_driver())
        sc_cuda_begin(true, sc_hook_cupti_redirect);
}
