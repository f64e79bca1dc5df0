/*
 * assist/curl.h - libcurl, loaded when the first question is asked, or linked into the program.
 *
 * The same program also profiles: linked with libcurl and the twenty libraries that it needs, it
 * would start later and be larger, for something that most runs never do. The wheel for all
 * systems (tools/wheel) cannot count on it there: its libcurl has one TLS library and no more, and
 * is part of the program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <curl/curl.h>

#include "base/err.h"

#define SC_CURL_FUNCTIONS(X)                                                                       \
    X(global_init)                                                                                 \
    X(easy_init)                                                                                   \
    X(easy_cleanup)                                                                                \
    X(easy_setopt)                                                                                 \
    X(easy_getinfo)                                                                                \
    X(easy_strerror)                                                                               \
    X(multi_init)                                                                                  \
    X(multi_cleanup)                                                                               \
    X(multi_add_handle)                                                                            \
    X(multi_remove_handle)                                                                         \
    X(multi_perform)                                                                               \
    X(multi_poll)                                                                                  \
    X(multi_info_read)                                                                             \
    X(slist_append)                                                                                \
    X(slist_free_all)

#define X_MEMBER(name) __typeof__(curl_##name) *name;
struct sc_curl {
    SC_CURL_FUNCTIONS(X_MEMBER)
};
#undef X_MEMBER

/* The same for every caller, in any thread; NULL, with err set, where libcurl is not installed. */
const struct sc_curl *sc_curl_load(struct sc_err *err);

/* Sets what all requests have in common: no redirect is followed, certificates are those of
 * $SSL_CERT_FILE or the system's, proxies those of the environment, but none for this machine.
 * headers stay the caller's. */
void sc_curl_prepare(CURL *handle, const char *url, struct curl_slist *headers);
