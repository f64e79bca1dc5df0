/* server/listen.c - see listen.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128, PORTS_TRIED = 1000 };

static void set_port(struct sockaddr_storage *address, unsigned port)
{
    if (address->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)address)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)(void *)address)->sin_port = htons((uint16_t)port);
}

static bool is_any(const struct sockaddr_storage *address)
{
    struct sockaddr_in6 wide;
    struct sockaddr_in narrow;
    memcpy(&wide, address, sizeof(wide));
    memcpy(&narrow, address, sizeof(narrow));
    if (address->ss_family == AF_INET6)
        return IN6_IS_ADDR_UNSPECIFIED(&wide.sin6_addr);
    return narrow.sin_addr.s_addr == INADDR_ANY;
}

static bool look_up(const char *host, struct sockaddr_storage *ret_address, socklen_t *ret_length,
                    struct sc_err *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    int status = getaddrinfo(host, "0", &hints, &found);
    if (status != 0)
        return sc_fail(err, SC_ERR_FAILED, "'%.100s' is no address of this machine: %s", host,
                       gai_strerror(status));
    memcpy(ret_address, found->ai_addr, found->ai_addrlen);
    *ret_length = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

/* A listening socket, or -1 with errno set. */
static int try_port(struct sockaddr_storage *address, socklen_t length, unsigned port)
{
    const int on = 1;
    set_port(address, port);
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    /* allows a port whose last server has just ended, but not one with a server */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (const struct sockaddr *)(const void *)address, length) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

bool sc_listen(const char *host, unsigned port, struct sc_listening *ret_listening,
               struct sc_err *err)
{
    struct sockaddr_storage address = {0};
    socklen_t length = 0;
    host = host != NULL ? host : "127.0.0.1";
    if (!look_up(host, &address, &length, err))
        return false;
    unsigned first = port != 0 ? port : SC_LISTEN_PORT;
    unsigned tries = port != 0 ? 1 : PORTS_TRIED;
    for (unsigned i = 0; i < tries; i++) {
        int fd = try_port(&address, length, first + i);
        if (fd >= 0) {
            *ret_listening = (struct sc_listening){fd, first + i, is_any(&address)};
            return true;
        }
        if (errno != EADDRINUSE && errno != EACCES)
            return sc_fail_errno(err, errno, "cannot listen on %.100s", host);
    }
    if (port != 0)
        return sc_fail_errno(err, errno, "port %u cannot be used", port);
    return sc_fail(err, SC_ERR_FAILED, "no port from %u on is free", SC_LISTEN_PORT);
}
