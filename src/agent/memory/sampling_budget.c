/*
 * agent/memory/sampling_budget.c - what samples of memory may cost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/sampling_budget.h"

#include <stdatomic.h>
#include <stddef.h>

#include "agent/rules.h"

#define COST_SHARE 300U /* one part in so many of the time is for samples, in the long run */
/* Samples that stand for much make a block's life hard to see, and a large block takes the program
 * more time than a sample: beyond these, samples may take more. */
#define WIDE_BYTES      (1U << 20)
#define WIDE_COST_SHARE 150U

/* Beyond that, once: for small blocks, and each for copies and for all large blocks before anything
 * is doubled. */
#define SMALL_BURST_NS 13000000
#define OTHER_BURST_NS 4000000

#define SAMPLE_NS_MIN 1000U     /* what one takes at least */
#define SAMPLE_NS_MAX 20000U    /* what took longer was not ours: the thread had lost its CPU */
#define CHECK_SAMPLES 64U       /* between two looks at the budget, at most */
#define CHECK_NS      10000000  /* the same in time, for each busy kind */
#define BUSY_NS       300000000 /* since the last look: the kind is at it */
#define QUIET_NS      500000000 /* without a look: what made samples so many is over */
#define SHIFT_MAX     16U

struct budget {
    _Atomic uint32_t shift; /* how often what a sample stands for is doubled */
    _Atomic uint32_t checking;
    _Atomic uint64_t samples_taken;
    _Atomic uint64_t spent_ns; /* since the last look */
    _Atomic uint64_t checked_ns;
    struct sc_sampling_usage
        checked; /* at the last look; only the thread that set checking writes it */
    _Atomic int64_t allowance_ns;
};

static struct budget all[SC_SAMPLING_KINDS];
static _Atomic int64_t large_burst_ns; /* what is left of it */
static uint64_t window;
static bool (*choked)(void);
static sc_sampling_get_usage *usage;

/* How many kinds share with this one what its samples may take. */
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

/* What a kind may have left of what it may take once. */
SC_SIGNAL_SAFE static int64_t burst_ns(uint32_t kind)
{
    return kind == SC_SAMPLING_SMALL ? SMALL_BURST_NS : OTHER_BURST_NS;
}

/* What a sample stands for where nothing is doubled. */
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

/* What samples of all kinds may take of a time before they are doubled from shift on. */
SC_SIGNAL_SAFE static int64_t budget_ns(uint32_t kind, uint32_t shift, int64_t passed_ns)
{
    bool is_wide = unit_bytes(kind) << shift >= WIDE_BYTES;
    return passed_ns / (int64_t)(is_wide ? WIDE_COST_SHARE : COST_SHARE);
}

/* So much of the burst for large blocks as is still there, at most wanted_ns. */
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

/* Half of what is left of the burst goes to each width: were it all spent on the first, the rest of
 * what a program builds in one go would be met by the few and wide samples that a share of the time
 * pays for, and the sum would be as uncertain as these. With halves, each width up to there covers
 * as many bytes, for the same cost. */
SC_SIGNAL_SAFE static bool has_had_its_half(uint32_t kind, uint32_t shift, int64_t left_ns)
{
    return kind < SC_SAMPLING_LARGE && left_ns < burst_ns(kind) >> (shift + 1);
}

/* What of the time since the last look was the process's own. Threads that run side by side have no
 * more of it: one of them may take all the samples. Time off a CPU is divided by how often it was
 * given away and how often taken. */
SC_SIGNAL_SAFE static int64_t own_ns(struct budget *budget, int64_t passed_ns)
{
    struct sc_sampling_usage now = usage();
    struct sc_sampling_usage then = budget->checked;
    budget->checked = now;
    if (now.cpu_ns < then.cpu_ns) /* a fork: the child's begins anew */
        return 0;
    int64_t cpu_ns = (int64_t)(now.cpu_ns - then.cpu_ns);
    if (cpu_ns >= passed_ns)
        return passed_ns;
    uint64_t waits = now.waits - then.waits;
    uint64_t switches = waits + now.preemptions - then.preemptions;
    double idle = switches > 0 ? (double)waits / (double)switches : 0;
    return cpu_ns + (int64_t)((double)(passed_ns - cpu_ns) * idle);
}

/* Never twice at the same time: whoever finds it busy leaves it to the other. */
SC_SIGNAL_SAFE static void check(uint32_t kind, uint64_t now_ns, int64_t kinds)
{
    struct budget *budget = &all[kind];
    uint32_t free = 0;
    if (!atomic_compare_exchange_strong_explicit(&budget->checking, &free, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    int64_t passed_ns = (int64_t)(now_ns - atomic_exchange_explicit(&budget->checked_ns, now_ns,
                                                                    memory_order_relaxed));
    int64_t share_ns = own_ns(budget, passed_ns) / kinds;
    int64_t spent = (int64_t)atomic_exchange_explicit(&budget->spent_ns, 0, memory_order_relaxed);
    uint32_t shift = atomic_load_explicit(&budget->shift, memory_order_relaxed);
    int64_t gained = budget_ns(kind, shift, share_ns) - spent;
    int64_t left = atomic_load_explicit(&budget->allowance_ns, memory_order_relaxed) + gained;
    if (left < 0 && kind >= SC_SAMPLING_LARGE)
        left += draw_on_burst(-left);
    left = left < burst_ns(kind) ? left : burst_ns(kind);
    if (passed_ns > QUIET_NS) {
        shift = 0;
    } else if (left < 0 || choked() || (gained < 0 && has_had_its_half(kind, shift, left))) {
        shift += shift < SHIFT_MAX;
    } else {
        /* none in this while says little: one may be due at once */
        spent = spent > SAMPLE_NS_MIN ? spent : SAMPLE_NS_MIN;
        for (; shift > 0 && budget_ns(kind, shift - 1, share_ns) > 4 * spent; shift--)
            spent *= 2; /* as it would have been */
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
    if (passed_ns > CHECK_NS * kinds) /* a part of it that is worth some samples */
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
                       sc_sampling_get_usage *get_usage)
{
    window = window_bytes;
    choked = is_choked;
    usage = get_usage;
    struct sc_sampling_usage begun = get_usage();
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
