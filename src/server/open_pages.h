/*
 * server/open_pages.h - how long the server is needed: until every page that was open has closed.
 *
 * A page says "alive" when it opens and every few seconds, under a name of its own, and "bye" when
 * it closes. The server does not end before a first page has opened. Between a "bye" and the end
 * there is time for a page that is only being reloaded, and more when its file has been asked for:
 * over a slow line its script comes much later, and only that says "alive". A page that falls
 * silent without a "bye" is given up after a day: one that sleeps with its laptop, while the
 * server's machine does not, or that its browser has frozen, comes back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    SC_OPEN_PAGES_PAGES = 64, /* of more, the one silent for longest is forgotten */
    SC_OPEN_PAGES_NAME = 40,
};

#define SC_OPEN_PAGES_RELOAD_NS UINT64_C(3000000000)
#define SC_OPEN_PAGES_NAMELESS_RELOAD_NS                                                           \
    UINT64_C(15000000000) /* pages without a name share one entry: another may still be open */
#define SC_OPEN_PAGES_LOADING_NS UINT64_C(60000000000)
#define SC_OPEN_PAGES_SILENCE_NS UINT64_C(86400000000000)

/* Initialise with {0}. Times are those of one monotonic clock. */
struct sc_open_pages {
    struct {
        char name[SC_OPEN_PAGES_NAME];
        uint64_t seen_ns;
        bool is_open;
    } pages[SC_OPEN_PAGES_PAGES];
    bool was_open;
    uint64_t end_ns;     /* when no page is open: when to end */
    uint64_t loading_ns; /* not before this time, as a page is being loaded; 0: none is */
};

void sc_open_pages_seen(struct sc_open_pages *open, const char *name, uint64_t now_ns);
void sc_open_pages_loads(struct sc_open_pages *open, uint64_t now_ns);
void sc_open_pages_closed(struct sc_open_pages *open, const char *name, uint64_t now_ns);

/* Whether a page is open. */
bool sc_open_pages_are_open(const struct sc_open_pages *open);

/* Whether the last page has closed, and has stayed so. */
bool sc_open_pages_are_gone(struct sc_open_pages *open, uint64_t now_ns);
