/* observer/link/control_client.c - see control_client.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/link/control_client.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "observer/system/procfs.h"

#define ANCESTORS_MAX 64
#define TIMEOUT_S     300 /* once it is switched off, a large profile is written */
#define ATTEMPTS      100
#define NO_USER       ((uid_t)-1)

/* Any user can take the name before an observer does: only an answer of our own user is
 * accepted. */
static bool is_ours(int fd, uid_t *ret_other)
{
    struct ucred peer = {0};
    socklen_t length = sizeof(peer);
    bool is_known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0;
    if (is_known && peer.uid != geteuid())
        *ret_other = peer.uid;
    return is_known && peer.uid == geteuid();
}

/* A connection to the observer that listens for this very process, or -1; *ret_other is set when a
 * process of another user listens there. */
static int connect_to(pid_t pid, uid_t *ret_other)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "scalene-control-%d",
                          (int)pid);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 &&
        (connect(fd, (const struct sockaddr *)&address, size) != 0 || !is_ours(fd, ret_other))) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

/* A connection to the observer that listens for the process or one above it, or -1. */
static int find_observer(pid_t pid, uid_t *ret_other)
{
    int found = -1;
    for (int i = 0; i < ANCESTORS_MAX && pid > 0 && found < 0; i++) {
        found = connect_to(pid, ret_other);
        pid = sc_process_parent(pid);
    }
    return found;
}

/* Closes fd. True when there is an answer; *ret_try_again when the connection has been cut: an
 * observer does that when many clients connect at once, or when it ends. */
static bool ask(int fd, const char *word, char answer[16], bool *ret_try_again)
{
    struct timeval timeout = {.tv_sec = TIMEOUT_S};
    ssize_t length = -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    if (send(fd, word, strlen(word), MSG_NOSIGNAL) >= 0)
        length = recv(fd, answer, 15, 0);
    *ret_try_again = length == 0 || (length < 0 && (errno == EPIPE || errno == ECONNRESET));
    (void)close(fd);
    answer[length > 0 ? length : 0] = '\0';
    return length > 0;
}

bool sc_control_send(const char *word, pid_t pid, bool *ret_is_on, struct sc_err *err)
{
    char answer[16];
    bool try_again = true;
    uid_t other = NO_USER;
    for (int i = 0; i < ATTEMPTS && try_again; i++) {
        int fd = find_observer(pid, &other);
        if (fd < 0 && other != NO_USER)
            return sc_fail(err, SC_ERR_FAILED,
                           "another user (%u) listens where the profiler of process %d would",
                           (unsigned)other, (int)pid);
        if (fd < 0)
            return sc_fail(err, SC_ERR_FAILED, "no program is profiled as process %d", (int)pid);
        if (ask(fd, word, answer, &try_again)) {
            *ret_is_on = strcmp(answer, "on") == 0;
            return true;
        }
    }
    return sc_fail(err, SC_ERR_FAILED, "the profiler of process %d does not answer", (int)pid);
}
