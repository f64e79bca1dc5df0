/*
 * server/listen.h - the socket a server listens on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

#define SC_LISTEN_PORT 11235U

struct sc_listening {
    int fd;
    unsigned port;
    bool is_any_host; /* every address of the machine */
};

/* Listens on the host (a name or a number; NULL: 127.0.0.1) and the port; 0 is SC_LISTEN_PORT or
 * the next one that is free. */
bool sc_listen(const char *host, unsigned port, struct sc_listening *ret_listening,
               struct sc_err *err);
