/*
 * observer/control.c - profiling is switched on and off while the program runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/control.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG     16
#define PATIENCE_US 100000 /* for a client that has connected and says nothing */

static int listen_as(pid_t pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "scalene-control-%d",
                          (int)pid);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 &&
        (bind(fd, (const struct sockaddr *)&address, size) != 0 || listen(fd, BACKLOG) != 0)) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

void sc_control_open(struct sc_control *ret_control, pid_t program)
{
    ret_control->fds[0] = listen_as(program);
    ret_control->fds[1] = listen_as(getpid());
}

void sc_control_close(struct sc_control *control)
{
    for (int i = 0; i < SC_CONTROL_SOCKETS; i++) {
        if (control->fds[i] >= 0)
            (void)close(control->fds[i]);
        control->fds[i] = -1;
    }
}

static enum sc_order order_of(const char *word)
{
    static const struct {
        const char *word;
        enum sc_order order;
    } orders[] = {
        {"on", SC_ORDER_ON},         {"off", SC_ORDER_OFF},       {"write", SC_ORDER_WRITE},
        {"finish", SC_ORDER_FINISH}, {"cancel", SC_ORDER_CANCEL},
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        if (strcmp(word, orders[i].word) == 0)
            return orders[i].order;
    }
    return SC_ORDER_STATE;
}

enum sc_order sc_control_take(const struct sc_control *control, int socket, int *ret_peer)
{
    int peer = accept4(control->fds[socket], NULL, NULL, SOCK_CLOEXEC);
    if (peer < 0)
        return SC_ORDER_NONE;
    struct ucred credentials = {0};
    socklen_t length = sizeof(credentials);
    struct timeval patience = {.tv_usec = PATIENCE_US};
    char word[16] = "";
    (void)setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    (void)getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &length);
    if (credentials.uid != geteuid() || recv(peer, word, sizeof(word) - 1, 0) <= 0) {
        (void)close(peer);
        return SC_ORDER_NONE;
    }
    *ret_peer = peer;
    return order_of(word);
}

void sc_control_answer(int peer, bool is_on)
{
    const char *word = is_on ? "on" : "off";
    (void)send(peer, word, strlen(word), MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)close(peer);
}
