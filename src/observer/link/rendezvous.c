/*
 * observer/link/rendezvous.c - where agents find the observer.
 *
 * The name is random, but every user can read it in /proc/net/unix. A profile is protected because
 * the kernel reports which user each client runs as, and a client of another user is disconnected
 * at once; only its number is passed on. (A socket in a directory of our own would keep other users
 * out altogether, but also every child that changes its root or its mounts.) Others can fill the
 * queue for a moment; each turn takes as many clients as the queue holds, and agents wait for their
 * place in it (agent/meet.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/link/rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "observer/system/descriptors.h"

#define BACKLOG 1024

/* The queue holds at most so many, so a turn accepts all clients that were in it when the turn
 * began. */
#define TURN (BACKLOG + 1)

#define DESCRIPTORS_TAKEN 8 /* of one message; the kernel closes those of a longer one */

static void refill_spares(struct sc_rendezvous *rendezvous)
{
    for (int i = 0; i < SC_RENDEZVOUS_SPARES; i++) {
        if (rendezvous->spares[i] < 0)
            rendezvous->spares[i] = fcntl(rendezvous->listener, F_DUPFD_CLOEXEC, 0);
    }
}

static void give_up_spares(struct sc_rendezvous *rendezvous)
{
    for (int i = 0; i < SC_RENDEZVOUS_SPARES; i++)
        sc_close(&rendezvous->spares[i]);
}

/* Makes sure that a descriptor is free. */
static void make_room(struct sc_rendezvous *rendezvous)
{
    int probe = sc_descriptors_count(fcntl(rendezvous->listener, F_DUPFD_CLOEXEC, 0));
    if (probe < 0)
        give_up_spares(rendezvous);
    sc_close(&probe);
}

static void watch(const struct sc_rendezvous *rendezvous, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    /* if this fails, the client is read together with the next one that is watched */
    (void)epoll_ctl(rendezvous->fd, EPOLL_CTL_ADD, fd, &event);
}

bool sc_rendezvous_open(struct sc_rendezvous *ret_rendezvous, struct sc_err *err)
{
    unsigned long long random[2] = {0};
    struct sc_rendezvous rendezvous = {.fd = -1, .listener = -1, .spares = {-1, -1, -1}};
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return sc_fail_errno(err, errno, "cannot draw a random name");
    int length = snprintf(rendezvous.name, sizeof(rendezvous.name), "scalene%016llx%016llx",
                          random[0], random[1]);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path + 1, rendezvous.name, (size_t)length);
    rendezvous.fd = epoll_create1(EPOLL_CLOEXEC);
    rendezvous.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (rendezvous.fd < 0 || rendezvous.listener < 0 ||
        bind(rendezvous.listener, (const struct sockaddr *)&address, size) != 0 ||
        listen(rendezvous.listener, BACKLOG) != 0) {
        int code = errno;
        sc_rendezvous_close(&rendezvous);
        return sc_fail_errno(err, code, "cannot listen for the program");
    }
    watch(&rendezvous, rendezvous.listener);
    refill_spares(&rendezvous);
    *ret_rendezvous = rendezvous;
    return true;
}

void sc_rendezvous_close(struct sc_rendezvous *rendezvous)
{
    if (rendezvous->fd < 0)
        return;
    for (unsigned i = 0; i < rendezvous->silent_count; i++)
        sc_close(&rendezvous->silent[i].fd);
    rendezvous->silent_count = 0;
    give_up_spares(rendezvous);
    sc_close(&rendezvous->listener);
    sc_close(&rendezvous->fd);
}

/* Closes all descriptors that came with the message but a single one, which is returned. A message
 * with more than one is not from an agent: then -1, as with none, and *ret_is_ours is false. */
static int take_descriptors(struct msghdr *message, bool *ret_is_ours)
{
    int kept = -1;
    unsigned count = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        size_t in_it = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < in_it; i++, count++) {
            sc_close(&kept);
            memcpy(&kept, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
        }
    }
    *ret_is_ours = count <= 1 && (message->msg_flags & (MSG_CTRUNC | MSG_TRUNC)) == 0;
    if (!*ret_is_ours)
        sc_close(&kept);
    return kept;
}

/* Whether it is a message of an agent, of length bytes; terminates the name. */
static bool is_message(struct sc_met *met, ssize_t length)
{
    const struct sc_hello *hello = &met->hello;
    if (length < (ssize_t)sizeof(*hello) || hello->magic != SC_CHANNEL_MAGIC ||
        hello->version != SC_CHANNEL_VERSION)
        return false;
    size_t name_length = (size_t)length - sizeof(*hello);
    met->name[name_length] = '\0';
    return name_length > 0 || hello->status != SC_HELLO_EXECUTES;
}

