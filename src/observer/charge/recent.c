/* observer/charge/recent.c - see recent.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/charge/recent.h"

void sc_recent_note(struct sc_recent *recent, const struct sc_recent_part *part)
{
    recent->parts[recent->next] = *part;
    recent->next = (recent->next + 1) % SC_RECENT_SAMPLES;
    if (recent->count < SC_RECENT_SAMPLES)
        recent->count++;
}

static bool is_same_part(const struct sc_recent_part *one, const struct sc_recent_part *other)
{
    return one->node == other->node && one->time == other->time && one->chore == other->chore;
}

static const struct sc_recent_part *part_at(const struct sc_recent *recent, uint32_t i)
{
    return &recent
                ->parts[(recent->next + SC_RECENT_SAMPLES - recent->count + i) % SC_RECENT_SAMPLES];
}

uint32_t sc_recent_share(const struct sc_recent *recent, uint64_t ns,
                         struct sc_recent_part ret_parts[SC_RECENT_SAMPLES])
{
    double all_ns = 0;
    for (uint32_t i = 0; i < recent->count; i++)
        all_ns += (double)part_at(recent, i)->ns;
    uint32_t count = 0;
    double so_far_ns = 0;
    uint64_t shared_ns = 0;
    for (uint32_t i = 0; i < recent->count && all_ns > 0; i++) {
        const struct sc_recent_part *part = part_at(recent, i);
        so_far_ns += (double)part->ns;
        uint64_t end_ns =
            i + 1 < recent->count ? (uint64_t)((double)ns * (so_far_ns / all_ns)) : ns;
        end_ns = end_ns < ns ? end_ns : ns; /* doubles round */
        uint64_t part_ns = end_ns > shared_ns ? end_ns - shared_ns : 0;
        shared_ns += part_ns;
        struct sc_recent_part *last = count > 0 ? &ret_parts[count - 1] : NULL;
        if (last != NULL && is_same_part(last, part)) {
            last->ns += part_ns;
        } else if (part_ns > 0) {
            ret_parts[count] = *part;
            ret_parts[count++].ns = part_ns;
        }
    }
    return count;
}
