/* assist/curl.c - see curl.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/settings.h"

static struct sc_curl curl;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef SC_CURL_IS_LINKED

static void load(void)
{
#define X_TAKE(name) curl.name = curl_##name;
    SC_CURL_FUNCTIONS(X_TAKE)
#undef X_TAKE
    is_loaded = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/* It was built without knowing on which system it would run. */
static const char *find_trusted(void)
{
    static const char *const places[] = {
        "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Ubuntu, Arch, Alpine */
        "/etc/pki/tls/certs/ca-bundle.crt",                  /* Fedora, RHEL */
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* RHEL */
        "/etc/ssl/ca-bundle.pem",                            /* SUSE */
        "/etc/ssl/cert.pem",                                 /* Alpine, FreeBSD's way */
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (access(places[i], R_OK) == 0)
            return places[i];
    return NULL;
}

#else

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

static const char *find_trusted(void)
{
    return NULL;
}

#endif

void sc_curl_prepare(CURL *handle, const char *url, struct curl_slist *headers)
{
    const char *chosen = getenv("SSL_CERT_FILE");
    const char *trusted = chosen != NULL && chosen[0] != '\0' ? chosen : find_trusted();
    (void)curl.easy_setopt(handle, CURLOPT_URL, url);
    (void)curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl.easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    (void)curl.easy_setopt(handle, CURLOPT_USERAGENT, "scalene/" SC_VERSION);
    (void)curl.easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    if (trusted != NULL)
        (void)curl.easy_setopt(handle, CURLOPT_CAINFO, trusted);
    if (sc_ai_is_loopback(url))
        (void)curl.easy_setopt(handle, CURLOPT_PROXY, "");
}

const struct sc_curl *sc_curl_load(struct sc_err *err)
{
    (void)pthread_once(&once, load);
    if (is_loaded)
        return &curl;
    (void)sc_fail(err, SC_ERR_FAILED,
                  "this needs the library libcurl, which is not installed "
                  "(on Debian: apt install libcurl4)");
    return NULL;
}
