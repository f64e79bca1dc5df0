/*
 * agent/meet.h - connects to the observer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* A connected socket, or -1 when no process of our user listens there: once the observer has gone,
 * any user may take the name. *ret_pid is the listening process. May wait briefly when very many
 * processes are connecting at once, but never for an answer. */
int sc_meet(const struct sockaddr_un *address, socklen_t length, pid_t *ret_pid);
