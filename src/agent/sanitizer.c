/*
 * agent/sanitizer.c - lets programs run that use the address sanitizer.
 *
 * Its runtime aborts a program in which it is not the first library, since an allocator before it
 * could hide memory from it. This library comes before it and passes every call on (real.h), so an
 * option turns that check off. When the runtime starts, it gets options from the first library that
 * has the function below (compiler-rt, asan_flags.cpp); what the user has set in ASAN_OPTIONS takes
 * precedence.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stddef.h>

#include "agent/rules.h"

#define OPTIONS_MAX 4096U

/* NOLINTNEXTLINE(readability-identifier-naming): the runtime's name */
SC_EXPORT const char *__asan_default_options(void);
/* NOLINTNEXTLINE(readability-identifier-naming) */
SC_EXPORT const char *__asan_default_options(void)
{
    static const char ours[] = "verify_asan_link_order=0:";
    static char options[OPTIONS_MAX];
    size_t length = sizeof(ours) - 1;
    const char *(*next)(void) = NULL;
    /* a library of the program may have options, too, which override ours */
    void *found = dlsym(RTLD_NEXT, "__asan_default_options");
    __builtin_memcpy(&next, &found, sizeof(next));
    const char *theirs = next != NULL ? next() : NULL;
    for (size_t i = 0; i < length; i++)
        options[i] = ours[i];
    for (; theirs != NULL && *theirs != '\0' && length < OPTIONS_MAX - 1; theirs++)
        options[length++] = *theirs;
    options[length] = '\0';
    return options;
}