enum said { SAID_NOTHING, SAID_NONSENSE, SAID_HELLO };

static enum said receive_hello(const struct sc_rendezvous_peer *peer, struct sc_met *ret_met,
                               int *ret_fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(DESCRIPTORS_TAKEN * sizeof(int))];
    } control = {0};
    struct iovec parts[] = {{.iov_base = &ret_met->hello, .iov_len = sizeof(ret_met->hello)},
                            {.iov_base = ret_met->name, .iov_len = SC_TEXT_MAX}};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = 2,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t got = recvmsg(peer->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? SAID_NOTHING : SAID_NONSENSE;
    bool is_ours = false;
    *ret_fd = take_descriptors(&message, &is_ours);
    if (is_ours && is_message(ret_met, got)) {
        ret_met->hello.pid = (uint32_t)peer->pid;
        return SAID_HELLO;
    }
    sc_close(ret_fd);
    return SAID_NONSENSE;
}

static void drop_silent_peer(struct sc_rendezvous *rendezvous, unsigned at)
{
    struct sc_rendezvous_peer *silent = rendezvous->silent;
    sc_close(&silent[at].fd);
    rendezvous->silent_count--;
    memmove(silent + at, silent + at + 1, (rendezvous->silent_count - at) * sizeof(*silent));
    rendezvous->heard -= at < rendezvous->heard;
}

/* Whether one of the connected clients has a message. A client that has sent something, or has
 * gone, is disconnected. */
static bool hear_next(struct sc_rendezvous *rendezvous, struct sc_met *ret_met, int *ret_fd)
{
    while (rendezvous->heard < rendezvous->silent_count) {
        make_room(rendezvous);
        enum said said = receive_hello(&rendezvous->silent[rendezvous->heard], ret_met, ret_fd);
        if (said == SAID_NOTHING)
            rendezvous->heard++;
        else
            drop_silent_peer(rendezvous, rendezvous->heard);
        if (said == SAID_HELLO)
            return true;
    }
    return false;
}

/* The client's process; 0 when it cannot be seen in our PID namespace. */
static pid_t process_of(int peer, bool *ret_is_ours)
{
    struct ucred credentials = {0};
    socklen_t length = sizeof(credentials);
    if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0 ||
        credentials.pid <= 0)
        return 0;
    *ret_is_ours = credentials.uid == geteuid();
    return credentials.pid;
}

enum came { CAME_NOBODY, CAME_OURS, CAME_OTHERS };

/* Accepts the next client; nobody comes when the turn has ended, too. */
static enum came accept_peer(struct sc_rendezvous *rendezvous, pid_t *ret_others_pid)
{
    while (rendezvous->accepted < TURN) {
        make_room(rendezvous);
        struct sc_rendezvous_peer peer = {
            .fd = accept4(rendezvous->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        if (peer.fd < 0 && errno != ECONNABORTED && errno != EINTR)
            return CAME_NOBODY;
        rendezvous->accepted++;
        bool is_ours = false;
        peer.pid = peer.fd >= 0 ? process_of(peer.fd, &is_ours) : 0;
        if (!is_ours) {
            sc_close(&peer.fd);
            *ret_others_pid = peer.pid;
            if (peer.pid != 0)
                return CAME_OTHERS;
            continue;
        }
        if (rendezvous->silent_count == SC_RENDEZVOUS_SILENT)
            drop_silent_peer(rendezvous, 0);
        watch(rendezvous, peer.fd);
        rendezvous->silent[rendezvous->silent_count++] = peer;
        return CAME_OURS;
    }
    return CAME_NOBODY;
}

bool sc_rendezvous_accept(struct sc_rendezvous *rendezvous, struct sc_met *ret_met, int *ret_fd)
{
    pid_t others_pid = 0;
    enum came came;
    do {
        if (hear_next(rendezvous, ret_met, ret_fd))
            return true;
        came = accept_peer(rendezvous, &others_pid);
        if (came == CAME_OTHERS) {
            ret_met->hello =
                (struct sc_hello){.status = SC_HELLO_OTHER_USER, .pid = (uint32_t)others_pid};
            ret_met->name[0] = '\0';
            *ret_fd = -1;
            return true;
        }
    } while (came == CAME_OURS);
    rendezvous->heard = rendezvous->accepted = 0;
    refill_spares(rendezvous);
    return false;
}
