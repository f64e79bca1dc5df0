/*
 * compare/sums.c - adding what profiles say to the numbers of places.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "compare/compared.h"
#include "report/number.h"
#include "report/report.h"
#include "report/stacks.h"

/* z of the 95 % half widths that profiles state. */
#define Z95 1.959963984540054

/* Distance of samples where a profile does not say: the original's default. */
#define INTERVAL_S 0.01

/* What one sample of memory stands for: our windows, and the original's. */
#define WINDOW_MB          (8.0 / 1024.0)
#define COPY_WINDOW_MB     0.5
#define ORIGINAL_WINDOW_MB 10.0

/* A wait is seen from poll to poll. */
#define POLL_S 0.01

/* What a CPU does for others slows it down for the program, too: runs of one program that lacked a
 * CPU for three quarters of their time differed by 2 to 6 % in their CPU time. */
#define BUSY_NOISE 0.05

#define SECONDS_MAX   1e12
#define MEGABYTES_MAX 1e12

/* A profile may come from anywhere; places beyond are left out. */
#define PLACES_MAX 100000U

/* One run. */
struct run {
    struct sc_comparison *comparison;
    const struct sc_profile *profile;
    int side;
    uint32_t number;
    double total_s, on_cpu_s;
    double unit_s;     /* what one sample stands for */
    double second;     /* what is left of a second when that without a free CPU is left out */
    double cpu_second; /* the same of one on a CPU */
    bool is_ours;      /* times have their kinds */
};

/* Seconds by what they were spent on. Those in which the program was ready to run and no CPU was
 * free are other programs', and left out. */
struct times {
    double kinds[SC_KIND_COUNT_];
    double on_cpu, all, left_out;
};

static double seconds(double value)
{
    return sc_clamp(value, 0.0, SECONDS_MAX);
}

static double sum_of(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += seconds(values[i]);
    return sum;
}

static struct times times_of(const double times[SC_TIME_COUNT_])
{
    struct times of = {{0}};
    of.left_out = seconds(times[SC_TIME_PREEMPTED_PYTHON]) +
                  seconds(times[SC_TIME_PREEMPTED_NATIVE]) +
                  seconds(times[SC_TIME_PREEMPTED_KERNEL]);
    of.all = sum_of(times, SC_TIME_COUNT_) - of.left_out;
    of.kinds[SC_KIND_PYTHON] = seconds(times[SC_TIME_PYTHON]);
    of.kinds[SC_KIND_NATIVE] = seconds(times[SC_TIME_NATIVE]) + seconds(times[SC_TIME_PARALLEL]);
    of.kinds[SC_KIND_SYSTEM] = of.all - of.kinds[SC_KIND_PYTHON] - of.kinds[SC_KIND_NATIVE];
    of.on_cpu = of.all;
    for (int i = 0; i < SC_TIME_COUNT_; i++)
        of.on_cpu -= sc_time_is_waiting((enum sc_time)i) ? seconds(times[i]) : 0.0;
    return of;
}

/* What one sample stands for. */
static double unit_of(const struct sc_profile *profile)
{
    if (profile->samples_taken > 0)
        return times_of(profile->time_s).on_cpu / (double)profile->samples_taken;
    return profile->interval_s > 0.0 ? seconds(profile->interval_s) : INTERVAL_S;
}

static void run_init(struct run *run, struct sc_comparison *comparison, int side, uint32_t number)
{
    const struct sc_profile *profile = &comparison->sides[side].items[number];
    *run = (struct run){.comparison = comparison, .profile = profile, .side = side};
    run->number = number;
    struct times times = times_of(profile->time_s);
    double cpu_s = times.on_cpu + times.left_out;
    run->unit_s = unit_of(profile);
    run->is_ours = times.all + times.left_out > 0.0;
    run->total_s = run->is_ours ? times.all : seconds(profile->elapsed_s);
    run->on_cpu_s = run->is_ours ? times.on_cpu : run->total_s;
    run->second = run->is_ours ? times.all / (times.all + times.left_out) : 1.0;
    run->cpu_second = cpu_s > 0.0 ? times.on_cpu / cpu_s : 1.0;
}

