/* base/mem.c - see mem.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void)
{
    (void)fputs("scalene: out of memory\n", stderr);
    _exit(1);
}

void *sc_alloc(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (block == NULL)
        out_of_memory();
    return block;
}

void *sc_realloc(void *block, size_t count, size_t size)
{
    size_t bytes = 0;
    void *moved = NULL;
    if (!__builtin_mul_overflow(count ? count : 1, size ? size : 1, &bytes))
        moved = realloc(block, bytes);
    if (moved == NULL)
        out_of_memory();
    return moved;
}

char *sc_strndup(const char *text, size_t length)
{
    char *copy = sc_alloc(length + 1, 1);
    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *sc_strdup(const char *text)
{
    return sc_strndup(text, strlen(text));
}

char *sc_format(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        out_of_memory();
    return text;
}

void sc_free_pointer(void *pointer_to_pointer)
{
    free(*(void **)pointer_to_pointer);
}

void sc_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}
