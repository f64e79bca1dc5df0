/*
 * server/door.h - accepts connections, or closes them before a byte of them is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

struct sc_door;

/* Called in a thread of the door's own with each connection of this user, of root, or of another
 * machine where the socket can be reached from one; takes the descriptor over. */
typedef void sc_door_enter(void *context, int connection, const struct sockaddr *from,
                           socklen_t length);

/* Takes the listening socket over. NULL on failure, the socket closed. */
struct sc_door *sc_door_open(int listening, sc_door_enter *enter, void *context,
                             struct sc_err *err);

/* No connection is accepted any more when this returns. */
void sc_door_close(struct sc_door *door);
