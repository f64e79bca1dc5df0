/*
 * assist/sigv4.h - Amazon's request signing, version 4.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, for
 * every service but S3: the path, as it is sent, is encoded once more before it is signed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "base/str.h"

struct sc_sigv4 {
    const char *method;
    const char *path;           /* as it is sent, "/" at least */
    const char *query;          /* as it is sent, without "?"; may be "" */
    const char *host;           /* with its port, if the address names one */
    const char *const *headers; /* "name", "value" and so on, ended by NULL; names in lower case and
                                   in order, none of them before "host" but those that sort there */
    const char *body;
    size_t body_length;
    const char *time; /* "20150830T123600Z" */
    const char *region;
    const char *service;
    const char *access_key;
    const char *secret_key;
};

/* Adds the value of the header "authorization". */
void sc_sigv4_sign(const struct sc_sigv4 *request, struct sc_str *ret_authorization);

/* The request in the form that is hashed and signed; for tests of it. */
void sc_sigv4_canonical(const struct sc_sigv4 *request, struct sc_str *ret_text,
                        struct sc_str *ret_signed_headers);
