/*
 * build/memory.c - memory, copies and leaks of a run, as the profile has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/sort.h"
#include "build/builder.h"
#include "build/shown_stacks.h"
#include "costs/leak.h"

#define MB (1024.0 * 1024.0)

/* A smaller difference is ignored: the last pages of blocks make it. */
#define UNTOUCHED_MIN_MB 0.0625

/* memory_stacks lists those with most bytes until they have this many frames in all. */
#define FRAMES_MAX 10000

static double mb(uint64_t bytes)
{
    return (double)bytes / MB;
}

static double error_mb(const struct sc_scatter *scatter)
{
    return sc_scatter_of_sum(scatter, SC_SCATTER_ANYWHERE) / MB;
}

static struct sc_footprint shown_point(const struct sc_builder *builder,
                                       const struct sc_curve_point *point)
{
    uint64_t begun_ns = builder->input->begun_ns;
    return (struct sc_footprint){
        .time_ns = point->time_ns > begun_ns ? point->time_ns - begun_ns : 0,
        .mb = round(mb(point->value) * 1e3) / 1e3,
    };
}

static void add_points(const struct sc_builder *builder, const struct sc_curve *curve,
                       struct sc_footprints *ret_points)
{
    for (size_t i = 0; i < curve->points.count; i++)
        sc_vec_push(ret_points, shown_point(builder, &curve->points.items[i]));
}

static void add_account(const struct sc_builder *builder, const struct sc_ledger_account *account,
                        struct sc_total *total)
{
    if (total == NULL)
        return;
    const struct sc_ledger *ledger = builder->input->ledger;
    struct sc_cost *cost = &total->cost;
    double python_mb = cost->python_fraction * cost->malloc_mb + mb(account->python_bytes);
    double elapsed_s = (double)builder->input->elapsed_ns / 1e9;
    cost->malloc_mb += mb(account->allocated_bytes);
    cost->churn_mb += mb(account->churn_bytes);
    cost->mallocs += (uint64_t)(account->allocations + 0.5);
    cost->python_fraction = cost->malloc_mb > 0 ? python_mb / cost->malloc_mb : 0;
    cost->python_fraction = cost->python_fraction < 1 ? cost->python_fraction : 1;
    if (ledger->all.allocated_bytes > 0)
        cost->usage_fraction = cost->malloc_mb / mb(ledger->all.allocated_bytes);
    cost->avg_mb += mb((uint64_t)account->mean_live_bytes);
    cost->growth_mb += mb(account->live_bytes);
    cost->live_at_peak_mb += mb(account->at_peak_bytes);
    cost->live_at_exit_mb += mb(account->live_bytes);
    cost->peak_allocated_mb = fmax(cost->peak_allocated_mb, mb(account->held_peak_bytes));
    cost->exit_allocated_mb += mb(account->held_bytes);
    cost->malloc_error_mb = hypot(cost->malloc_error_mb, error_mb(&account->scatter));
    cost->peak_error_mb = hypot(cost->peak_error_mb, error_mb(&account->peak_scatter));
    cost->exit_error_mb = hypot(cost->exit_error_mb, error_mb(&account->live_scatter));
    if (elapsed_s > 0) {
        cost->copy_mb_s += mb(account->copied_bytes) / elapsed_s;
        cost->copy_error_mb_s =
            hypot(cost->copy_error_mb_s, error_mb(&account->copy_scatter) / elapsed_s);
    }
    sc_curve_join(&total->live, &account->curve);
    total->account_count++;
}

/* Sets the highest value of a curve: the points that had the highest value get the new one, and
 * points above it are lowered to it. */
static void raise_to(struct sc_curve *curve, uint64_t top)
{
    SC_EACH(struct sc_curve_point, point, &curve->points)
        if (point->value == curve->top || point->value > top)
            point->value = top;
    curve->top = top;
}

/* Fills in the curve of live memory and its highest value. Where several curves were added up, the
 * highest value may have been at a moment that one of them does not show. most: the program's
 * peak. */
