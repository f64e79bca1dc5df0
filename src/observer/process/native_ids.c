/* observer/process/native_ids.c - see native_ids.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/native_ids.h"

#include "base/map.h"
#include "base/mem.h"

/* The structure of the C library that pthread_self() points at. */
#define PTHREAD_BYTES 1024U

#define TRIED_MAX 64U /* so many threads say where in it the number is */

struct matching {
    const struct sc_target *target;
    struct sc_thread_entry *entries;
    size_t entry_count;
    struct sc_map places; /* number -> place in the list of tids */
    size_t tid_count;
};

/* The place of a number in the list, or SC_NONE. */
static uint32_t place_of(const struct matching *matching, uint64_t number)
{
    return sc_map_get(&matching->places, (uint32_t)number);
}

/* Of the first tried threads whose number is not known, how many have one of their own in the word
 * at offset; with is_taking, they get it. A number that is known to be another thread's is none. */
static size_t match(const struct matching *matching, uint32_t offset, size_t tried, bool is_taking)
{
    SC_AUTO_FREE bool *is_matched = sc_alloc(matching->tid_count + 1, sizeof(*is_matched));
    size_t found = 0;
    for (size_t i = 0; i < matching->entry_count; i++) {
        uint32_t place = place_of(matching, matching->entries[i].native_id);
        is_matched[place != SC_NONE ? place : matching->tid_count] = true;
    }
    for (size_t i = 0; i < matching->entry_count && tried > 0; i++) {
        struct sc_thread_entry *entry = &matching->entries[i];
        int32_t number = 0;
        if (place_of(matching, entry->native_id) != SC_NONE)
            continue;
        tried--;
        if (!sc_target_read(matching->target, entry->ident + offset, &number, sizeof(number)))
            continue;
        uint32_t place = place_of(matching, (uint64_t)number);
        if (place == SC_NONE || is_matched[place])
            continue;
        is_matched[place] = true;
        found++;
        if (is_taking)
            entry->native_id = (uint64_t)number;
    }
    return found;
}

void sc_native_ids_find(const struct sc_target *target, struct sc_thread_entry *entries,
                        size_t entry_count, const pid_t *tids, size_t tid_count, uint32_t *offset)
{
    struct matching matching = {target, entries, entry_count, {0}, tid_count};
    uint32_t best = *offset;
    size_t most = 0;
    size_t known = 0;
    for (size_t i = tid_count; i-- > 0;)
        sc_map_put(&matching.places, (uint32_t)tids[i], (uint32_t)i);
    while (known < entry_count && place_of(&matching, entries[known].native_id) != SC_NONE)
        known++;
    bool is_sought = *offset == 0 && known < entry_count;
    for (uint32_t at = 0; is_sought && at < PTHREAD_BYTES; at += sizeof(int32_t)) {
        size_t found = match(&matching, at, TRIED_MAX, false);
        best = found >= most ? at : best;
        most = found >= most ? found : most;
    }
    /* one match may be chance, as of the number 1, a container's first process */
    if (most > 1)
        *offset = best;
    if (known < entry_count && (most > 0 || *offset != 0))
        (void)match(&matching, best, entry_count, true);
    sc_map_done(&matching.places);
}
