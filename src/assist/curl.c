/*
 * assist/curl.c - libcurl, loaded when the first question is asked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assist/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static struct sc_curl curl;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof(names) / sizeof(names[0]); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    bool whole = true;
/* POSIX lets a function's address be kept in what dlsym returns; ISO C has no cast for it. */
#define X_FIND(name)                                                                               \
    {                                                                                              \
        void *found = dlsym(library, "curl_" #name);                                               \
        memcpy(&curl.name, &found, sizeof(found));                                                 \
        whole = whole && found != NULL;                                                            \
    }
    SC_CURL_FUNCTIONS(X_FIND)
#undef X_FIND
    is_loaded = whole && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct sc_curl *sc_curl_load(struct sc_err *err)
{
    (void)pthread_once(&once, load);
    if (is_loaded)
        return &curl;
    (void)sc_fail(err, SC_ERR_FAILED,
                  "asking a service needs the library libcurl, which is not installed "
                  "(on Debian: apt install libcurl4)");
    return NULL;
}
