/* assist/sigv4.c - see sigv4.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/sigv4.h"

#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assist/provider.h"
#include "assist/settings.h"
#include "assist/wipe.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/vec.h"

#define DIGEST SHA256_DIGEST_SIZE
#define ENDING "aws4_request"

static void hash(const char *bytes, size_t length, uint8_t *ret_digest)
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, length, (const uint8_t *)bytes);
    sha256_digest(&context, DIGEST, ret_digest);
}

static void sign_text(const uint8_t *key, size_t key_length, const char *text, uint8_t *ret_digest)
{
    struct hmac_sha256_ctx context;
    hmac_sha256_set_key(&context, key_length, key);
    hmac_sha256_update(&context, strlen(text), (const uint8_t *)text);
    hmac_sha256_digest(&context, DIGEST, ret_digest);
    explicit_bzero(&context, sizeof(context));
}

static void add_hex(struct sc_str *str, const uint8_t *digest)
{
    for (size_t i = 0; i < DIGEST; i++)
        sc_str_add_format(str, "%02x", (unsigned)digest[i]);
}

/* Parameters sorted by name and value; one without a value has an empty one. */
static void add_query(struct sc_str *text, const char *query)
{
    SC_AUTO_FREE SC_VEC(char *) parameters = {0};
    while (*query != '\0') {
        size_t length = strcspn(query, "&");
        bool has_value = memchr(query, '=', length) != NULL;
        if (length > 0)
            sc_vec_push(&parameters, sc_format("%.*s%s", (int)length, query, has_value ? "" : "="));
        query += length;
        query += *query == '&' ? 1 : 0;
    }
    sc_vec_sort(&parameters, sc_by_text);
    for (size_t i = 0; i < parameters.count; i++) {
        if (i > 0)
            sc_str_add_char(text, '&');
        sc_str_add(text, parameters.items[i]);
        free(parameters.items[i]);
    }
}

/* Without blanks at both ends, and with one where there were several. */
static void add_trimmed(struct sc_str *text, const char *value)
{
    value += strspn(value, " \t");
    while (*value != '\0') {
        size_t length = strcspn(value, " \t");
        size_t blanks = strspn(value + length, " \t");
        sc_str_add_bytes(text, value, length);
        value += length + blanks;
        if (*value != '\0')
            sc_str_add_char(text, ' ');
    }
}

static void add_header(struct sc_str *text, struct sc_str *names, const char *name,
                       const char *value)
{
    sc_str_add_format(text, "%s:", name);
    add_trimmed(text, value);
    sc_str_add_char(text, '\n');
    if (names->length > 0)
        sc_str_add_char(names, ';');
    sc_str_add(names, name);
}

static void add_headers(const struct sc_sigv4 *request, struct sc_str *text, struct sc_str *names)
{
    bool has_host = false;
    bool has_date = false;
    for (size_t i = 0;; i += 2) {
        const char *name = request->headers != NULL ? request->headers[i] : NULL;
        if (!has_host && (name == NULL || strcmp(name, "host") > 0)) {
            add_header(text, names, "host", request->host);
            has_host = true;
        }
        if (!has_date && (name == NULL || strcmp(name, "x-amz-date") > 0)) {
            add_header(text, names, "x-amz-date", request->time);
            has_date = true;
        }
        if (name == NULL)
            return;
        add_header(text, names, name, request->headers[i + 1]);
    }
}

void sc_sigv4_canonical(const struct sc_sigv4 *request, struct sc_str *ret_text,
                        struct sc_str *ret_signed_headers)
{
    sc_str_add_format(ret_text, "%s\n", request->method);
    for (const char *path = request->path; *path != '\0';) {
        size_t length = strcspn(path, "/");
        SC_AUTO_FREE char *segment = sc_strndup(path, length);
        sc_str_add_encoded(ret_text, segment, "");
        path += length;
        if (*path == '/') {
            sc_str_add_char(ret_text, '/');
            path++;
        }
    }
    sc_str_add_char(ret_text, '\n');
    add_query(ret_text, request->query);
    sc_str_add_char(ret_text, '\n');
    add_headers(request, ret_text, ret_signed_headers);
    sc_str_add_format(ret_text, "\n%s\n", sc_str_text(ret_signed_headers));
    uint8_t digest[DIGEST];
    hash(request->body, request->body_length, digest);
    add_hex(ret_text, digest);
}

/* The key of one day, region and service. */
static void make_key(const struct sc_sigv4 *request, const char *day, uint8_t *ret_key)
{
    char *first = sc_format("AWS4%s", request->secret_key);
    sign_text((const uint8_t *)first, strlen(first), day, ret_key);
    sc_ai_wipe(first);
    sign_text(ret_key, DIGEST, request->region, ret_key);
    sign_text(ret_key, DIGEST, request->service, ret_key);
    sign_text(ret_key, DIGEST, ENDING, ret_key);
}

void sc_sigv4_sign(const struct sc_sigv4 *request, struct sc_str *ret_authorization)
{
    SC_AUTO_FREE char *day = sc_strndup(request->time, strcspn(request->time, "T"));
    SC_AUTO_FREE char *scope =
        sc_format("%s/%s/%s/" ENDING, day, request->region, request->service);
    SC_AUTO(sc_ai_wipe_str) struct sc_str canonical = {0};
    SC_AUTO(sc_str_done) struct sc_str names = {0};
    SC_AUTO(sc_str_done) struct sc_str to_sign = {0};
    uint8_t digest[DIGEST];
    uint8_t key[DIGEST];
    sc_sigv4_canonical(request, &canonical, &names);
    sc_str_add_format(&to_sign, "AWS4-HMAC-SHA256\n%s\n%s\n", request->time, scope);
    hash(canonical.data, canonical.length, digest);
    add_hex(&to_sign, digest);
    make_key(request, day, key);
    sign_text(key, DIGEST, to_sign.data, digest);
    explicit_bzero(key, sizeof(key));
    sc_str_add_format(ret_authorization,
                      "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=",
                      request->access_key, scope, names.data);
    add_hex(ret_authorization, digest);
}
