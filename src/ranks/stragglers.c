/* ranks/stragglers.c - see stragglers.h. SPDX-License-Identifier: Apache-2.0 */
#include "ranks/stragglers.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

/* Parts of a rank's time that are not worth a line. */
#define LEAST_SHARE 0.01

/* A mirror has at least this part of the longer time. */
#define MIRROR_SHARE 0.1

/* Of ranks at one line. */
#define LOOKED_AT_MAX 16U

/* The list's length. */
#define LISTED_MAX 10U

/* Waiting for a CPU depends on what else the machine does. */
#define BUSY_NOISE 0.1

struct search {
    const struct sc_ranks *ranks;
    SC_VEC(struct sc_rank_row) rows; /* of lines that matter */
    double mean_s;                   /* of the ranks' time */
    double least_s;
    size_t looks;
    double *cost_s; /* of each rank: what its lines before have cost */
};

/* A line on a rank that is longer there. */
struct candidate {
    const struct sc_rank_row *row;
    uint32_t rank;
    struct sc_rank_gap gap;
};

struct candidates SC_VEC_OF(struct candidate);

static double time_of(const struct sc_one_rank *rank)
{
    return rank->busy_s + rank->waiting_s;
}

static void find_rows(struct search *search)
{
    const struct sc_ranks *ranks = search->ranks;
    for (size_t i = 0; i < ranks->items.count; i++)
        search->mean_s += time_of(&ranks->items.items[i]) / (double)sc_ranks_with_data(ranks);
    search->least_s = LEAST_SHARE * search->mean_s;
    for (size_t i = 0; i < ranks->lines.count; i++) {
        struct sc_rank_row row;
        sc_rank_row_init(&row, ranks, &ranks->lines.items[i]);
        if (row.most_s >= search->least_s)
            sc_vec_push(&search->rows, row);
        else
            sc_rank_row_done(&row);
    }
    search->looks = search->rows.count * sc_ranks_with_data(ranks);
    search->cost_s = sc_alloc(ranks->items.count + 1, sizeof(*search->cost_s));
}

/* Lines that do something first: what waits for others is the consequence, not the cause. A barrier
 * waits for others alone, a file does not. */
SC_ORDERED_BY(by_size, struct candidate,
              SC_ORDER(a->row->is_blocking + a->row->calls_wait,
                       b->row->is_blocking + b->row->calls_wait),
              SC_FALLING(gap.more_s));

/* The time of a line that a rank needs to be looked at: if more than some are longer, these are
 * none that others wait for, and each look takes time. */
static double threshold_of(const struct search *search, const struct sc_rank_row *row)
{
    double least_s = row->mean_s + search->least_s / 2.0;
    if (row->count <= LOOKED_AT_MAX)
        return least_s;
    SC_AUTO_FREE double *sorted = sc_alloc(row->count, sizeof(*sorted));
    memcpy(sorted, row->time_s, row->count * sizeof(*sorted));
    (void)sc_median(sorted, row->count);
    return fmax(least_s, sorted[row->count - LOOKED_AT_MAX]);
}

static void find_candidates(const struct search *search, struct candidates *ret_candidates)
{
    for (uint32_t r = 0; r < search->rows.count; r++) {
        const struct sc_rank_row *row = &search->rows.items[r];
        double threshold_s = threshold_of(search, row);
        for (uint32_t k = 0; k < row->count; k++) {
            if (row->time_s[k] < threshold_s)
                continue;
            struct sc_rank_gap gap = sc_rank_gap_of(row, k);
            if (gap.more_s >= search->least_s && sc_rank_gap_is_certain(&gap, search->looks))
                sc_vec_push(ret_candidates, (struct candidate){row, k, gap});
        }
    }
    sc_vec_sort(ret_candidates, by_size);
}

SC_ORDERED_BY(by_length, struct sc_mirror,
              SC_ORDER(b->others_s - b->time_s, a->others_s - a->time_s));

/* How much longer a rank is in all. */
static double excess_of(const struct search *search, uint32_t rank)
{
    const struct sc_ranks *ranks = search->ranks;
    size_t others = 0;
    SC_AUTO_FREE double *values = sc_alloc(ranks->items.count, sizeof(*values));
    for (uint32_t i = 0; i < ranks->items.count; i++) {
        if (i != rank && !ranks->items.items[i].is_empty)
            values[others++] = time_of(&ranks->items.items[i]);
    }
    double more_s = time_of(&ranks->items.items[rank]) - sc_median(values, others);
    return more_s >= search->least_s ? more_s : 0.0;
}

/* Adds the lines at which the others are longer, and what that is in all. Where a rank alone runs a
 * line, or waits there, only those that wait count: else the ranks have different work. */
static double find_mirrors(const struct search *search, const struct candidate *candidate,
                           struct sc_straggler *straggler)
{
    bool only_waits = candidate->row->is_blocking || candidate->gap.others_s <= 0.0;
    double sum_s = 0.0;
    for (uint32_t r = 0; r < search->rows.count; r++) {
        struct sc_rank_row *row = &search->rows.items[r];
        bool counts = row->is_blocking || (!only_waits && row->time_s[candidate->rank] > 0.0);
        if (row == candidate->row || !counts) /* first: a gap is a look at all ranks */
            continue;
        struct sc_rank_gap gap = sc_rank_gap_of(row, candidate->rank);
        if (-gap.more_s < MIRROR_SHARE * candidate->gap.more_s ||
            !sc_rank_gap_is_certain(&gap, search->looks))
            continue;
        sc_vec_push(&straggler->mirrors, (struct sc_mirror){.line = row->line,
                                                            .time_s = gap.time_s,
                                                            .others_s = gap.others_s,
                                                            .is_wait = row->is_blocking});
        row->is_mirror = true;
        sum_s -= gap.more_s;
    }
    sc_vec_sort(&straggler->mirrors, by_length);
    return sum_s;
}

