/* report/hots.c - see hots.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/hots.h"

#include <stdlib.h>
#include <string.h>

#include "report/name.h"

void sc_hot_text(const char *text, struct sc_hot *hot)
{
    text = text != NULL ? text : "";
    while (*text == ' ' || *text == '\t' || *text == '\f')
        text++;
    hot->text = text;
    hot->text_length = strcspn(text, "\r\n");
}

static bool ranks_below(const struct sc_hot *hot, const struct sc_hot *other)
{
    return hot->percent - hot->watched < other->percent - other->watched;
}

void sc_hots_offer(struct sc_hots *hots, const struct sc_hot *hot)
{
    if (hots->count == SC_REPORT_HOT) {
        if (!ranks_below(&hots->items[hots->count - 1], hot))
            return;
        hots->count--;
    }
    sc_vec_push(hots, *hot);
    for (size_t i = hots->count - 1; i > 0 && ranks_below(&hots->items[i - 1], hot); i--) {
        struct sc_hot moved = hots->items[i - 1];
        hots->items[i - 1] = hots->items[i];
        hots->items[i] = moved;
    }
}

void sc_hots_name(const struct sc_profile *profile, struct sc_hots *hots)
{
    SC_EACH(struct sc_hot, hot, hots) {
        SC_AUTO_FREE char *name = sc_shown_name(profile, hot->file->name);
        hot->place = sc_format("%s:%u", name, hot->lineno);
    }
}

void sc_hots_done(struct sc_hots *hots)
{
    for (size_t i = 0; i < hots->count; i++)
        free(hots->items[i].place);
    sc_vec_done(hots);
}
