/*
 * agent/sanitizer.c - the address sanitizer's runtime, where a program has it.
 *
 * That runtime ends a program in which it is not the first library: an allocator before it could
 * keep memory from it. Ours stands before it and passes every call on (real.h), so the runtime is
 * asked not to insist. Before it starts, it asks the first library that has the function below for
 * options (compiler-rt, asan_flags.cpp); what the user has set in ASAN_OPTIONS has the last word.
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
    /* a library of the program may have options, which count after ours */
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
