/* costs/leak.c - see leak.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/leak.h"

#define MB                  (1024.0 * 1024.0)
#define LEAK_MIN_LIKELIHOOD 0.95
#define LEAK_MIN_RUN_NS     3000000000U
/* Of shorter runs, most that grow to their end build what they then use. A program is at its
 * regular work if it gives back most of what it allocates; a line that keeps its own all the same
 * is a leak. */
#define LEAK_MIN_SHORT_NS    1500000000U
#define LEAK_MAX_KEPT        0.33 /* of what such a program allocates */
#define LEAK_SHORT_EVENNESS  0.5
#define LEAK_MIN_CALLEES_NS  20000000000U /* the same, of what libraries allocate */
#define LEAK_MIN_WORKER_NS   20000000000U /* the same, of a process that ends before the run does */
#define LEAK_MIN_GROWTH      MB           /* in the second half of the run */
#define LEAK_PARTS           4            /* of the later half of the run */
#define LEAK_EVENNESS        0.2
#define LEAK_MIN_GROWTH_RATE 0.01 /* of what the program allocates */

/* Whether what is alive has grown in each part of the run's later half, about as much in each. */
static bool grows_steadily(const struct sc_curve *curve, uint64_t begin_ns, uint64_t end_ns,
                           double evenness, double *ret_growth_bytes)
{
    double values[LEAK_PARTS + 1];
    uint64_t half_ns = (end_ns - begin_ns) / 2;
    for (unsigned i = 0; i <= LEAK_PARTS; i++)
        values[i] = (double)sc_curve_at(curve, begin_ns + half_ns + half_ns / LEAK_PARTS * i);
    values[LEAK_PARTS] = (double)curve->last;
    *ret_growth_bytes = values[LEAK_PARTS] - values[0];
    for (unsigned i = 0; i < LEAK_PARTS; i++) {
        if (values[i + 1] - values[i] < evenness * *ret_growth_bytes / LEAK_PARTS)
            return false;
    }
    return *ret_growth_bytes >= LEAK_MIN_GROWTH;
}

static double judge(const struct sc_ledger *ledger, const struct sc_ledger_account *account,
                    uint64_t begin_ns, uint64_t end_ns, double *ret_mb_s)
{
    const struct sc_ledger_account *all = &ledger->all;
    bool gives_back = (double)all->live_bytes <= LEAK_MAX_KEPT * (double)all->allocated_bytes;
    bool is_short = end_ns < begin_ns + LEAK_MIN_RUN_NS;
    double growth_bytes = 0;
    *ret_mb_s = 0;
    if ((double)all->live_bytes < LEAK_MIN_GROWTH_RATE * (double)all->allocated_bytes)
        return 0;
    /* one call that reads a file for some seconds looks the same as a library that leaks */
    bool is_callees = account->live_callee_bytes > account->live_bytes / 2;
    uint64_t least_ns = gives_back ? LEAK_MIN_SHORT_NS : LEAK_MIN_RUN_NS;
    if (end_ns < begin_ns + (is_callees ? LEAK_MIN_CALLEES_NS : least_ns) ||
        !grows_steadily(&account->curve, begin_ns, end_ns,
                        is_short ? LEAK_SHORT_EVENNESS : LEAK_EVENNESS, &growth_bytes))
        return 0;
    /* temporaries are no evidence: neither freed ones nor young ones that may be freed soon */
    uint64_t young = account->young_at_end;
    double freed = (double)account->samples_freed_late;
    double kept = account->samples_live > young ? (double)(account->samples_live - young) : 0;
    double likelihood = 1 - (freed + 1) / (kept + 2); /* the rule of succession */
    if (likelihood < LEAK_MIN_LIKELIHOOD)
        return 0;
    *ret_mb_s = growth_bytes / MB / ((double)(end_ns - begin_ns) / 2 / 1e9);
    return likelihood;
}

double sc_leak_of(const struct sc_ledger *ledger, const struct sc_ledger_account *line,
                  uint64_t begin_ns, uint64_t end_ns, double *ret_mb_s)
{
    double likelihood = judge(ledger, line, begin_ns, end_ns, ret_mb_s);
    if (likelihood >= line->worker_leak)
        return likelihood;
    *ret_mb_s = line->worker_leak_mb_s;
    return line->worker_leak;
}

void sc_leaks_of_worker(struct sc_ledger *ledger, uint64_t begin_ns, uint64_t end_ns)
{
    if (end_ns < begin_ns + LEAK_MIN_WORKER_NS)
        return;
    for (size_t i = 1; i < ledger->lines.count; i++) {
        struct sc_ledger_account *line = &ledger->lines.items[i];
        if ((double)line->live_bytes < LEAK_MIN_GROWTH)
            continue;
        double mb_s;
        sc_ledger_finish_line(ledger, line, end_ns);
        line->worker_leak = sc_leak_of(ledger, line, begin_ns, end_ns, &mb_s);
        line->worker_leak_mb_s = mb_s;
    }
}
