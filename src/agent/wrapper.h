/*
 * agent/wrapper.h - in a process that is not a CPython.
 *
 * A shell, say, between two Pythons: it has no segment and no ring. What it executes may be
 * something that cannot be followed, so it tells the names in messages of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

/* From now on this process is one, with the observer at that address. */
void sc_wrapper_begin(const struct sockaddr_un *observer, socklen_t length);

/* Tells the name of what is about to be executed, in children of fork and vfork too. Does nothing
 * in other processes. Never waits; errno stays. */
void sc_wrapper_tell(const char *name, size_t length);
