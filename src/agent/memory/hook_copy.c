/*
 * agent/memory/hook_copy.c - hooks of memcpy, memmove and the strcpy family.
 *
 * Copies that the compiler has inlined and those within libc are not seen. Until the constructor
 * has run, bytes are copied one by one, without reading thread-local storage: libraries may call
 * these functions before ours has been relocated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <string.h>

#include "agent/memory/memory.h"
#include "agent/real.h"
#include "agent/rules.h"

/* result, name in C, name of the symbol, parameters */
#define COPY_FUNCTIONS(X)                                                                          \
    X(void *, memcpy, "memcpy", (void *, const void *, size_t))                                    \
    X(void *, memmove, "memmove", (void *, const void *, size_t))                                  \
    X(void *, mempcpy, "mempcpy", (void *, const void *, size_t))                                  \
    X(void *, memcpy_chk, "__memcpy_chk", (void *, const void *, size_t, size_t))                  \
    X(void *, memmove_chk, "__memmove_chk", (void *, const void *, size_t, size_t))                \
    X(char *, strcpy, "strcpy", (char *, const char *))                                            \
    X(char *, stpcpy, "stpcpy", (char *, const char *))                                            \
    X(char *, strncpy, "strncpy", (char *, const char *, size_t))                                  \
    X(char *, strcpy_chk, "__strcpy_chk", (char *, const char *, size_t))

static struct {
#define X_MEMBER(result, name, symbol, parameters) result(*name) parameters;
    COPY_FUNCTIONS(X_MEMBER)
#undef X_MEMBER
} next;

__attribute__((constructor(101))) void sc_hook_copy_look_up(void)
{
#define X_LOOK_UP(result, name, symbol, parameters)                                                \
    {                                                                                              \
        void *found = sc_real_symbol(symbol);                                                      \
        __builtin_memcpy(&next.name, &found, sizeof(found));                                       \
    }
    COPY_FUNCTIONS(X_LOOK_UP)
#undef X_LOOK_UP
}

static __attribute__((cold, noinline)) void *copy_bytes(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if ((uintptr_t)out - (uintptr_t)in >= size) {
        for (size_t i = 0; i < size; i++)
            out[i] = in[i];
    } else {
        for (size_t i = size; i-- > 0;)
            out[i] = in[i];
    }
    return to;
}

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

static inline bool passes(size_t size)
{
    return SC_LIKELY(!sc_stream_passes(&sc_agent_thread.copies, size));
}

/* Not inlined, so that the fast path is a tail call that saves no registers. */
static __attribute__((noinline)) void *sampled_memcpy(void *to, const void *from, size_t size)
{
    sc_memory_copied(to, from, size);
    return next.memcpy(to, from, size);
}

static __attribute__((noinline)) void *sampled_memmove(void *to, const void *from, size_t size)
{
    sc_memory_copied(to, from, size);
    return next.memmove(to, from, size);
}

static inline void count(const void *to, const void *from, size_t size)
{
    if (!passes(size))
        sc_memory_copied(to, from, size);
}

/* Reserved names are given only to the symbols. */
SC_EXPORT void *sc_memcpy_chk(void *to, const void *from, size_t size,
                              size_t room) __asm__("__memcpy_chk");
SC_EXPORT void *sc_memmove_chk(void *to, const void *from, size_t size,
                               size_t room) __asm__("__memmove_chk");
SC_EXPORT char *sc_strcpy_chk(char *to, const char *from, size_t room) __asm__("__strcpy_chk");

SC_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    if (SC_UNLIKELY(next.memcpy == NULL))
        return copy_bytes(to, from, size);
    return passes(size) ? next.memcpy(to, from, size) : sampled_memcpy(to, from, size);
}

SC_EXPORT void *memmove(void *to, const void *from, size_t size)
{
    if (SC_UNLIKELY(next.memmove == NULL))
        return copy_bytes(to, from, size);
    return passes(size) ? next.memmove(to, from, size) : sampled_memmove(to, from, size);
}

SC_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t size)
{
    if (SC_UNLIKELY(next.mempcpy == NULL))
        return (unsigned char *)copy_bytes(to, from, size) + size;
    count(to, from, size);
    return next.mempcpy(to, from, size);
}

void *sc_memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
    if (SC_UNLIKELY(next.memcpy_chk == NULL))
        return copy_bytes(to, from, size);
    count(to, from, size);
    return next.memcpy_chk(to, from, size, room);
}

void *sc_memmove_chk(void *to, const void *from, size_t size, size_t room)
{
    if (SC_UNLIKELY(next.memmove_chk == NULL))
        return copy_bytes(to, from, size);
    count(to, from, size);
    return next.memmove_chk(to, from, size, room);
}

SC_EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
    if (SC_UNLIKELY(next.strcpy == NULL))
        return copy_bytes(to, from, length_of(from) + 1);
    char *end = next.stpcpy(to, from);
    count(to, from, (size_t)(end - to) + 1);
    return to;
}

SC_EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
    if (SC_UNLIKELY(next.stpcpy == NULL)) {
        size_t length = length_of(from);
        (void)copy_bytes(to, from, length + 1);
        return to + length;
    }
    char *end = next.stpcpy(to, from);
    count(to, from, (size_t)(end - to) + 1);
    return end;
}

/* strncpy always writes size bytes, whatever the length. */
SC_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
    if (SC_UNLIKELY(next.strncpy == NULL)) {
        size_t length = 0;
        for (; length < size && from[length] != '\0'; length++)
            to[length] = from[length];
        for (; length < size; length++)
            to[length] = '\0';
        return to;
    }
    count(to, from, size);
    return next.strncpy(to, from, size);
}

char *sc_strcpy_chk(char *to, const char *from, size_t room)
{
    if (SC_UNLIKELY(next.strcpy_chk == NULL))
        return copy_bytes(to, from, length_of(from) + 1);
    char *result = next.strcpy_chk(to, from, room);
    count(to, from, length_of(from) + 1);
    return result;
}
