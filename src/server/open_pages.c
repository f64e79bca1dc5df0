/* server/open_pages.c - see open_pages.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/open_pages.h"

#include <stdio.h>
#include <string.h>

void sc_open_pages_seen(struct sc_open_pages *open, const char *name, uint64_t now_ns)
{
    size_t place = 0;
    for (size_t i = 0; i < SC_OPEN_PAGES_PAGES; i++) {
        if (open->pages[i].is_open &&
            strncmp(open->pages[i].name, name, SC_OPEN_PAGES_NAME - 1) == 0) {
            place = i;
            break;
        }
        bool is_better =
            !open->pages[i].is_open
                ? open->pages[place].is_open
                : open->pages[place].is_open && open->pages[i].seen_ns < open->pages[place].seen_ns;
        if (is_better)
            place = i;
    }
    (void)snprintf(open->pages[place].name, SC_OPEN_PAGES_NAME, "%s", name);
    open->pages[place].seen_ns = now_ns;
    open->pages[place].is_open = true;
    open->was_open = true;
    open->loading_ns = 0;
}

void sc_open_pages_loads(struct sc_open_pages *open, uint64_t now_ns)
{
    open->loading_ns = now_ns + SC_OPEN_PAGES_LOADING_NS;
}

bool sc_open_pages_are_open(const struct sc_open_pages *open)
{
    for (size_t i = 0; i < SC_OPEN_PAGES_PAGES; i++) {
        if (open->pages[i].is_open)
            return true;
    }
    return false;
}

void sc_open_pages_closed(struct sc_open_pages *open, const char *name, uint64_t now_ns)
{
    for (size_t i = 0; i < SC_OPEN_PAGES_PAGES; i++) {
        if (open->pages[i].is_open &&
            strncmp(open->pages[i].name, name, SC_OPEN_PAGES_NAME - 1) == 0)
            open->pages[i].is_open = false;
    }
    if (open->was_open && !sc_open_pages_are_open(open))
        open->end_ns =
            now_ns + (name[0] != '\0' ? SC_OPEN_PAGES_RELOAD_NS : SC_OPEN_PAGES_NAMELESS_RELOAD_NS);
}

bool sc_open_pages_are_gone(struct sc_open_pages *open, uint64_t now_ns)
{
    if (!open->was_open)
        return false;
    bool was_open = sc_open_pages_are_open(open);
    for (size_t i = 0; i < SC_OPEN_PAGES_PAGES; i++) {
        if (open->pages[i].is_open && open->pages[i].seen_ns + SC_OPEN_PAGES_SILENCE_NS <= now_ns)
            open->pages[i].is_open = false;
    }
    if (sc_open_pages_are_open(open))
        return false;
    if (was_open)
        open->end_ns = now_ns;
    return now_ns >= open->end_ns && now_ns >= open->loading_ns;
}