static void judge(const struct search *search, const struct candidate *candidate,
                  struct sc_stragglers *found)
{
    struct sc_straggler straggler = {
        .line = candidate->row->line, .rank = candidate->rank, .gap = candidate->gap};
    if (candidate->row->is_mirror)
        return;
    double waits_s = find_mirrors(search, candidate, &straggler);
    /* a rank that waits for long is the cause only if others wait for it */
    double excess_s = candidate->row->is_blocking && straggler.mirrors.count == 0
                          ? 0.0
                          : excess_of(search, candidate->rank);
    double lost_s = fmax(waits_s, excess_s) - search->cost_s[candidate->rank];
    straggler.cost_s = fmin(candidate->gap.more_s, lost_s);
    if (straggler.cost_s < search->least_s) {
        sc_vec_done(&straggler.mirrors);
        return;
    }
    search->cost_s[candidate->rank] += straggler.cost_s;
    sc_vec_push(&found->items, straggler);
}

/* Ranks that lacked a CPU for longer than the others. */
static void find_starved(const struct search *search, struct sc_stragglers *found)
{
    const struct sc_ranks *ranks = search->ranks;
    SC_AUTO(sc_rank_row_done)
    struct sc_rank_row row = {.ranks = ranks->items.items, .count = ranks->items.count};
    row.time_s = sc_alloc(row.count, sizeof(*row.time_s));
    row.variance = sc_alloc(row.count, sizeof(*row.variance));
    for (size_t i = 0; i < row.count; i++) {
        row.time_s[i] = ranks->items.items[i].left_out_s;
        row.variance[i] = pow(BUSY_NOISE * row.time_s[i], 2.0);
    }
    for (uint32_t i = 0; i < row.count; i++) {
        struct sc_rank_gap gap = sc_rank_gap_of(&row, i);
        if (gap.more_s >= search->least_s && sc_rank_gap_is_certain(&gap, row.count))
            sc_vec_push(&found->items,
                        (struct sc_straggler){.rank = i, .gap = gap, .cost_s = gap.more_s});
    }
}

static bool is_named(const struct sc_stragglers *found, const struct sc_ranked_line *line)
{
    for (size_t i = 0; i < found->items.count; i++) {
        if (found->items.items[i].line == line)
            return true;
    }
    return false;
}

static void find_uneven(const struct search *search, struct sc_stragglers *found)
{
    for (uint32_t r = 0; r < search->rows.count; r++) {
        const struct sc_rank_row *row = &search->rows.items[r];
        struct sc_rank_gap gap = sc_rank_gap_of(row, row->most);
        gap.spread_s = 0.0; /* it is what is looked for */
        if (row->is_blocking || row->is_mirror || is_named(found, row->line) ||
            row->most_s - row->mean_s < search->least_s ||
            !sc_rank_gap_is_certain(&gap, search->looks))
            continue;
        sc_vec_push(&found->uneven,
                    (struct sc_uneven){row->line, row->most, row->most_s, row->mean_s});
    }
}

SC_ORDERED_BY(by_cost, struct sc_straggler, SC_FALLING(cost_s));

SC_ORDERED_BY(by_difference, struct sc_uneven,
              SC_ORDER(b->most_s - b->mean_s, a->most_s - a->mean_s));

void sc_stragglers_find(const struct sc_ranks *ranks, struct sc_stragglers *ret_stragglers)
{
    struct search search = {.ranks = ranks};
    SC_AUTO_FREE struct candidates candidates = {0};
    size_t count = sc_ranks_with_data(ranks);
    for (uint32_t i = 0; i < ranks->items.count; i++) {
        const struct sc_one_rank *rank = &ranks->items.items[i];
        ret_stragglers->mean_s += rank->busy_s / fmax(1.0, (double)count);
        if (rank->busy_s > ret_stragglers->most_s) {
            ret_stragglers->most_s = rank->busy_s;
            ret_stragglers->most = i;
        }
    }
    if (count < 2)
        return;
    find_rows(&search);
    find_candidates(&search, &candidates);
    for (size_t i = 0; i < candidates.count; i++)
        judge(&search, &candidates.items[i], ret_stragglers);
    find_starved(&search, ret_stragglers);
    find_uneven(&search, ret_stragglers);
    sc_vec_sort(&ret_stragglers->items, by_cost);
    sc_vec_sort(&ret_stragglers->uneven, by_difference);
    while (ret_stragglers->items.count > LISTED_MAX) {
        ret_stragglers->items.count--;
        sc_vec_done(&ret_stragglers->items.items[ret_stragglers->items.count].mirrors);
    }
    if (ret_stragglers->uneven.count > LISTED_MAX)
        ret_stragglers->uneven.count = LISTED_MAX;
    sc_vec_done_each(&search.rows, sc_rank_row_done);
    free(search.cost_s);
}

void sc_stragglers_done(struct sc_stragglers *stragglers)
{
    for (size_t i = 0; i < stragglers->items.count; i++)
        sc_vec_done(&stragglers->items.items[i].mirrors);
    sc_vec_done(&stragglers->items);
    sc_vec_done(&stragglers->uneven);
}
