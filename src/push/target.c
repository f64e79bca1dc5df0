/* push/target.c - see target.h. SPDX-License-Identifier: Apache-2.0 */
#include "push/target.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assist/settings.h"
#include "assist/wipe.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"

#define TOKEN_BYTES_MAX 8192U
#define OTLP_PATH       "/v1development/profiles"
#define INGEST_PATH     "/ingest"

static bool fail_address(const char *address, struct sc_err *err)
{
    SC_AUTO_FREE char *shown = sc_ai_address_shown(address);
    return sc_fail(err, SC_ERR_USAGE,
                   "--push: '%.100s' is no address; write pyroscope+http://HOST:PORT, "
                   "otlp+http://HOST:PORT, or either with https",
                   shown);
}

/* The address without what stands before "http", or NULL. */
static const char *read_kind(const char *address, enum sc_push_kind *ret_kind)
{
    static const char *const prefixes[] = {
        [SC_PUSH_PYROSCOPE] = "pyroscope+", [SC_PUSH_OTLP] = "otlp+"};
    const char *plain = address;
    *ret_kind = sc_ends_with(address, OTLP_PATH) ? SC_PUSH_OTLP : SC_PUSH_PYROSCOPE;
    for (int i = 0; i < 2; i++) {
        if (sc_starts_with(address, prefixes[i])) {
            *ret_kind = (enum sc_push_kind)i;
            plain = address + strlen(prefixes[i]);
        }
    }
    if (!sc_starts_with(plain, "http://") && !sc_starts_with(plain, "https://"))
        return NULL;
    bool is_named =
        plain != address || sc_ends_with(plain, INGEST_PATH) || sc_ends_with(plain, OTLP_PATH);
    return is_named ? plain : NULL;
}

static bool read_address(struct sc_push_target *target, const char *address, struct sc_err *err)
{
    const char *plain = read_kind(address, &target->kind);
    if (plain == NULL)
        return fail_address(address, err);
    const char *host = strstr(plain, "://") + 3;
    size_t length = strcspn(host, "/?#");
    if (memchr(host, '@', length) != NULL)
        return sc_fail(err, SC_ERR_USAGE,
                       "--push: the address has a name or a password in it, which other programs "
                       "can see; put a token into a file, and name that with --push-token-file");
    for (const char *at = plain; *at != '\0'; at++) {
        if (*at <= ' ' || *at > '~' || strchr("?#\\", *at) != NULL)
            return fail_address(address, err);
    }
    size_t port = length;
    while (port > 0 && isdigit((unsigned char)host[port - 1]))
        port--;
    bool has_port = port > 0 && host[port - 1] == ':';
    if (length == 0 || host[0] == ':' || (has_port && strtoul(host + port, NULL, 10) > UINT16_MAX))
        return fail_address(address, err);
    const char *path = target->kind == SC_PUSH_OTLP ? OTLP_PATH : INGEST_PATH;
    size_t end = strlen(plain);
    while (end > 0 && plain[end - 1] == '/')
        end--;
    target->url = sc_strndup(plain, end);
    target->shown = sc_strndup(plain, (size_t)(host - plain) + length);
    if (!sc_ends_with(target->url, path)) {
        char *whole = sc_format("%s%s", target->url, path);
        free(target->url);
        target->url = whole;
    }
    return true;
}

/* What root has put there for a group of ours, as for a container, the group may read. */
static bool is_guarded(const struct stat *status)
{
    bool is_own = status->st_uid == geteuid();
    return (is_own || status->st_uid == 0) && (status->st_mode & (is_own ? 077U : 027U)) == 0;
}

static bool is_token(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (*at <= ' ' || *at > '~')
            return false;
    }
    return text[0] != '\0';
}

static bool read_token(struct sc_push_target *target, const char *path, struct sc_err *err)
{
    struct stat status;
    char bytes[TOKEN_BYTES_MAX + 1] = "";
    SC_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0)
        return sc_fail_errno(err, errno, "--push-token-file: cannot read '%s'", path);
    if (!S_ISREG(status.st_mode))
        return sc_fail(err, SC_ERR_FAILED, "--push-token-file: '%s' is no file", path);
    if (!is_guarded(&status))
        return sc_fail(err, SC_ERR_FAILED,
                       "--push-token-file: others can read '%s'; `chmod 600` keeps it from them",
                       path);
    ssize_t length = read(fd, bytes, sizeof(bytes));
    while (length > 0 && strchr(" \t\r\n", bytes[length - 1]) != NULL)
        length--;
    bool is_good = length > 0 && (size_t)length <= TOKEN_BYTES_MAX;
    bytes[is_good ? length : 0] = '\0';
    is_good = is_good && (size_t)length == strlen(bytes) && is_token(bytes);
    if (is_good)
        target->token = sc_strdup(bytes);
    explicit_bzero(bytes, sizeof(bytes));
    return is_good || sc_fail(err, SC_ERR_FAILED, "--push-token-file: '%s' holds no token", path);
}

bool sc_push_target_init(struct sc_push_target *ret_target, const char *address,
                         const char *token_file, struct sc_err *err)
{
    struct sc_push_target target = {0};
    bool is_good = read_address(&target, address, err) &&
                   (token_file == NULL || read_token(&target, token_file, err));
    if (is_good && target.token != NULL && sc_starts_with(target.url, "http://") &&
        !sc_ai_is_loopback(target.url))
        is_good = sc_fail(err, SC_ERR_USAGE,
                          "--push: the token would be sent in the clear to '%.100s'; the address "
                          "must have https",
                          target.shown);
    if (is_good)
        *ret_target = target;
    else
        sc_push_target_done(&target);
    return is_good;
}

void sc_push_target_done(struct sc_push_target *target)
{
    free(target->url);
    free(target->shown);
    sc_ai_wipe(target->token);
    *target = (struct sc_push_target){0};
}