double sc_sums_left_out(const struct sc_profile *profile)
{
    struct times times = times_of(profile->time_s);
    double all = times.all + times.left_out;
    return all > 0.0 ? times.left_out / all : 0.0;
}

static double window_mb(const struct sc_profile *profile, enum sc_metric metric)
{
    if (profile->foreign)
        return ORIGINAL_WINDOW_MB;
    return metric == SC_METRIC_COPIES ? COPY_WINDOW_MB : WINDOW_MB;
}

struct sc_tally_facts sc_sums_facts(const struct sc_comparison *comparison, int side,
                                    enum sc_metric metric)
{
#define X_NOISE(name, key, is_mb, noise) noise,
    static const double noises[] = {SC_METRICS(X_NOISE)};
#undef X_NOISE
    const struct sc_match_profiles *profiles = &comparison->sides[side];
    struct sc_tally_facts facts = {.runs = (uint32_t)profiles->count, .noise = noises[metric]};
    SC_EACH(const struct sc_profile, profile, profiles) {
        double unit = sc_metric_is_mb(metric)    ? window_mb(profile, metric)
                      : metric == SC_METRIC_WAIT ? POLL_S
                                                 : unit_of(profile);
        double busy = sc_sums_left_out(profile) / facts.runs;
        facts.absent_variance += unit * unit / facts.runs;
        facts.noise += metric == SC_METRIC_ELAPSED ? busy
                       : !sc_metric_is_mb(metric)  ? BUSY_NOISE * busy
                                                   : 0.0;
    }
    return facts;
}

/* -------- a place -------- */

static struct sc_compared *place_at(struct sc_comparison *comparison, enum sc_compare_table table,
                                    uint64_t key)
{
    static struct sc_compared beyond; /* is never looked at */
    struct sc_compared_places *places = &comparison->tables[table];
    uint32_t at = sc_map_get(&comparison->index[table], key);
    if (at != SC_NONE)
        return &places->items[at];
    if (places->count >= PLACES_MAX)
        return &beyond;
    sc_map_put(&comparison->index[table], key, (uint32_t)places->count);
    sc_vec_push(places, (struct sc_compared){.file = {SC_NONE, SC_NONE},
                                             .function = {SC_NONE, SC_NONE},
                                             .parent = SC_NONE});
    return &places->items[places->count - 1];
}

static void add(struct run *run, struct sc_compared *place, enum sc_metric metric, double value,
                double variance)
{
    if (value > 0.0)
        sc_tally_add(&place->tallies[metric][run->side], run->number, value, variance);
}

/* A part of the time on a CPU, as if each sample of it were taken by itself. */
static void add_sampled(struct run *run, struct sc_compared *place, enum sc_metric metric,
                        double value)
{
    double rest = run->on_cpu_s > 0.0 ? 1.0 - fmin(value / run->on_cpu_s, 1.0) : 0.0;
    add(run, place, metric, value, run->unit_s * value * rest);
}

static void add_memory(struct run *run, struct sc_compared *place, enum sc_metric metric, double mb,
                       double error_mb)
{
    double value = sc_clamp(mb, 0.0, MEGABYTES_MAX);
    double deviation = sc_clamp(error_mb, 0.0, MEGABYTES_MAX) / Z95;
    bool is_foreign = run->profile->foreign;
    add(run, place, metric, value, is_foreign ? value * ORIGINAL_WINDOW_MB : deviation * deviation);
}

/* A volume without an error, as if each sample of it were taken by itself. */
static void add_volume(struct run *run, struct sc_compared *place, enum sc_metric metric, double mb)
{
    double value = sc_clamp(mb, 0.0, MEGABYTES_MAX);
    add(run, place, metric, value, value * window_mb(run->profile, metric));
}