static void finish(const struct sc_builder *builder, uint64_t most, struct sc_total *total)
{
    struct sc_cost *cost = &total->cost;
    struct sc_curve *live = &total->live;
    if (total->account_count > 1) {
        double least_mb = fmax(cost->live_at_peak_mb, cost->live_at_exit_mb);
        uint64_t least = (uint64_t)(least_mb * MB + 0.5);
        uint64_t top = live->top < most ? live->top : most;
        raise_to(live, top > least ? top : least);
    }
    cost->peak_mb = mb(live->top);
    cost->avg_mb = fmin(cost->avg_mb, cost->peak_mb);
    cost->peak_allocated_mb = fmax(cost->peak_allocated_mb, cost->peak_mb);
    add_points(builder, live, &cost->memory_samples);
    sc_curve_done(live);
}

static void finish_all(const struct sc_builder *builder, uint64_t most, struct sc_total *totals,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (totals[i].live.points.count > 0)
            finish(builder, most, &totals[i]);
    }
}

double sc_builder_allocated(double allocated_mb, double touched_mb)
{
    return allocated_mb >= touched_mb + UNTOUCHED_MIN_MB ? allocated_mb : 0;
}

void sc_builder_memory(struct sc_builder *builder)
{
    const struct sc_ledger *ledger = builder->input->ledger;
    for (size_t i = 1; ledger != NULL && i < ledger->lines.count; i++) {
        const struct sc_ledger_account *account = &ledger->lines.items[i];
        add_account(builder, account, sc_builder_line_of(builder, account->node));
    }
    for (size_t i = 1; ledger != NULL && i < ledger->functions.count; i++) {
        const struct sc_ledger_account *account = &ledger->functions.items[i];
        add_account(builder, account, sc_builder_function_of(builder, account->node));
    }
    uint64_t most = ledger != NULL ? ledger->all.peak_bytes : 0;
    finish_all(builder, most, builder->lines.items, builder->lines.count);
    finish_all(builder, most, builder->functions.items, builder->functions.count);
}

SC_ORDERED_BY(by_likelihood, struct sc_leak, SC_FALLING(likelihood), SC_RISING(lineno));

void sc_builder_leaks(const struct sc_builder *builder, const uint32_t *files_at,
                      struct sc_profile *profile)
{
    const struct sc_ledger *ledger = builder->input->ledger;
    if (ledger == NULL || !builder->input->find_leaks)
        return;
    for (size_t i = 1; i < ledger->lines.count; i++) {
        const struct sc_ledger_account *account = &ledger->lines.items[i];
        uint32_t line = builder->node_lines[account->node];
        if (line == SC_NONE)
            continue;
        struct sc_leak leak = {.lineno = builder->lines.items[line].line};
        leak.likelihood = sc_leak_of(ledger, account, builder->input->measured_from_ns,
                                     builder->input->measured_to_ns, &leak.velocity_mb_s);
        if (leak.likelihood > 0 &&
            sc_builder_shows_line(builder, builder->lines.items[line].file, leak.lineno))
            sc_vec_push(&profile->files.items[files_at[builder->lines.items[line].file]].leaks,
                        leak);
    }
    SC_EACH(struct sc_file, file, &profile->files)
        sc_vec_sort(&file->leaks, by_likelihood);
}

SC_ORDERED_BY(by_bytes, struct sc_ledger_stack, SC_FALLING(allocated_bytes), SC_RISING(node));

/* Fills memory_stacks. Stacks that look the same are added up. */
static void add_stacks(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_ledger *ledger = builder->input->ledger;
    SC_AUTO_FREE SC_VEC(struct sc_ledger_stack) stacks = {0};
    SC_AUTO(sc_map_done) struct sc_map by_shown = {0};
    for (size_t i = 0; i < ledger->stacks.count; i++) {
        struct sc_ledger_stack stack = ledger->stacks.items[i];
        stack.node = builder->pythons->of_node[stack.node];
        if (builder->pythons->stacks.items[stack.node].python == 0)
            continue;
        uint32_t at = sc_map_get(&by_shown, stack.node);
        if (at < stacks.count) {
            stacks.items[at].allocated_bytes += stack.allocated_bytes;
            continue;
        }
        sc_map_put(&by_shown, stack.node, (uint32_t)stacks.count);
        sc_vec_push(&stacks, stack);
    }
    sc_vec_sort(&stacks, by_bytes);
    size_t frames = 0;
    for (size_t i = 0; i < stacks.count && frames < FRAMES_MAX; i++) {
        struct sc_profile_stack stack = {
            .frames = sc_shown_stack_in(builder->pythons, stacks.items[i].node, &profile->texts),
            .mb = round(mb(stacks.items[i].allocated_bytes) * 1e6) / 1e6,
        };
        frames += stack.frames.count;
        sc_vec_push(&profile->memory_stacks, stack);
    }
}

