/*
 * agent/meet.h - a connection to the observer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* A connected socket, or -1 when nobody of our user listens there: the name is free for anybody
 * once the observer has gone. *ret_pid is who listens. Waits for a moment where very many others
 * have connected just now, and never for an answer. */
int sc_meet(const struct sockaddr_un *address, socklen_t length, pid_t *ret_pid);