static void add_cost(struct run *run, struct sc_compared *place, const struct sc_cost *cost)
{
    double percent = run->total_s / 100.0;
    struct times times = times_of(cost->time_s);
    double error_s =
        sc_clamp(cost->cpu_share_error, 0.0, 100.0) * percent / run->second * run->cpu_second / Z95;
    if (times.all + times.left_out <= 0.0) { /* a profile of others */
        sc_cost_kinds(cost, times.kinds);
        for (int i = 0; i < SC_KIND_COUNT_; i++)
            times.kinds[i] *= percent;
        times.all = times.on_cpu = sc_cost_time_percent(cost) * percent;
    }
    add(run, place, SC_METRIC_TIME, times.all,
        error_s > 0.0 ? error_s * error_s : run->unit_s * times.on_cpu);
    for (int i = 0; i < SC_KIND_COUNT_; i++)
        add_sampled(run, place, (enum sc_metric)(SC_METRIC_PYTHON + i), times.kinds[i]);
    add_sampled(run, place, SC_METRIC_TOTAL,
                fmax(sc_clamp(cost->cumulative_percent, 0.0, 100.0) * percent, times.all));
    add(run, place, SC_METRIC_WAIT, sum_of(cost->wait_s, SC_WAIT_COUNT_), POLL_S * POLL_S);
    if (!run->comparison->has_memory)
        return;
    double elapsed_s = seconds(run->profile->elapsed_s);
    add_memory(run, place, SC_METRIC_PEAK, cost->peak_mb, cost->peak_error_mb);
    add_memory(run, place, SC_METRIC_ALLOCATED, cost->malloc_mb, cost->malloc_error_mb);
    add_memory(run, place, SC_METRIC_EXIT, cost->live_at_exit_mb, cost->exit_error_mb);
    add_memory(run, place, SC_METRIC_COPIES, cost->copy_mb_s * elapsed_s,
               cost->copy_error_mb_s * elapsed_s);
}

/* -------- lines and functions -------- */

/* A place of one side by the index of what it is; where the other side has it, too, by that of the
 * side before. */
static struct sc_compared *place_of(struct run *run, enum sc_compare_table table, uint32_t file,
                                    uint32_t lineno, uint64_t own, uint64_t before)
{
    bool is_both = before != UINT64_MAX;
    uint64_t key = is_both ? before << 1 : own << 1 | (uint64_t)run->side;
    struct sc_compared *place = place_at(run->comparison, table, key);
    place->file[run->side] = file;
    place->lineno[run->side] = lineno;
    return place;
}

static void add_lines(struct run *run, uint32_t at, const struct sc_file *file)
{
    SC_EACH(const struct sc_line, line, &file->lines) {
        const struct sc_cost *cost = &line->cost;
        bool is_used = sc_cost_time_percent(cost) > 0.0 || cost->malloc_mb > 0.0 ||
                       cost->peak_mb > 0.0 || cost->live_at_exit_mb > 0.0 ||
                       cost->copy_mb_s > 0.0 || sum_of(cost->wait_s, SC_WAIT_COUNT_) > 0.0;
        if (!is_used)
            continue;
        uint32_t other_file = SC_NONE;
        uint32_t other =
            sc_match_other_line(&run->comparison->match, run->side, at, line->lineno, &other_file);
        uint64_t own = (uint64_t)at << 32 | line->lineno;
        uint64_t before = run->side == 0 ? own : UINT64_MAX;
        if (run->side == 1 && other > 0)
            before = (uint64_t)other_file << 32 | other;
        struct sc_compared *place = place_of(run, SC_COMPARE_LINES, at, line->lineno, own, before);
        if (other > 0) {
            place->file[1 - run->side] = other_file;
            place->lineno[1 - run->side] = other;
        }
        add_cost(run, place, cost);
    }
}

static void add_functions(struct run *run, uint32_t at, const struct sc_file *file)
{
    const struct sc_matching *match = &run->comparison->match;
    const struct sc_match_side *side = &match->sides[run->side];
    SC_EACH(const struct sc_function, listed, &file->functions) {
        uint32_t index = sc_match_function_of(side, at, listed->name, listed->lineno);
        if (index == SC_NONE)
            continue;
        const struct sc_match_function *function = &side->functions.items[index];
        uint64_t before = run->side == 0               ? index
                          : function->other != SC_NONE ? function->other
                                                       : UINT64_MAX;
        struct sc_compared *place =
            place_of(run, SC_COMPARE_FUNCTIONS, at, function->start, index, before);
        place->name = function->name;
        place->function[run->side] = index;
        place->function[1 - run->side] = function->other;
        if (function->other != SC_NONE) {
            const struct sc_match_function *other =
                &match->sides[1 - run->side].functions.items[function->other];
            place->file[1 - run->side] = other->file;
            place->lineno[1 - run->side] = other->start;
        }
        add_cost(run, place, &listed->cost);
    }
}

