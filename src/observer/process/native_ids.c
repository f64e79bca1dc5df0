/* observer/process/native_ids.c - see native_ids.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/native_ids.h"

#include "base/mem.h"

/* The structure of the C library that pthread_self() points at. */
#define PTHREAD_BYTES 1024U

struct matching {
    const struct sc_target *target;
    struct sc_thread_entry *entries;
    size_t entry_count;
    const pid_t *tids;
    size_t tid_count;
};

/* The place of a number in the list, or its length. */
static size_t place_of(const struct matching *matching, int32_t number)
{
    size_t i = 0;
    while (i < matching->tid_count && matching->tids[i] != number)
        i++;
    return i;
}

static bool is_known(const struct matching *matching, const struct sc_thread_entry *entry)
{
    return place_of(matching, (int32_t)entry->native_id) < matching->tid_count;
}

/* How many threads whose number is not known have one of their own in the word at offset; with
 * is_taking, they get it. A number that is known to be another thread's is none. */
static size_t match(const struct matching *matching, uint32_t offset, bool is_taking)
{
    SC_AUTO_FREE bool *is_matched = sc_alloc(matching->tid_count + 1, sizeof(*is_matched));
    size_t found = 0;
    for (size_t i = 0; i < matching->entry_count; i++)
        is_matched[place_of(matching, (int32_t)matching->entries[i].native_id)] = true;
    for (size_t i = 0; i < matching->entry_count; i++) {
        struct sc_thread_entry *entry = &matching->entries[i];
        int32_t number = 0;
        if (is_known(matching, entry) ||
            !sc_target_read(matching->target, entry->ident + offset, &number, sizeof(number)))
            continue;
        size_t place = place_of(matching, number);
        if (place == matching->tid_count || is_matched[place])
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
    const struct matching matching = {target, entries, entry_count, tids, tid_count};
    uint32_t best = *offset;
    size_t most = 0;
    size_t known = 0;
    while (known < entry_count && is_known(&matching, &entries[known]))
        known++;
    if (known == entry_count)
        return;
    for (uint32_t at = 0; *offset == 0 && at < PTHREAD_BYTES; at += sizeof(int32_t)) {
        size_t found = match(&matching, at, false);
        best = found >= most ? at : best;
        most = found >= most ? found : most;
    }
    if (*offset == 0 && most == 0)
        return;
    /* one match may be chance, as of the number 1, a container's first process */
    if (most > 1)
        *offset = best;
    (void)match(&matching, best, true);
}
