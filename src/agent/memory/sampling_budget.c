/* agent/memory/sampling_budget.c - see sampling_budget.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/memory/sampling_budget.h"

#include <stdatomic.h>

#include "agent/rules.h"

#define COST_SHARE 300U /* samples may take 1/COST_SHARE of the time, in the long run */
/* With samples that stand for many bytes, the lifetimes of blocks are hard to see, and the program
 * spends more time on a large block than a sample takes. So samples that stand for WIDE_BYTES or
 * more may take a larger share. */
#define WIDE_BYTES      (1U << 20)
#define WIDE_COST_SHARE 150U
/* What a program keeps of small blocks is known to a few windows. So these get wider than this only
 * while samples take more than 1/SMALL_COST_SHARE of the time, whatever they have taken before and
 * whatever blocks of other kinds take. */
#define SMALL_WINDOW_BYTES (256U << 10)
#define SMALL_COST_SHARE   200U

/* In addition, once: time for small blocks, for copies and for all large blocks together, before
 * their samples are made rarer. */
#define SMALL_BURST_NS 13000000
#define OTHER_BURST_NS 4000000

#define SAMPLE_NS_MIN 1000U     /* the least that a sample takes */
#define SAMPLE_NS_MAX 20000U    /* more does not count: the thread had lost its CPU */
#define CHECK_SAMPLES 64U       /* between two checks of the budget, at most */
#define CHECK_NS      10000000  /* time between two checks, for each busy kind */
#define BUSY_NS       300000000 /* a kind checked more recently is being sampled */
#define QUIET_NS      500000000 /* no check for this long: the burst of allocations is over */
#define SHIFT_MAX     16U

struct budget {
    _Atomic uint32_t shift; /* how often the bytes that a sample stands for are doubled */
    _Atomic uint32_t checking;
    _Atomic uint64_t samples_taken;
    _Atomic uint64_t spent_ns; /* since the last check */
    _Atomic uint64_t checked_ns;
    struct sc_sampling_rusage
        checked; /* at the last check; only the thread that set checking writes it */
    _Atomic int64_t allowance_ns;
};

static struct budget all[SC_SAMPLING_KINDS];
static _Atomic int64_t large_burst_ns; /* what is left of OTHER_BURST_NS for large blocks */
static uint64_t window;
static bool (*choked)(void);
static sc_sampling_get_rusage *usage;

/* How many kinds that are now being sampled share the budget with this one. */
SC_SIGNAL_SAFE static int64_t busy_kinds(uint32_t kind, uint64_t now_ns)
{
    if (kind == SC_SAMPLING_COPY)
        return 1;
    int64_t count = 0;
    for (uint32_t i = 0; i < SC_SAMPLING_KINDS; i++) {
        if (i == SC_SAMPLING_COPY)
            continue;
        uint64_t checked_ns = atomic_load_explicit(&all[i].checked_ns, memory_order_relaxed);
        count += atomic_load_explicit(&all[i].samples_taken, memory_order_relaxed) > 0 &&
                 checked_ns + BUSY_NS > now_ns;
    }
    return count > 0 ? count : 1;
}

/* The most that a kind can have left of its one-time budget. */
SC_SIGNAL_SAFE static int64_t burst_ns(uint32_t kind)
{
    return kind == SC_SAMPLING_SMALL ? SMALL_BURST_NS : OTHER_BURST_NS;
}

/* The bytes that a sample stands for when nothing is doubled. */
SC_SIGNAL_SAFE static uint64_t unit_bytes(uint32_t kind)
{
    switch (kind) {
    case SC_SAMPLING_SMALL:
        return window;
    case SC_SAMPLING_COPY:
        return SC_SAMPLING_COPY_BYTES;
    default:
        return window << (kind - SC_SAMPLING_LARGE + 1);
    }
}

