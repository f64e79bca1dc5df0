/*
 * server/door.c - takes connections in, or turns them away.
 *
 * A connection of another user is closed at once: it does not count towards the server's limit of
 * connections, and nothing that it sends is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server/door.h"

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

struct sc_door {
    int listening;
    int end; /* an eventfd, readable when the door closes */
    sc_door_enter *enter;
    void *context;
    pthread_t thread;
    bool has_reported_foreign;
    bool has_reported_unknown;
};

/* Reports each kind of refusal once, so that many attempts do not fill the terminal. */
static void report_refusal(struct sc_door *door, enum sc_peer peer, unsigned uid)
{
    if (peer == SC_PEER_FOREIGN && !door->has_reported_foreign) {
        door->has_reported_foreign = true;
        (void)fprintf(stderr,
                      "scalene: view: a connection of user %u was refused: the page is for user %u "
                      "alone\n",
                      uid, (unsigned)getuid());
    } else if (peer == SC_PEER_UNKNOWN && !door->has_reported_unknown) {
        door->has_reported_unknown = true;
        (void)fprintf(stderr, "scalene: view: a connection was refused, as it cannot be seen whose "
                              "it is; 'scalene view --html' writes a file instead\n");
    }
}

static void take(struct sc_door *door)
{
    struct sockaddr_storage from = {0};
    socklen_t length = sizeof(from);
    unsigned uid = 0;
    int fd =
        accept4(door->listening, (struct sockaddr *)&from, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            (void)poll(NULL, 0, PAUSE_MS);
        return;
    }
    enum sc_peer peer = sc_peer_of(fd, &uid);
    if (peer == SC_PEER_OWN || peer == SC_PEER_ELSEWHERE) {
        door->enter(door->context, fd, (const struct sockaddr *)&from, length);
        return;
    }
    (void)close(fd);
    report_refusal(door, peer, uid);
}

static void *stand(void *context)
{
    struct sc_door *door = context;
    struct pollfd ready[2] = {{.fd = door->end, .events = POLLIN},
                              {.fd = door->listening, .events = POLLIN}};
    while (ready[0].revents == 0) {
        if (poll(ready, 2, -1) > 0 && ready[0].revents == 0 && ready[1].revents != 0)
            take(door);
    }
    return NULL;
}

static void free_door(struct sc_door *door)
{
    (void)close(door->listening);
    if (door->end >= 0)
        (void)close(door->end);
    free(door);
}

struct sc_door *sc_door_open(int listening, sc_door_enter *enter, void *context, struct sc_err *err)
{
    struct sc_door *door = sc_alloc(1, sizeof(*door));
    door->listening = listening;
    door->enter = enter;
    door->context = context;
    door->end = eventfd(0, EFD_CLOEXEC);
    int code = door->end < 0 ? errno : pthread_create(&door->thread, NULL, stand, door);
    if (code == 0)
        return door;
    free_door(door);
    (void)sc_fail_errno(err, code, "the page's server could not be started");
    return NULL;
}

void sc_door_close(struct sc_door *door)
{
    (void)eventfd_write(door->end, 1);
    (void)pthread_join(door->thread, NULL);
    free_door(door);
}
