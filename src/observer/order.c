/*
 * observer/order.c - an order to whoever profiles a process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/order.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "observer/procfs.h"

#define ANCESTORS_MAX 64
#define PATIENCE_S    5 /* an observer looks at its sockets many times in a second */

/* A connection to the observer that listens for this very process, or -1. */
static int connect_to(pid_t pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "scalene-control-%d",
                          (int)pid);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, size) != 0) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

bool sc_order_send(const char *word, pid_t pid, bool *ret_is_on, struct sc_err *err)
{
    int found = -1;
    pid_t above = pid;
    for (int i = 0; i < ANCESTORS_MAX && above > 1 && found < 0; i++) {
        found = connect_to(above);
        above = sc_process_parent(above);
    }
    SC_AUTO_CLOSE int fd = found;
    if (fd < 0)
        return sc_fail(err, SC_ERR_FAILED, "no program is profiled as process %d", (int)pid);
    struct timeval patience = {.tv_sec = PATIENCE_S};
    char answer[16] = "";
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (send(fd, word, strlen(word), MSG_NOSIGNAL) < 0 ||
        recv(fd, answer, sizeof(answer) - 1, 0) <= 0)
        return sc_fail(err, SC_ERR_FAILED, "the profiler of process %d does not answer", (int)pid);
    *ret_is_on = strcmp(answer, "on") == 0;
    return true;
}
