/*
 * observer/rendezvous.h - where agents find the observer: a Unix socket without a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "channel/format.h"

enum {
    SC_RENDEZVOUS_SILENT = 128, /* who have connected and not spoken yet; of more the first go */
    SC_RENDEZVOUS_SPARES = 3,
};

struct sc_rendezvous_peer {
    int fd;
    pid_t pid; /* as seen from here, not as it believes */
};

struct sc_rendezvous {
    int fd; /* to be polled for input: somebody has come, or has something to say */
    int listener;
    char name[40];                                          /* abstract, random */
    struct sc_rendezvous_peer silent[SC_RENDEZVOUS_SILENT]; /* of our own user, the first first */
    unsigned silent_count;
    unsigned heard;                   /* so many of them have nothing to say this turn */
    unsigned accepted;                /* in this turn */
    int spares[SC_RENDEZVOUS_SPARES]; /* given up where there are no descriptors left */
};

bool sc_rendezvous_open(struct sc_rendezvous *ret_rendezvous, struct sc_err *err);
void sc_rendezvous_close(struct sc_rendezvous *rendezvous);

/* A message; name is the text of SC_HELLO_EXECUTES, of others their executable or empty. */
struct sc_met {
    struct sc_hello hello;
    char name[SC_TEXT_MAX + 1];
};

/* Takes one waiting message; false when there is none any more of those that were there when the
 * first was asked for. Never waits. *ret_fd is the descriptor that came with it, owned by the
 * caller, or -1; of what kind it is has not been asked. */
bool sc_rendezvous_accept(struct sc_rendezvous *rendezvous, struct sc_met *ret_met, int *ret_fd);