/* The part of own_ns that samples may take at this shift, of as many kinds as are being sampled. */
SC_SIGNAL_SAFE static int64_t budget_ns(uint32_t kind, uint32_t shift, int64_t own_ns,
                                        int64_t kinds)
{
    uint64_t bytes = unit_bytes(kind) << shift;
    if (kind == SC_SAMPLING_SMALL && bytes >= SMALL_WINDOW_BYTES)
        return own_ns / (int64_t)SMALL_COST_SHARE;
    return own_ns / kinds / (int64_t)(bytes >= WIDE_BYTES ? WIDE_COST_SHARE : COST_SHARE);
}

/* Takes at most wanted_ns from what is left of the burst for large blocks. */
SC_SIGNAL_SAFE static int64_t draw_on_burst(int64_t wanted_ns)
{
    int64_t left = atomic_load_explicit(&large_burst_ns, memory_order_relaxed);
    int64_t drawn;
    do {
        drawn = left < wanted_ns ? left : wanted_ns;
        if (drawn <= 0)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&large_burst_ns, &left, left - drawn,
                                                    memory_order_relaxed, memory_order_relaxed));
    return drawn;
}

/* Half of what is left of the burst is for each shift. If all were spent at the first one, the rest
 * of what a program allocates in one go would get only the few and wide samples that the regular
 * share pays for, and the sum would be as inexact as those. With halves, the samples at each shift
 * up to that point cover as many bytes as at any other. */
SC_SIGNAL_SAFE static bool has_had_its_half(uint32_t kind, uint32_t shift, int64_t left_ns)
{
    return kind < SC_SAMPLING_LARGE && left_ns < burst_ns(kind) >> (shift + 1);
}

/* The part of the time since the last check in which the process worked or waited by itself.
 * Parallel threads do not increase it, since one of them may take all the samples. Time off the CPU
 * is split by the numbers of voluntary and involuntary context switches. */
SC_SIGNAL_SAFE static int64_t own_part(struct budget *budget, int64_t passed_ns)
{
    struct sc_sampling_rusage now = usage();
    struct sc_sampling_rusage then = budget->checked;
    budget->checked = now;
    if (now.cpu_ns < then.cpu_ns) /* after a fork: the child's CPU time starts from 0 */
        return 0;
    int64_t cpu_ns = (int64_t)(now.cpu_ns - then.cpu_ns);
    if (cpu_ns >= passed_ns)
        return passed_ns;
    uint64_t waits = now.waits - then.waits;
    uint64_t switches = waits + now.preemptions - then.preemptions;
    double idle = switches > 0 ? (double)waits / (double)switches : 0;
    return cpu_ns + (int64_t)((double)(passed_ns - cpu_ns) * idle);
}

