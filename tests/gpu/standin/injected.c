/*
 * tests/gpu/standin/injected.c - what the program's user has the driver load.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

int InitializeInjection(void);
int InitializeInjection(void)
{
    (void)puts("injected by the user");
    (void)fflush(stdout);
    return 1;
}
