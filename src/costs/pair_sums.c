/*
 * costs/pair_sums.c - times by pairs of numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/pair_sums.h"

#include "base/sort.h"

#define PAIRS_MAX ((size_t)1 << 20)

void sc_pair_sums_add(struct sc_pair_sums *sums, uint32_t first, uint32_t second, uint64_t ns)
{
    uint64_t key = sc_mix(first, second);
    uint32_t at;
    for (; sums->items.items != NULL && (at = sc_map_get(&sums->index, key)) != SC_NONE;
         key = sc_mix(key, 1)) {
        struct sc_pair_sum *sum = &sums->items.items[at];
        if (sum->first == first && sum->second == second) {
            sum->ns += ns;
            return;
        }
    }
    if (sums->items.count >= PAIRS_MAX)
        return;
    sc_map_put(&sums->index, key, (uint32_t)sums->items.count);
    sc_vec_push(&sums->items, (struct sc_pair_sum){first, second, ns});
}

static int by_ns(const void *left, const void *right)
{
    const struct sc_pair_sum *a = left;
    const struct sc_pair_sum *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->second > b->second) - (a->second < b->second);
}

void sc_pair_sums_sort(struct sc_pair_sums *sums)
{
    sc_map_done(&sums->index);
    sc_vec_sort(&sums->items, by_ns);
}

void sc_pair_sums_done(struct sc_pair_sums *sums)
{
    sc_vec_done(&sums->items);
    sc_map_done(&sums->index);
    *sums = (struct sc_pair_sums){0};
}