/* Checks a kind's budget. Only one thread at a time does so; others return at once. */
SC_SIGNAL_SAFE static void check(uint32_t kind, uint64_t now_ns, int64_t kinds)
{
    struct budget *budget = &all[kind];
    uint32_t free = 0;
    if (!atomic_compare_exchange_strong_explicit(&budget->checking, &free, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    int64_t passed_ns = (int64_t)(now_ns - atomic_exchange_explicit(&budget->checked_ns, now_ns,
                                                                    memory_order_relaxed));
    int64_t own_ns = own_part(budget, passed_ns);
    int64_t spent = (int64_t)atomic_exchange_explicit(&budget->spent_ns, 0, memory_order_relaxed);
    uint32_t shift = atomic_load_explicit(&budget->shift, memory_order_relaxed);
    int64_t gained = budget_ns(kind, shift, own_ns, kinds) - spent;
    int64_t left = atomic_load_explicit(&budget->allowance_ns, memory_order_relaxed) + gained;
    if (left < 0 && kind >= SC_SAMPLING_LARGE)
        left += draw_on_burst(-left);
    left = left < burst_ns(kind) ? left : burst_ns(kind);
    if (passed_ns > QUIET_NS) {
        shift = 0;
    } else if (left < 0 || choked() || (gained < 0 && has_had_its_half(kind, shift, left))) {
        shift += shift < SHIFT_MAX;
    } else {
        /* no sample in this time says little, as the next may come at once */
        spent = spent > SAMPLE_NS_MIN ? spent : SAMPLE_NS_MIN;
        for (; shift > 0 && budget_ns(kind, shift - 1, own_ns, kinds) > 2 * spent; shift--)
            spent *= 2; /* what samples would have cost at that shift */
        /* what has been saved since is spent, by halves, too */
        while (shift > 0 && kind < SC_SAMPLING_LARGE &&
               !has_had_its_half(kind, shift - 1, left / 2))
            shift--;
    }
    atomic_store_explicit(&budget->allowance_ns, left > 0 ? left : 0, memory_order_relaxed);
    atomic_store_explicit(&budget->shift, shift, memory_order_relaxed);
    atomic_store_explicit(&budget->checking, 0, memory_order_release);
}

SC_SIGNAL_SAFE uint64_t sc_sampling_large_bytes(void)
{
    return 2 * window;
}

SC_SIGNAL_SAFE uint32_t sc_sampling_kind(uint64_t size_bytes)
{
    int rank = __builtin_clzll(sc_sampling_large_bytes()) - __builtin_clzll(size_bytes);
    if (rank < 0)
        rank = 0;
    return SC_SAMPLING_LARGE +
           (rank < (int)SC_SAMPLING_RANKS ? (uint32_t)rank : SC_SAMPLING_RANKS - 1);
}

SC_SIGNAL_SAFE uint32_t sc_sampling_shift(uint32_t kind)
{
    return atomic_load_explicit(&all[kind].shift, memory_order_relaxed);
}

SC_SIGNAL_SAFE void sc_sampling_pass(uint32_t kind, uint64_t now_ns)
{
    int64_t passed_ns =
        (int64_t)(now_ns - atomic_load_explicit(&all[kind].checked_ns, memory_order_relaxed));
    if (passed_ns <= CHECK_NS)
        return;
    int64_t kinds = busy_kinds(kind, now_ns);
    if (passed_ns > CHECK_NS * kinds) /* the kind's part of passed_ns is long enough */
        check(kind, now_ns, kinds);
}

SC_SIGNAL_SAFE void sc_sampling_add(uint32_t kind, uint64_t began_ns, uint64_t now_ns)
{
    struct budget *budget = &all[kind];
    uint64_t taken_ns = now_ns - began_ns;
    atomic_fetch_add_explicit(&budget->spent_ns,
                              taken_ns < SAMPLE_NS_MAX ? taken_ns : SAMPLE_NS_MAX,
                              memory_order_relaxed);
    uint64_t taken = atomic_fetch_add_explicit(&budget->samples_taken, 1, memory_order_relaxed);
    if (taken % CHECK_SAMPLES == CHECK_SAMPLES - 1)
        check(kind, now_ns, busy_kinds(kind, now_ns));
    else
        sc_sampling_pass(kind, now_ns);
}

void sc_sampling_begin(uint64_t window_bytes, uint64_t now_ns, bool (*is_choked)(void),
                       sc_sampling_get_rusage *get_usage)
{
    window = window_bytes;
    choked = is_choked;
    usage = get_usage;
    struct sc_sampling_rusage begun = get_usage();
    atomic_store(&large_burst_ns, OTHER_BURST_NS);
    for (uint32_t i = 0; i < SC_SAMPLING_KINDS; i++) {
        atomic_store(&all[i].shift, 0);
        atomic_store(&all[i].samples_taken, 0);
        atomic_store(&all[i].spent_ns, 0);
        atomic_store(&all[i].checked_ns, now_ns);
        all[i].checked = begun;
        atomic_store(&all[i].allowance_ns, i < SC_SAMPLING_LARGE ? burst_ns(i) : 0);
    }
}

void sc_sampling_after_fork(void)
{
    for (uint32_t i = 0; i < SC_SAMPLING_KINDS; i++)
        atomic_store(&all[i].checking, 0);
}