static void name_peak(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_ledger *ledger = builder->input->ledger;
    uint32_t node = ledger->lines.items[ledger->peak_line].node;
    if (ledger->all.peak_bytes == 0)
        return;
    if (node == SC_NONE) {
        profile->max_footprint_fname = sc_strdup("<native>");
        return;
    }
    const struct sc_stack_node *frame = &builder->collect->nodes.items[node];
    profile->max_footprint_fname = sc_strdup(sc_builder_file_of(builder, node)->name);
    profile->max_footprint_lineno =
        frame->line != 0 ? frame->line : builder->collect->codes.items[frame->code].first_line;
}

/* Resident memory is looked at now and then: the curve's end repeats the last look, and what the
 * program touches just before a look may be in the footprint after it only. */
static uint64_t footprint_at(const struct sc_ledger *ledger, uint64_t time_ns)
{
    uint64_t last_ns = ledger->rss.last_ns;
    return sc_curve_at(&ledger->all.curve, time_ns < last_ns ? time_ns : last_ns);
}

/* The most resident memory beyond the footprint and what was resident when user code had just
 * begun, or profiling was switched on. Memory that was allocated and not touched makes it smaller.
 */
static uint64_t unaccounted(const struct sc_builder *builder)
{
    const struct sc_ledger *ledger = builder->input->ledger;
    uint64_t from_ns = builder->input->measured_from_ns;
    uint64_t most = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < ledger->rss.points.count; i++) {
        const struct sc_curve_point *point = &ledger->rss.points.items[i];
        const struct sc_curve_point *next = point + (i + 1 < ledger->rss.points.count);
        uint64_t now = footprint_at(ledger, point->time_ns);
        uint64_t soon = footprint_at(ledger, next->time_ns);
        if (i == 0 || point->time_ns <= from_ns)
            before = point->value;
        uint64_t known = before + (now > soon ? now : soon);
        if (point->time_ns <= builder->input->measured_to_ns && point->value > known &&
            point->value - known > most)
            most = point->value - known;
    }
    return most;
}

void sc_builder_footprint(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_ledger *ledger = builder->input->ledger;
    if (ledger == NULL)
        return;
    profile->alloc_samples = ledger->records;
    profile->max_footprint_mb = mb(ledger->all.peak_bytes);
    profile->max_footprint_error_mb = error_mb(&ledger->all.peak_scatter);
    profile->max_footprint_allocated_mb =
        sc_builder_allocated(mb(ledger->all.held_peak_bytes), profile->max_footprint_mb);
    name_peak(builder, profile);
    if (ledger->all.peak_bytes > 0)
        profile->max_footprint_python_fraction =
            (double)ledger->peak_python_bytes / (double)ledger->all.peak_bytes;
    if (ledger->all.allocated_bytes > 0)
        profile->growth_rate =
            100 * (double)ledger->all.live_bytes / (double)ledger->all.allocated_bytes;
    profile->native_allocations_mb = mb(ledger->native_bytes);
    profile->allocated_mb = mb(ledger->all.allocated_bytes);
    profile->churn_mb = mb(ledger->all.churn_bytes);
    profile->copied_mb = mb(ledger->all.copied_bytes);
    profile->live_at_exit_mb = mb(ledger->all.live_bytes);
    profile->live_at_exit_error_mb = error_mb(&ledger->all.live_scatter);
    profile->max_rss_mb = mb(ledger->rss.top);
    profile->unaccounted_mb = mb(unaccounted(builder));
    add_points(builder, &ledger->all.curve, &profile->samples);
    add_points(builder, &ledger->rss, &profile->rss);
    add_stacks(builder, profile);
}
