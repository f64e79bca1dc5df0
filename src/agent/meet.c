/* agent/meet.c - see meet.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/meet.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMEOUT_US 100000 /* an observer empties a full queue in a few milliseconds */
#define ATTEMPTS   3      /* of a connect that signals interrupt */

int sc_meet(const struct sockaddr_un *address, socklen_t length, pid_t *ret_pid)
{
    struct timeval timeout = {.tv_usec = TIMEOUT_US};
    struct ucred peer = {0};
    socklen_t peer_length = sizeof(peer);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    bool met = setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) == 0;
    int code = met ? EINTR : 0;
    for (int i = 0; i < ATTEMPTS && code == EINTR; i++)
        code = connect(fd, (const struct sockaddr *)address, length) == 0 ? 0 : errno;
    if (met && code == 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_length) == 0 &&
        peer.uid == geteuid()) {
        *ret_pid = peer.pid;
        return fd;
    }
    (void)close(fd);
    return -1;
}
