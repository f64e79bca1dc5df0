/* costs/live_samples.c - see live_samples.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/live_samples.h"

void sc_live_samples_done(struct sc_live_samples *live)
{
    sc_vec_done(&live->items);
    live->unused = 0;
}

static uint32_t new_item(struct sc_live_samples *live)
{
    if (live->items.count == 0)
        sc_vec_push(&live->items, (struct sc_live_sample){.earlier = 0});
    uint32_t index = live->unused;
    if (index != 0) {
        live->unused = live->items.items[index].later;
        return index;
    }
    sc_vec_push(&live->items, (struct sc_live_sample){.earlier = 0});
    return (uint32_t)(live->items.count - 1);
}

/* The live sample of that number among the two before an item; NULL when it is not alive. */
static const struct sc_live_sample *find_before(const struct sc_live_samples *live,
                                                const struct sc_live_sample *item, uint64_t number)
{
    uint32_t index = item->earlier;
    for (int i = 0; i < 2 && index != 0; i++) {
        const struct sc_live_sample *before = &live->items.items[index];
        if (before->number == number)
            return before;
        index = before->earlier;
    }
    return NULL;
}

static void relate(struct sc_live_samples *live, struct sc_live_sample *item)
{
    bool is_alive[2];
    bool is_line[2];
    bool is_function[2];
    for (int i = 0; i < 2; i++) {
        const struct sc_live_sample *before = find_before(live, item, item->before[i]);
        is_alive[i] = before != NULL;
        is_line[i] = before != NULL && before->bytes.line == item->bytes.line;
        is_function[i] = before != NULL && before->bytes.function == item->bytes.function;
    }
    sc_succession_count_same(item->bytes.points, is_alive, item->same_all);
    sc_succession_count_same(item->bytes.points, is_line, item->bytes.same_lines);
    sc_succession_count_same(item->bytes.points, is_function, item->bytes.same_functions);
}

uint32_t sc_live_samples_add(struct sc_live_samples *live, struct sc_succession *succession,
                             uint64_t number, double square)
{
    uint32_t index = new_item(live);
    struct sc_live_sample *item = &live->items.items[index];
    *item = (struct sc_live_sample){
        .bytes = *sc_succession_at(succession, number),
        .succession = succession,
        .number = number,
        .earlier = succession->last_live,
    };
    item->bytes.square = square;
    sc_succession_before(succession, number, item->before);
    if (item->earlier != 0)
        live->items.items[item->earlier].later = index;
    succession->last_live = index;
    relate(live, item);
    return index;
}

void sc_live_samples_after(const struct sc_live_samples *live, uint32_t index,
                           uint32_t ret_after[2])
{
    const struct sc_live_sample *item = &live->items.items[index];
    uint32_t after = index;
    for (int i = 0; i < 2; i++) {
        after = after != 0 ? live->items.items[after].later : 0;
        bool is_near = after != 0 && live->items.items[after].number <= item->number + 2;
        ret_after[i] = is_near ? after : 0;
    }
}

void sc_live_samples_remove(struct sc_live_samples *live, uint32_t index)
{
    struct sc_live_sample *item = &live->items.items[index];
    uint32_t after[2];
    sc_live_samples_after(live, index, after);
    if (item->earlier != 0)
        live->items.items[item->earlier].later = item->later;
    if (item->later != 0)
        live->items.items[item->later].earlier = item->earlier;
    else
        item->succession->last_live = item->earlier;
    for (int i = 0; i < 2; i++) {
        if (after[i] != 0)
            relate(live, &live->items.items[after[i]]);
    }
    *item = (struct sc_live_sample){.later = live->unused};
    live->unused = index;
}
