/* costs/live_moments.c - see live_moments.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/live_moments.h"

/* Between the first moments: enough for a program that lives for a third of a second. */
#define FIRST_STEP_NS 10000000U

#define SMALLEST_PART 2000U

void sc_live_moment_of(const struct sc_live_moments *moments, const struct sc_ledger_stacks *stacks,
                       struct sc_live_moment *ret_moment)
{
    struct sc_live_moment moment = {.time_ns = moments->last_ns};
    uint64_t all = 0;
    for (size_t i = 0; i < stacks->count; i++)
        all += stacks->items[i].live_bytes;
    SC_EACH(const struct sc_ledger_stack, stack, stacks)
        if (stack->live_bytes > all / SMALLEST_PART)
            sc_vec_push(&moment.parts, (struct sc_live_part){stack->node, stack->live_bytes});
    *ret_moment = moment;
}

void sc_live_moment_done(struct sc_live_moment *moment)
{
    sc_vec_done(&moment->parts);
}

/* Forgets moments that follow another one too soon, by longer and longer steps, until a quarter is
 * gone. */
static void thin(struct sc_live_moments *moments)
{
    while (moments->items.count > SC_LIVE_MOMENTS * 3 / 4) {
        size_t kept = 1;
        moments->step_ns *= 2;
        for (size_t i = 1; i < moments->items.count; i++) {
            struct sc_live_moment *moment = &moments->items.items[i];
            if (moment->time_ns >= moments->items.items[kept - 1].time_ns + moments->step_ns)
                moments->items.items[kept++] = *moment;
            else
                sc_live_moment_done(moment);
        }
        moments->items.count = kept;
    }
}

void sc_live_moments_pass(struct sc_live_moments *moments, const struct sc_ledger_stacks *stacks,
                          uint64_t time_ns)
{
    if (moments->step_ns == 0) {
        moments->step_ns = FIRST_STEP_NS;
        moments->next_ns = time_ns + FIRST_STEP_NS;
    }
    if (time_ns >= moments->next_ns) {
        struct sc_live_moment moment;
        sc_live_moment_of(moments, stacks, &moment);
        if (moments->items.count == SC_LIVE_MOMENTS)
            thin(moments);
        sc_vec_push(&moments->items, moment);
        moments->next_ns = time_ns + moments->step_ns;
    }
    /* records of several threads may be a little out of order */
    if (time_ns > moments->last_ns)
        moments->last_ns = time_ns;
}

void sc_live_moments_done(struct sc_live_moments *moments)
{
    sc_vec_done_each(&moments->items, sc_live_moment_done);
}
