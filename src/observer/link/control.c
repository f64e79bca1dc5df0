/* observer/link/control.c - see control.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/link/control.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"

#define BACKLOG    16
#define WORD_BYTES 40 /* of an order, with its moment */

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

void sc_control_init(struct sc_control *ret_control)
{
    ret_control->moment_ns = 0;
    ret_control->sender = 0;
    ret_control->next = 0;
    for (int i = 0; i < SC_CONTROL_FDS; i++)
        ret_control->fds[i] = -1;
}

bool sc_control_open(struct sc_control *ret_control, pid_t program)
{
    sc_control_init(ret_control);
    ret_control->fds[0] = listen_as(program);
    ret_control->fds[1] = listen_as(getpid());
    return ret_control->fds[0] >= 0;
}

void sc_control_close(struct sc_control *control)
{
    for (int i = 0; i < SC_CONTROL_FDS; i++)
        sc_close(&control->fds[i]);
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

/* Not one of a container beside ours either: with one network, both have the same names, and each
 * has numbers of its own for processes. What is not below ours has the number 0 here. */
static bool is_ours(int peer, pid_t *ret_pid)
{
    struct ucred credentials = {0};
    socklen_t length = sizeof(credentials);
    bool is_known = getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0;
    *ret_pid = credentials.pid;
    return is_known && credentials.uid == geteuid() && credentials.pid != 0;
}

/* Accepts all waiting connections. */
static void accept_client(struct sc_control *control, int socket)
{
    int peer = 0;
    while (control->fds[socket] >= 0 &&
           (peer = accept4(control->fds[socket], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        int *silent = control->fds + SC_CONTROL_SOCKETS;
        unsigned place = 0;
        pid_t pid;
        if (!is_ours(peer, &pid)) {
            (void)close(peer);
            continue;
        }
        while (place < SC_CONTROL_SILENT && silent[place] >= 0)
            place++;
        if (place == SC_CONTROL_SILENT) { /* the client that is disconnected may try again */
            place = control->next++ % SC_CONTROL_SILENT;
            sc_close(&silent[place]);
        }
        silent[place] = peer;
    }
    control->is_short |= peer < 0 && (errno == EMFILE || errno == ENFILE);
}

/* Returns the number after the word and cuts it off; 0 without one. */
static uint64_t cut_moment(char *word)
{
    char *blank = strchr(word, ' ');
    if (blank == NULL)
        return 0;
    *blank = '\0';
    return strtoull(blank + 1, NULL, 10);
}

/* The order that a client has sent, if any. */
static enum sc_order receive_order(struct sc_control *control, int *fd, int *ret_peer)
{
    char word[WORD_BYTES] = "";
    ssize_t length = *fd >= 0 ? recv(*fd, word, sizeof(word) - 1, 0) : -1;
    if (length > 0) {
        *ret_peer = *fd;
        *fd = -1;
        uint64_t moment_ns = cut_moment(word);
        if (!is_ours(*ret_peer, &control->sender) || moment_ns == 0)
            control->sender = 0;
        enum sc_order order = order_of(word);
        control->moment_ns = order == SC_ORDER_ON ? 0 : moment_ns; /* "on" takes effect now */
        return order;
    }
    if (length == 0 || (errno != EAGAIN && errno != EINTR))
        sc_close(fd);
    return SC_ORDER_NONE;
}

enum sc_order sc_control_take(struct sc_control *control, int *ret_peer)
{
    enum sc_order order = SC_ORDER_NONE;
    control->is_short = false;
    for (int i = 0; i < SC_CONTROL_SOCKETS; i++)
        accept_client(control, i);
    for (int i = SC_CONTROL_SOCKETS; i < SC_CONTROL_FDS && order == SC_ORDER_NONE; i++)
        order = receive_order(control, &control->fds[i], ret_peer);
    return order;
}

uint64_t sc_control_moment(const struct sc_control *control, uint64_t earliest_ns, uint64_t now_ns)
{
    if (control->moment_ns == 0 || control->moment_ns > now_ns)
        return now_ns;
    return control->moment_ns < earliest_ns ? earliest_ns : control->moment_ns;
}

void sc_control_answer(int peer, bool is_on)
{
    const char *word = is_on ? "on" : "off";
    (void)send(peer, word, strlen(word), MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)close(peer);
}
