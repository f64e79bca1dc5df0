/*
 * server/life.c - how long the server is needed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server/life.h"

#include <stdio.h>
#include <string.h>

void sc_life_alive(struct sc_life *life, const char *name, uint64_t now_ns)
{
    size_t place = 0;
    for (size_t i = 0; i < SC_LIFE_PAGES; i++) {
        if (life->pages[i].is_open && strncmp(life->pages[i].name, name, SC_LIFE_NAME - 1) == 0) {
            place = i;
            break;
        }
        bool is_better =
            !life->pages[i].is_open
                ? life->pages[place].is_open
                : life->pages[place].is_open && life->pages[i].seen_ns < life->pages[place].seen_ns;
        if (is_better)
            place = i;
    }
    (void)snprintf(life->pages[place].name, SC_LIFE_NAME, "%s", name);
    life->pages[place].seen_ns = now_ns;
    life->pages[place].is_open = true;
    life->was_open = true;
}

static bool any_open(const struct sc_life *life)
{
    for (size_t i = 0; i < SC_LIFE_PAGES; i++) {
        if (life->pages[i].is_open)
            return true;
    }
    return false;
}

void sc_life_bye(struct sc_life *life, const char *name, uint64_t now_ns)
{
    for (size_t i = 0; i < SC_LIFE_PAGES; i++) {
        if (life->pages[i].is_open && strncmp(life->pages[i].name, name, SC_LIFE_NAME - 1) == 0)
            life->pages[i].is_open = false;
    }
    if (life->was_open && !any_open(life))
        life->end_ns = now_ns + (name[0] != '\0' ? SC_LIFE_RELOAD_NS : SC_LIFE_NAMELESS_RELOAD_NS);
}

bool sc_life_is_over(struct sc_life *life, uint64_t now_ns)
{
    if (!life->was_open)
        return false;
    bool was_open = any_open(life);
    for (size_t i = 0; i < SC_LIFE_PAGES; i++) {
        if (life->pages[i].is_open && life->pages[i].seen_ns + SC_LIFE_SILENCE_NS <= now_ns)
            life->pages[i].is_open = false;
    }
    if (any_open(life))
        return false;
    if (was_open)
        life->end_ns = now_ns;
    return now_ns >= life->end_ns;
}
