/*
 * agent/wrapper.h - reports what is executed by a process that is not a CPython.
 *
 * Such a process, for example a shell between two Pythons, has no segment and no ring. It may
 * execute programs that cannot be profiled, so it sends their names in separate messages.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Marks this process as a wrapper (not a CPython), with the observer at that address. */
void sc_wrapper_begin(const struct sockaddr_un *observer, socklen_t length);

/* Sends the name of the file that is about to be executed, in children of fork and vfork too. Does
 * nothing if the process is not a wrapper. Never waits for an answer; errno is unchanged. */
void sc_wrapper_report(const char *name, size_t length);
