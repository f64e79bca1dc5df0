/*
 * server/life.h - how long the server is needed: until every page that was open has closed.
 *
 * A page says "alive" when it opens and every few seconds, under a name of its own, and "bye" when
 * it closes. The server does not end before a first page has opened. Between a "bye" and the end
 * there is time for a page that is only being reloaded. A page that falls silent without a "bye"
 * (its browser crashed) is given up after minutes: browsers let pages in the background send
 * requests only rarely.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    SC_LIFE_PAGES = 64, /* of more, the one silent for longest is forgotten */
    SC_LIFE_NAME = 40,
};

#define SC_LIFE_RELOAD_NS UINT64_C(3000000000)
#define SC_LIFE_NAMELESS_RELOAD_NS                                                                 \
    UINT64_C(15000000000) /* pages without a name share one entry: another may still be open */
#define SC_LIFE_SILENCE_NS UINT64_C(300000000000)

/* Initialise with {0}. Times are those of one monotonic clock. */
struct sc_life {
    struct {
        char name[SC_LIFE_NAME];
        uint64_t seen_ns;
        bool is_open;
    } pages[SC_LIFE_PAGES];
    bool was_open;
    uint64_t end_ns; /* when no page is open: when to end */
};

void sc_life_alive(struct sc_life *life, const char *name, uint64_t now_ns);
void sc_life_bye(struct sc_life *life, const char *name, uint64_t now_ns);

/* Whether the last page has closed, and has stayed so. */
bool sc_life_is_over(struct sc_life *life, uint64_t now_ns);