/* -------- stacks -------- */

/* A function on a stack; texts are compared by where they are. */
struct callee {
    const char *name, *module;
};

/* Sets the texts of a frame to those of the function that it is on the side before. */
static void name_frame(struct run *run, const char *path, const char *name,
                       struct callee *ret_frame)
{
    const struct sc_matching *match = &run->comparison->match;
    const struct sc_match_side *side = &match->sides[run->side];
    struct sc_intern *texts = &run->comparison->texts;
    uint32_t file = sc_match_file_of(side, run->profile, path);
    uint32_t index = file != SC_NONE ? sc_match_function_of(side, file, name, 0) : SC_NONE;
    uint32_t before = file != SC_NONE && run->side == 1 ? side->files.items[file].other : SC_NONE;
    if (index != SC_NONE && run->side == 1 && side->functions.items[index].other != SC_NONE) {
        index = side->functions.items[index].other;
        side = &match->sides[0];
    }
    SC_AUTO_FREE char *shown = sc_shown_name(run->profile, path);
    const char *module = before != SC_NONE ? sc_intern_text(&match->sides[0].names, before) : shown;
    ret_frame->name = sc_intern_keep(texts, name); /* "<module>" is no function of the match */
    ret_frame->module = sc_intern_keep(texts, module);
    if (index != SC_NONE) {
        const struct sc_match_function *function = &side->functions.items[index];
        ret_frame->name = sc_intern_keep(texts, function->name);
        ret_frame->module = sc_intern_keep(texts, sc_intern_text(&side->names, function->file));
    }
}

/* The stack with one more function, which may be the one that calls. */
static uint32_t with_callee(struct sc_comparison *comparison, uint32_t parent,
                            const struct callee *frame)
{
    struct sc_compared_places *places = &comparison->tables[SC_COMPARE_STACKS];
    const struct sc_compared *caller = parent != SC_NONE ? &places->items[parent] : NULL;
    if (caller != NULL && caller->name == frame->name && caller->module == frame->module)
        return parent;
    uint64_t key = sc_mix(parent, sc_mix((uintptr_t)frame->name, (uintptr_t)frame->module));
    size_t known = places->count;
    uint32_t depth = caller != NULL ? caller->depth + 1 : 0;
    struct sc_compared *place = place_at(comparison, SC_COMPARE_STACKS, key);
    if (places->count > known) {
        place->name = frame->name;
        place->module = frame->module;
        place->parent = parent;
        place->depth = depth;
    }
    bool is_kept = place >= places->items && place < places->items + places->count;
    return is_kept ? (uint32_t)(place - places->items) : parent;
}

static void add_stacks(struct run *run)
{
    SC_AUTO(sc_stacks_done) struct sc_stacks stacks = {0};
    struct sc_comparison *comparison = run->comparison;
    sc_stacks_init(&stacks, run->profile);
    const struct sc_trie *trie = &stacks.tries[SC_GRAIN_LINE];
    SC_AUTO_FREE uint32_t *place_of_node = sc_alloc(trie->nodes.count + 1, sizeof(*place_of_node));
    SC_AUTO_FREE struct callee *frames = sc_alloc(stacks.frames.count + 1, sizeof(*frames));
    SC_AUTO_FREE double *weights = sc_alloc(trie->nodes.count + 1, sizeof(*weights));
    double all = 0.0;
    bool is_split = stacks.lists[SC_STACKS_ON_CPU].count > 0;
    for (int list = 0; list < SC_STACKS_COUNT_; list++) {
        bool is_used = is_split ? list == SC_STACKS_ON_CPU || list == SC_STACKS_WAITING
                                : list == SC_STACKS_TIME;
        double part = list == SC_STACKS_WAITING ? 1.0 : run->cpu_second;
        for (size_t i = 0; is_used && i < stacks.lists[list].count; i++) {
            const struct sc_listed_stack *stack = &stacks.lists[list].items[i];
            weights[stack->node] += stack->weight * part;
            all += stack->weight * part;
        }
    }
    /* without seconds, samples are shares of the run's time */
    double second = stacks.is_timed ? stacks.count_s : all > 0.0 ? run->total_s / all : 0.0;
    place_of_node[0] = SC_NONE;
    for (uint32_t i = 1; i < trie->nodes.count; i++) {
        const struct sc_trie_node *node = &trie->nodes.items[i];
        const struct sc_frame *frame = &stacks.frames.items[node->frame];
        place_of_node[i] = place_of_node[node->parent];
        if (!sc_frame_is_python(frame))
            continue;
        if (frames[node->frame].name == NULL)
            name_frame(run, sc_intern_text(&stacks.texts, frame->path),
                       sc_intern_text(&stacks.texts, frame->name), &frames[node->frame]);
        place_of_node[i] = with_callee(comparison, place_of_node[i], &frames[node->frame]);
    }
    for (uint32_t i = 1; i < trie->nodes.count; i++) {
        double time_s = weights[i] * second;
        for (uint32_t at = place_of_node[i]; at != SC_NONE && time_s > 0.0;) {
            struct sc_compared *place = &comparison->tables[SC_COMPARE_STACKS].items[at];
            add_sampled(run, place, SC_METRIC_TOTAL, time_s);
            at = place->parent;
        }
    }
}

