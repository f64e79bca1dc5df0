/*
 * server/acceptor.h - accepts connections, or closes them before a byte of them is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

struct sc_acceptor;

/* Called in a thread of the acceptor's own with each connection of this user, of root, or of
 * another machine where the socket can be reached from one; takes the descriptor over. */
typedef void sc_acceptor_take(void *context, int connection, const struct sockaddr *from,
                              socklen_t length);

/* Takes the listening socket over. NULL on failure, the socket closed. */
struct sc_acceptor *sc_acceptor_open(int listening, sc_acceptor_take *accepted, void *context,
                                     struct sc_err *err);

/* No connection is accepted any more when this returns. */
void sc_acceptor_close(struct sc_acceptor *acceptor);
