/* observer/charge/gap.c - see gap.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/charge/gap.h"

#include "base/map.h"

#define SUSPICIOUS_GAP_NS 500000 /* beyond a jiffy */

void sc_gap_begin(struct sc_charge_gap *gap, uint64_t begun_ns, uint64_t cpu_ns)
{
    gap->polled_ns = begun_ns;
    gap->polled_cpu_ns = cpu_ns;
}

static void note_poll(struct sc_charge_gap *gap, uint64_t now_ns, uint64_t cpu_ns)
{
    gap->last_polled_ns = gap->polled_ns;
    gap->polled_ns = now_ns;
    gap->polled_cpu_ns = cpu_ns;
}

void sc_gap_measure(struct sc_charge_gap *gap, uint64_t now_ns, uint64_t cpu_ns)
{
    uint64_t passed_ns = now_ns > gap->polled_ns ? now_ns - gap->polled_ns : 0;
    uint64_t used_ns = cpu_ns > gap->polled_cpu_ns ? cpu_ns - gap->polled_cpu_ns : 0;
    double utilization =
        passed_ns > 0 ? (double)used_ns / ((double)passed_ns * gap->processors) : 0;
    gap->utilization = utilization > 1 ? 1 : utilization;
    gap->ran = used_ns > 0;
    gap->worked_ns += used_ns;
    note_poll(gap, now_ns, cpu_ns);
    int64_t gap_ns = (int64_t)passed_ns - (int64_t)used_ns;
    /* CPU time that is reported late is missing at one poll and in excess at the next, by up to a
     * jiffy; more excess is that of a second CPU */
    if (gap_ns < -gap->jiffy_ns)
        gap_ns = 0;
    gap->last_gap_ns = gap_ns;
    gap->pending_ns += gap_ns;
    if (gap_ns > 0)
        gap->covered_ns += (uint64_t)(gap->below * (double)gap_ns);
    gap->below = 0;
    if (gap->pending_ns < -gap->jiffy_ns)
        gap->pending_ns = -gap->jiffy_ns;
}

void sc_gap_add_descendant_work(struct sc_charge_gap *root, struct sc_charge_gap *below,
                                uint64_t now_ns)
{
    uint64_t passed_ns = now_ns > root->polled_ns ? now_ns - root->polled_ns : 0;
    uint64_t counted_ns = below->worked_ns < passed_ns ? below->worked_ns : passed_ns;
    uint64_t late_ns = below->worked_ns - counted_ns; /* reported late, or of a second CPU */
    if (counted_ns > 0)
        root->below += (1 - root->below) * (double)counted_ns / (double)passed_ns;
    below->worked_ns = late_ns < (uint64_t)below->jiffy_ns ? late_ns : (uint64_t)below->jiffy_ns;
}

uint64_t sc_gap_uncovered(struct sc_charge_gap *gap, uint64_t gap_ns)
{
    uint64_t covered_ns = gap->covered_ns < gap_ns ? gap->covered_ns : gap_ns;
    gap->covered_ns = 0;
    return gap_ns - covered_ns;
}

uint64_t sc_gap_skip(struct sc_charge_gap *gap, uint64_t now_ns, uint64_t cpu_ns)
{
    uint64_t used_ns = cpu_ns > gap->polled_cpu_ns ? cpu_ns - gap->polled_cpu_ns : 0;
    gap->ran = used_ns > 0;
    note_poll(gap, now_ns, cpu_ns);
    gap->pending_ns = gap->last_gap_ns = 0;
    gap->prepaid_ns = gap->unplaced_ns = 0;
    gap->worked_ns = gap->covered_ns = 0;
    gap->below = 0;
    return used_ns;
}

bool sc_gap_is_suspicious(const struct sc_charge_gap *gap, int64_t gap_ns)
{
    return gap_ns > gap->jiffy_ns + SUSPICIOUS_GAP_NS;
}

bool sc_gap_is_plainly_busy(const struct sc_charge_gap *gap, const struct sc_charge_thread *thread,
                            uint64_t slack_ns)
{
    return !thread->ended && !sc_gap_is_suspicious(gap, gap->pending_ns) &&
           thread->sampled_ns + 2 * slack_ns >= gap->polled_ns;
}

uint32_t sc_gap_next_to_run(const struct sc_charge_threads *threads)
{
    const struct sc_charge_thread *chosen = NULL;
    uint32_t place = SC_NONE;
    for (size_t i = 0; i < threads->count; i++) {
        const struct sc_charge_thread *thread = sc_charge_thread_at(threads, i);
        if (thread->ended || thread->sampled_ns == 0)
            continue;
        if (chosen == NULL || (thread->runnable && !chosen->runnable) ||
            (thread->runnable == chosen->runnable && thread->sampled_ns > chosen->sampled_ns)) {
            chosen = thread;
            place = (uint32_t)i;
        }
    }
    return place;
}

/* The part of what the kernel reports now that has not been charged in advance. */
static uint64_t settle_prepaid(struct sc_charge_gap *gap, uint64_t delay_ns)
{
    uint64_t settled_ns = delay_ns < gap->prepaid_ns ? delay_ns : gap->prepaid_ns;
    if (delay_ns > 0)
        gap->prepaid_ns = 0;
    return delay_ns - settled_ns;
}

uint64_t sc_gap_preempted(struct sc_charge_gap *gap, uint64_t delay_ns, bool never_blocked)
{
    delay_ns = settle_prepaid(gap, delay_ns);
    if (gap->pending_ns <= 0)
        return 0;
    uint64_t gap_ns = (uint64_t)gap->pending_ns;
    uint64_t preempted_ns = delay_ns < gap_ns ? delay_ns : gap_ns;
    if (!never_blocked || gap->last_gap_ns <= 0)
        return preempted_ns;
    uint64_t last_gap_ns = (uint64_t)gap->last_gap_ns; /* since the last poll, not longer */
    last_gap_ns = last_gap_ns < gap_ns ? last_gap_ns : gap_ns;
    if (last_gap_ns <= preempted_ns)
        return preempted_ns;
    gap->prepaid_ns += last_gap_ns - preempted_ns;
    return last_gap_ns;
}
