/*
 * symbol/demangle.c - names of functions as people write them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbol/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define RUST_HASH_DIGITS 16

/* A longer name is not decoded: it takes too long, and nobody reads it. */
#define MANGLED_BYTES_MAX 8192

/* __cxa_demangle of the C++ run-time library (Itanium C++ ABI, 3.4): a new string, or NULL. */
typedef char *demangler(const char *mangled, char *buffer, size_t *length, int *status);

/* Loaded when the first C++ name comes: most runs meet none. NULL where there is no such library.
 */
static demangler *find_demangler(void)
{
    static bool is_loaded;
    static demangler *found;
    if (!is_loaded) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        void *address = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&found, &address, sizeof(found));
        is_loaded = true;
    }
    return found;
}

static const char *const split_suffixes[] = {".cold",       ".part.",     ".isra.",
                                             ".constprop.", ".lto_priv.", ".llvm."};

/* "name.part.0.cold" -> "name", "name@@V1" -> "name". */
static size_t plain_length(const char *symbol)
{
    size_t length = strcspn(symbol, "@");
    for (size_t i = 0; i < sizeof(split_suffixes) / sizeof(split_suffixes[0]); i++) {
        const char *found = strstr(symbol, split_suffixes[i]);
        if (found != NULL && found > symbol && (size_t)(found - symbol) < length)
            length = (size_t)(found - symbol);
    }
    return length;
}

/* Cuts "::h0123456789abcdef". */
static void cut_rust_hash(char *name)
{
    size_t length = strlen(name);
    if (length <= RUST_HASH_DIGITS + 3)
        return;
    char *hash = name + length - RUST_HASH_DIGITS - 3;
    if (strncmp(hash, "::h", 3) != 0)
        return;
    for (const char *digit = hash + 3; *digit != '\0'; digit++) {
        if (!isxdigit((unsigned char)*digit))
            return;
    }
    *hash = '\0';
}

char *sc_demangle(const char *symbol)
{
    char *plain = sc_strndup(symbol, plain_length(symbol));
    if (!sc_starts_with(plain, "_Z") || strlen(plain) > MANGLED_BYTES_MAX)
        return plain;
    demangler *demangle = find_demangler();
    int status = 0;
    char *decoded = demangle != NULL ? demangle(plain, NULL, NULL, &status) : NULL;
    if (status != 0 || decoded == NULL) {
        free(decoded);
        return plain;
    }
    free(plain);
    cut_rust_hash(decoded);
    return decoded;
}
