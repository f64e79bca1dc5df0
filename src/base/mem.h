/*
 * base/mem.h - heap memory for the tool: an allocation that fails ends the process with a message.
 *
 * The observer is a process of its own, so when it ends the profile is lost, but the program goes
 * on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

/* count * size zeroed bytes; never NULL. Freed with free(). */
void *sc_alloc(size_t count, size_t size) __attribute__((returns_nonnull, malloc));

/* The block with room for count * size bytes, new bytes not set; never NULL. */
void *sc_realloc(void *block, size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of length bytes plus a final NUL; never NULL. */
char *sc_strndup(const char *text, size_t length) __attribute__((returns_nonnull, malloc));

char *sc_strdup(const char *text) __attribute__((returns_nonnull, malloc));

/* printf into a new string; never NULL. */
char *sc_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

void sc_free_pointer(void *pointer_to_pointer);

/* Closes a descriptor unless it is -1, which it is then. */
void sc_close(int *fd);

/* A local that done() ends when it leaves its scope; done takes a pointer to it. */
#define SC_AUTO(done) __attribute__((cleanup(done)))

/* The same for what is freed (an SC_VEC, too, whose items stand first), or closed. */
#define SC_AUTO_FREE  __attribute__((cleanup(sc_free_pointer)))
#define SC_AUTO_CLOSE __attribute__((cleanup(sc_close)))
