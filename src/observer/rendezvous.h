/*
 * observer/rendezvous.h - where agents find the observer: a Unix socket without a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "channel/format.h"

struct sc_rendezvous {
    int fd;
    char name[40]; /* abstract, random */
};

bool sc_rendezvous_open(struct sc_rendezvous *ret_rendezvous, struct sc_err *err);
void sc_rendezvous_close(struct sc_rendezvous *rendezvous);

/* A message; name is the text of SC_HELLO_EXECUTES, the executable of what refuses, else empty. */
struct sc_met {
    struct sc_hello hello;
    char name[SC_TEXT_MAX + 1];
};

/* Takes one waiting message; false when there is none (or it was not one). *ret_fd is the segment's
 * descriptor, owned by the caller, or -1. */
bool sc_rendezvous_accept(const struct sc_rendezvous *rendezvous, struct sc_met *ret_met,
                          int *ret_fd);
