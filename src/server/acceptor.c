/*
 * server/acceptor.c - takes connections in, or turns them away.
 *
 * A connection of another user is closed at once: it does not count towards the server's limit of
 * connections, and nothing that it sends is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server/acceptor.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "server/peer.h"

/* How long to wait when there are no descriptors left. */
#define PAUSE_MS 100

struct sc_acceptor {
    int listening;
    int end; /* an eventfd, readable when the acceptor closes */
    sc_acceptor_take *accepted;
    void *context;
    pthread_t thread;
    bool has_reported_foreign;
    bool has_reported_unknown;
};

/* Reports each kind of refusal once, so that many attempts do not fill the terminal. */
static void report_refusal(struct sc_acceptor *acceptor, enum sc_peer peer, unsigned uid)
{
    if (peer == SC_PEER_FOREIGN && !acceptor->has_reported_foreign) {
        acceptor->has_reported_foreign = true;
        (void)fprintf(stderr,
                      "scalene: view: a connection of user %u was refused: the page is for user %u "
                      "alone\n",
                      uid, (unsigned)getuid());
    } else if (peer == SC_PEER_UNKNOWN && !acceptor->has_reported_unknown) {
        acceptor->has_reported_unknown = true;
        (void)fprintf(stderr, "scalene: view: a connection was refused, as it cannot be seen whose "
                              "it is; 'scalene view --html' writes a file instead\n");
    }
}

static void take(struct sc_acceptor *acceptor)
{
    struct sockaddr_storage from = {0};
    socklen_t length = sizeof(from);
    unsigned uid = 0;
    int fd = accept4(acceptor->listening, (struct sockaddr *)&from, &length,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            (void)poll(NULL, 0, PAUSE_MS);
        return;
    }
    enum sc_peer peer = sc_peer_of(fd, &uid);
    if (peer == SC_PEER_OWN || peer == SC_PEER_ELSEWHERE) {
        acceptor->accepted(acceptor->context, fd, (const struct sockaddr *)&from, length);
        return;
    }
    (void)close(fd);
    report_refusal(acceptor, peer, uid);
}

static void *run_acceptor(void *context)
{
    struct sc_acceptor *acceptor = context;
    struct pollfd ready[2] = {{.fd = acceptor->end, .events = POLLIN},
                              {.fd = acceptor->listening, .events = POLLIN}};
    while (ready[0].revents == 0) {
        if (poll(ready, 2, -1) > 0 && ready[0].revents == 0 && ready[1].revents != 0)
            take(acceptor);
    }
    return NULL;
}

static void free_acceptor(struct sc_acceptor *acceptor)
{
    (void)close(acceptor->listening);
    sc_close(&acceptor->end);
    free(acceptor);
}

struct sc_acceptor *sc_acceptor_open(int listening, sc_acceptor_take *accepted, void *context,
                                     struct sc_err *err)
{
    struct sc_acceptor *acceptor = sc_alloc(1, sizeof(*acceptor));
    acceptor->listening = listening;
    acceptor->accepted = accepted;
    acceptor->context = context;
    acceptor->end = eventfd(0, EFD_CLOEXEC);
    int code =
        acceptor->end < 0 ? errno : pthread_create(&acceptor->thread, NULL, run_acceptor, acceptor);
    if (code == 0)
        return acceptor;
    free_acceptor(acceptor);
    (void)sc_fail_errno(err, code, "the page's server could not be started");
    return NULL;
}

void sc_acceptor_close(struct sc_acceptor *acceptor)
{
    (void)eventfd_write(acceptor->end, 1);
    (void)pthread_join(acceptor->thread, NULL);
    free_acceptor(acceptor);
}