/* -------- the whole run -------- */

static void add_run(struct run *run)
{
    const struct sc_profile *profile = run->profile;
    struct sc_compared *whole = place_at(run->comparison, SC_COMPARE_RUN, 0);
    struct times times = times_of(profile->time_s);
    add(run, whole, SC_METRIC_TIME, run->total_s, 0.0);
    add(run, whole, SC_METRIC_ELAPSED, seconds(profile->elapsed_s), 0.0);
    add(run, whole, SC_METRIC_WAIT, sum_of(profile->wait_s, SC_WAIT_COUNT_), POLL_S * POLL_S);
    for (int i = 0; i < SC_KIND_COUNT_; i++)
        add_sampled(run, whole, (enum sc_metric)(SC_METRIC_PYTHON + i), times.kinds[i]);
    if (!run->comparison->has_memory)
        return;
    add_memory(run, whole, SC_METRIC_PEAK, profile->max_footprint_mb,
               profile->max_footprint_error_mb);
    if (!run->is_ours)
        return;
    add_volume(run, whole, SC_METRIC_ALLOCATED, profile->allocated_mb);
    add_memory(run, whole, SC_METRIC_EXIT, profile->live_at_exit_mb,
               profile->live_at_exit_error_mb);
    add_volume(run, whole, SC_METRIC_COPIES, profile->copied_mb);
}

/* What a profile of others has of its lines alone. */
static void add_sums_of_lines(struct run *run, const struct sc_file *file)
{
    struct sc_compared *whole = place_at(run->comparison, SC_COMPARE_RUN, 0);
    double elapsed_s = seconds(run->profile->elapsed_s);
    for (size_t i = 0; i < file->lines.count; i++) {
        const struct sc_cost *cost = &file->lines.items[i].cost;
        double kinds[SC_KIND_COUNT_];
        sc_cost_kinds(cost, kinds);
        for (int k = 0; k < SC_KIND_COUNT_; k++)
            add_sampled(run, whole, (enum sc_metric)(SC_METRIC_PYTHON + k),
                        kinds[k] * run->total_s / 100.0);
        if (run->comparison->has_memory) {
            add_volume(run, whole, SC_METRIC_ALLOCATED, cost->malloc_mb);
            add_volume(run, whole, SC_METRIC_COPIES, cost->copy_mb_s * elapsed_s);
        }
    }
}

void sc_sums_add_all(struct sc_comparison *comparison)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t number = 0; number < comparison->sides[side].count; number++) {
            struct run run;
            run_init(&run, comparison, side, number);
            add_run(&run);
            SC_EACH(const struct sc_file, file, &run.profile->files) {
                uint32_t at =
                    sc_match_file_of(&comparison->match.sides[side], run.profile, file->name);
                add_lines(&run, at, file);
                add_functions(&run, at, file);
                if (!run.is_ours)
                    add_sums_of_lines(&run, file);
            }
            add_stacks(&run);
        }
}
