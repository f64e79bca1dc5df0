/*
 * observer/link/rendezvous.h - where agents find the observer: a Unix socket without a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "channel/format.h"

enum {
    SC_RENDEZVOUS_SILENT = 128, /* clients that have not sent yet; a new one replaces the oldest */
    SC_RENDEZVOUS_SPARES = 3,
};

struct sc_rendezvous_peer {
    int fd;
    pid_t pid; /* in our PID namespace, not in its own */
};

struct sc_rendezvous {
    int fd; /* to be polled for input: a client has connected or sent something */
    int listener;
    char name[40];                                          /* abstract, random */
    struct sc_rendezvous_peer silent[SC_RENDEZVOUS_SILENT]; /* of our own user, the oldest first */
    unsigned silent_count;
    unsigned heard;                   /* the first so many have sent nothing in this turn */
    unsigned accepted;                /* in this turn */
    int spares[SC_RENDEZVOUS_SPARES]; /* kept in reserve: closed when no descriptors are left */
};

bool sc_rendezvous_open(struct sc_rendezvous *ret_rendezvous, struct sc_err *err);
void sc_rendezvous_close(struct sc_rendezvous *rendezvous);

/* A message; name is the text of SC_HELLO_EXECUTES; in others, the sender's executable or empty. */
struct sc_met {
    struct sc_hello hello;
    char name[SC_TEXT_MAX + 1];
};

/* Takes one waiting message, or the number of a client of another user (SC_HELLO_OTHER_USER), with
 * which the connection is closed; false when none is left of those that were there at the first
 * call. Never waits. *ret_fd is the descriptor that came with it, owned by the caller, or -1; its
 * kind has not been checked. */
bool sc_rendezvous_accept(struct sc_rendezvous *rendezvous, struct sc_met *ret_met, int *ret_fd);
