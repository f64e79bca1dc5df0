/*
 * observer/rendezvous.c - where agents find the observer.
 *
 * The name is random and only processes of our own user are listened to, so nobody else can slip
 * data into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/rendezvous.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 1024

bool sc_rendezvous_open(struct sc_rendezvous *ret_rendezvous, struct sc_err *err)
{
    unsigned long long random[2] = {0};
    struct sc_rendezvous rendezvous = {.fd = -1};
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return sc_fail_errno(err, errno, "cannot draw a random name");
    int length = snprintf(rendezvous.name, sizeof(rendezvous.name), "scalene%016llx%016llx",
                          random[0], random[1]);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path + 1, rendezvous.name, (size_t)length);
    rendezvous.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (rendezvous.fd < 0 || bind(rendezvous.fd, (const struct sockaddr *)&address, size) != 0 ||
        listen(rendezvous.fd, BACKLOG) != 0) {
        int code = errno;
        sc_rendezvous_close(&rendezvous);
        return sc_fail_errno(err, code, "cannot listen for the program");
    }
    *ret_rendezvous = rendezvous;
    return true;
}

void sc_rendezvous_close(struct sc_rendezvous *rendezvous)
{
    if (rendezvous->fd >= 0)
        (void)close(rendezvous->fd);
    rendezvous->fd = -1;
}

/* The first descriptor that came with the message. Others, for which there is room in what pads the
 * first, are closed. */
static int descriptor_of(struct msghdr *message)
{
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    int fd = -1;
    if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len < CMSG_LEN(sizeof(int)))
        return -1;
    memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    for (size_t at = sizeof(int); CMSG_LEN(at + sizeof(int)) <= header->cmsg_len;
         at += sizeof(int)) {
        int other = -1;
        memcpy(&other, CMSG_DATA(header) + at, sizeof(other));
        (void)close(other);
    }
    return fd;
}

/* Of so many bytes; ends the name. */
static bool is_message(struct sc_met *met, ssize_t length)
{
    const struct sc_hello *hello = &met->hello;
    if (length < (ssize_t)sizeof(*hello) || hello->magic != SC_CHANNEL_MAGIC ||
        hello->version != SC_CHANNEL_VERSION)
        return false;
    size_t name_length = (size_t)length - sizeof(*hello);
    met->name[name_length] = '\0';
    return name_length > 0 ? hello->status != SC_HELLO_OK : hello->status != SC_HELLO_EXECUTES;
}

bool sc_rendezvous_accept(const struct sc_rendezvous *rendezvous, struct sc_met *ret_met,
                          int *ret_fd)
{
    int peer = accept4(rendezvous->fd, NULL, NULL, SOCK_CLOEXEC);
    if (peer < 0)
        return false;
    struct ucred credentials = {0};
    socklen_t credentials_length = sizeof(credentials);
    (void)getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &credentials_length);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec parts[] = {{.iov_base = &ret_met->hello, .iov_len = sizeof(ret_met->hello)},
                            {.iov_base = ret_met->name, .iov_len = SC_TEXT_MAX}};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = 2,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    /* the agent connects and sends in one go, so the message is there or will never come; a short
     * wait covers a sender that was preempted in between */
    struct timeval patience = {.tv_usec = 200000};
    (void)setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ssize_t got = recvmsg(peer, &message, MSG_CMSG_CLOEXEC);
    *ret_fd = got >= 0 ? descriptor_of(&message) : -1;
    (void)close(peer);
    bool is_hello = is_message(ret_met, got) && credentials.uid == geteuid();
    if (is_hello)
        ret_met->hello.pid = (uint32_t)credentials.pid; /* as seen from here, not as it believes */
    if (!is_hello && *ret_fd >= 0) {
        (void)close(*ret_fd);
        *ret_fd = -1;
    }
    return is_hello;
}
