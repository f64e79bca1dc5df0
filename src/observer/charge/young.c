/*
 * observer/charge/young.c - the CPU time of lives that ended before their first sample.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/charge/young.h"

/* Even a life of one or two intervals is missed now and then: on a busy machine ticks are late. So
 * every sampled life has some weight, however long it was, and no single short life decides for
 * all. */
#define CHANCE_MAX 0.99

double sc_young_chance(uint64_t cpu_ns, uint64_t interval_ns, uint64_t jiffy_ns)
{
    double used = (double)(cpu_ns > 0 ? cpu_ns : 1);
    double mean = (double)(interval_ns > 0 ? interval_ns : 1);
    double jiffy = (double)jiffy_ns;
    /* draws below whole fill their jiffies evenly; the others all fall into the next one */
    double whole = jiffy_ns > 0 ? (double)(interval_ns - interval_ns % jiffy_ns) : mean;
    double chance = used / mean;
    if (used > whole && jiffy > 0)
        chance = (whole + (mean - whole) * (used - whole) / jiffy) / mean;
    return chance < 1 ? chance : 1;
}

void sc_charge_begin_life(struct sc_charge_thread *thread, enum sc_life life, uint64_t born_cpu_ns,
                          uint64_t interval_ns)
{
    thread->life = life;
    thread->born_cpu_ns = born_cpu_ns;
    thread->born_interval_ns = interval_ns;
}

static struct sc_young_place *place_of(struct sc_young_lives *lives, uint32_t node,
                                       enum sc_time time)
{
    uint64_t key = (uint64_t)node * SC_TIME_COUNT_ + (uint64_t)time;
    uint32_t index = sc_map_get(&lives->index, key);
    if (index == SC_NONE) {
        index = (uint32_t)lives->places.count;
        sc_map_put(&lives->index, key, index);
        sc_vec_push(&lives->places, (struct sc_young_place){.node = node, .time = time});
    }
    return &lives->places.items[index];
}

static void note_met(struct sc_charge_young *young, const struct sc_charge_process *process,
                     const struct sc_charge_thread *thread)
{
    uint64_t used_ns = thread->charged_cpu_ns > thread->born_cpu_ns
                           ? thread->charged_cpu_ns - thread->born_cpu_ns
                           : 0;
    double chance = sc_young_chance(used_ns, thread->born_interval_ns, process->jiffy_ns);
    chance = chance < CHANCE_MAX ? chance : CHANCE_MAX;
    place_of(&young->lives[thread->life], thread->first_node, thread->first_time)->weight_ns +=
        (double)used_ns * (1 - chance) / chance;
}

/* Whether the life was longer than an interval and was last sampled in a Python stack. */
static bool has_tail(const struct sc_charge_process *process, const struct sc_charge_thread *thread,
                     uint64_t cpu_ns)
{
    return process->begun && thread->life != SC_LIFE_NONE && thread->is_met &&
           thread->sampled_ns != 0 && thread->sampled_node != 0 && !thread->sampled_bare &&
           cpu_ns > thread->born_cpu_ns + thread->born_interval_ns;
}

/* Each sample should stand for a whole interval. The first one gets only the time before it, half
 * an interval on average. The time after the last one, also half an interval on average, belongs to
 * the last no more than to any other: if it were charged there, the ends of lives of a few
 * intervals would get what their beginnings lack. So this time is shared among the first samples of
 * such lives, by what each lacks. */
static struct sc_charges keep_tail(struct sc_charge_process *process,
                                   struct sc_charge_thread *thread, struct sc_charge_young *young,
                                   uint64_t cpu_ns)
{
    struct sc_charges charges = {.cpu_ns = sc_charge_advance(process, thread, cpu_ns)};
    uint64_t had_ns = thread->first_cpu_ns - thread->born_cpu_ns;
    struct sc_young_lives *lives = &young->lives[thread->life];
    if (had_ns < thread->born_interval_ns)
        place_of(lives, thread->first_node, thread->first_time)->weight_ns +=
            (double)(thread->born_interval_ns - had_ns);
    lives->missed_ns += charges.cpu_ns;
    if (charges.cpu_ns > 0)
        charges.items[charges.count++] =
            (struct sc_charge){.to = SC_CHARGE_THREAD,
                               .time = sc_charge_time(thread->sampled_kind),
                               .ns = charges.cpu_ns};
    return charges;
}

struct sc_charges sc_charge_over(struct sc_charge_process *process, struct sc_charge_thread *thread,
                                 struct sc_charge_young *young, uint64_t cpu_ns)
{
    bool is_missed = process->begun && thread->life != SC_LIFE_NONE && thread->sampled_ns == 0 &&
                     thread->blocked_node == 0;
    if (has_tail(process, thread, cpu_ns))
        return keep_tail(process, thread, young, cpu_ns);
    if (!is_missed) {
        struct sc_charges rest = sc_charge_rest(process, thread, cpu_ns);
        if (thread->life != SC_LIFE_NONE && thread->is_met)
            note_met(young, process, thread);
        return rest;
    }
    struct sc_charges charges = {.cpu_ns = sc_charge_advance(process, thread, cpu_ns)};
    young->lives[thread->life].missed_ns += charges.cpu_ns;
    if (charges.cpu_ns > 0)
        charges.items[charges.count++] = (struct sc_charge){
            .to = SC_CHARGE_THREAD, .time = SC_TIME_PYTHON, .ns = charges.cpu_ns};
    return charges;
}

static double weight_of_all(const struct sc_young_lives *lives)
{
    double sum = 0;
    for (size_t i = 0; i < lives->places.count; i++)
        sum += lives->places.items[i].weight_ns;
    return sum;
}

/* Where the weights of all places are 0, each place counts the same. */
struct sc_young_charges sc_charge_young(struct sc_charge_young *young, enum sc_life life)
{
    struct sc_young_lives *lives = &young->lives[life];
    struct sc_young_charges charges = {0};
    double all = weight_of_all(lives);
    double so_far = 0;
    uint64_t shared_ns = 0;
    for (size_t i = 0; i < lives->places.count && lives->missed_ns > 0; i++) {
        const struct sc_young_place *place = &lives->places.items[i];
        bool is_last = i + 1 == lives->places.count;
        so_far += all > 0 ? place->weight_ns / all : 1 / (double)lives->places.count;
        double end = so_far < 1 ? so_far * (double)lives->missed_ns : (double)lives->missed_ns;
        uint64_t end_ns = is_last ? lives->missed_ns : (uint64_t)end;
        if (end_ns > shared_ns)
            sc_vec_push(&charges.list, (struct sc_charge){.node = place->node,
                                                          .to = SC_CHARGE_STACK,
                                                          .time = place->time,
                                                          .ns = end_ns - shared_ns});
        shared_ns = end_ns > shared_ns ? end_ns : shared_ns;
    }
    if (lives->missed_ns > shared_ns) /* none was sampled */
        sc_vec_push(&charges.list, (struct sc_charge){.to = SC_CHARGE_STACK,
                                                      .time = SC_TIME_NATIVE,
                                                      .ns = lives->missed_ns - shared_ns});
    lives->missed_ns = 0;
    return charges;
}

void sc_charge_young_done(struct sc_charge_young *young)
{
    for (size_t i = 0; i < SC_LIFE_COUNT_; i++) {
        sc_vec_done(&young->lives[i].places);
        sc_map_done(&young->lives[i].index);
    }
}
