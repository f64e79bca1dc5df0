/*
 * server/http.h - HTTP around a site, by libmicrohttpd.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "server/site.h"

struct sc_http;

/* Serves the site on the listening socket, which it takes over, in threads of its own; they block
 * all signals that the caller blocks. NULL on failure. The site must outlive it. */
struct sc_http *sc_http_start(struct sc_site *site, int listening, struct sc_err *err);

/* Ends all connections, streams included, and waits for them. */
void sc_http_stop(struct sc_http *http);
