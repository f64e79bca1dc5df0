/* costs/pair_sums.c - see pair_sums.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/pair_sums.h"

#include "base/sort.h"

#define PAIRS_MAX ((size_t)1 << 20)

void sc_pair_sums_add(struct sc_pair_sums *sums, uint32_t first, uint32_t second, uint64_t ns)
{
    uint64_t key = sc_mix(first, second);
    struct sc_pair_sum *items = sums->items.items;
    uint32_t at;
    sc_map_find(&at, &sums->index, &key, items[at].first == first && items[at].second == second);
    if (at != SC_NONE) {
        items[at].ns += ns;
    } else if (sums->items.count < PAIRS_MAX) {
        sc_map_put(&sums->index, key, (uint32_t)sums->items.count);
        sc_vec_push(&sums->items, (struct sc_pair_sum){first, second, ns});
    }
}

SC_ORDERED_BY(by_ns, struct sc_pair_sum, SC_FALLING(ns), SC_RISING(first), SC_RISING(second));

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
