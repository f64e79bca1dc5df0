/* observer/charge/young.c - see young.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/charge/young.h"

/* Neighbouring ages are taken together until they have so many samples. */
#define SAMPLES_MIN 8U

/* Four even steps to each doubling. */
uint32_t sc_young_step(uint64_t age_ns)
{
    uint64_t units = age_ns / SC_YOUNG_AGE_UNIT_NS;
    if (units < 4)
        return (uint32_t)units;
    uint32_t doublings = (uint32_t)(63 - __builtin_clzll(units)) - 2;
    uint32_t step = (doublings + 1) * 4 + (uint32_t)((units >> doublings) & 3U);
    return step < SC_YOUNG_AGES ? step : SC_YOUNG_AGES - 1;
}

/* Where the step begins. */
static uint64_t step_ns(uint32_t step)
{
    uint64_t units = step < 4 ? step : (uint64_t)(4 + step % 4) << (step / 4 - 1);
    return units * SC_YOUNG_AGE_UNIT_NS;
}

void sc_charge_begin_life(struct sc_charge_thread *thread, enum sc_life life, uint64_t born_cpu_ns)
{
    thread->life = life;
    thread->born_cpu_ns = born_cpu_ns;
}

/* How old the thread was at that reading of its CPU clock. */
static uint64_t age_at(const struct sc_charge_thread *thread, uint64_t cpu_ns)
{
    return cpu_ns > thread->born_cpu_ns ? cpu_ns - thread->born_cpu_ns : 0;
}

static void add_lived(struct sc_young_lives *lives, uint64_t from_ns, uint64_t to_ns)
{
    to_ns = to_ns < SC_YOUNG_AGE_MAX_NS ? to_ns : SC_YOUNG_AGE_MAX_NS;
    while (from_ns < to_ns) {
        uint32_t step = sc_young_step(from_ns);
        uint64_t end_ns = step_ns(step + 1) < to_ns ? step_ns(step + 1) : to_ns;
        lives->lived_ns[step] += end_ns - from_ns;
        from_ns = end_ns;
    }
}

static uint64_t key_of(uint32_t node, enum sc_time time)
{
    return (uint64_t)node * SC_TIME_COUNT_ + (uint64_t)time;
}

static struct sc_young_place *place_of(struct sc_young_lives *lives, uint32_t node,
                                       enum sc_time time)
{
    uint64_t key = key_of(node, time);
    uint32_t index = sc_map_get(&lives->index, key);
    if (index == SC_NONE) {
        index = (uint32_t)lives->places.count;
        sc_map_put(&lives->index, key, index);
        sc_vec_push(&lives->places, (struct sc_young_place){.node = node, .time = time});
    }
    return &lives->places.items[index];
}

/* The emptied place stays, for what comes to its node later. */
static void lead_place(struct sc_young_lives *lives, uint32_t index, uint32_t to)
{
    struct sc_young_place left = lives->places.items[index];
    struct sc_young_place *place = place_of(lives, to, left.time);
    lives->places.items[index] = (struct sc_young_place){.node = left.node, .time = left.time};
    place->charged_ns += left.charged_ns;
    place->waiters_ns += left.waiters_ns;
    for (size_t i = 0; i < SC_YOUNG_AGES; i++)
        place->weights_ns[i] += left.weights_ns[i];
}

void sc_charge_young_lead(struct sc_charge_young *young, uint32_t from, uint32_t to)
{
    for (size_t life = 0; life < SC_LIFE_COUNT_ && from != to; life++) {
        struct sc_young_lives *lives = &young->lives[life];
        for (enum sc_time time = 0; time < SC_TIME_COUNT_; time++) {
            uint32_t index = sc_map_get(&lives->index, key_of(from, time));
            if (index != SC_NONE)
                lead_place(lives, index, to);
        }
    }
}

void sc_charge_met(struct sc_charge_young *young, const struct sc_charge_thread *thread,
                   const struct sc_charges *charges, uint64_t interval_ns)
{
    uint64_t age_ns = age_at(thread, thread->charged_cpu_ns);
    if (thread->life == SC_LIFE_NONE || charges->charge.to == 0 || age_ns >= SC_YOUNG_AGE_MAX_NS)
        return;
    struct sc_young_lives *lives = &young->lives[thread->life];
    const struct sc_charge *charge = &charges->charge;
    uint32_t step = sc_young_step(age_ns);
    struct sc_young_place *place = place_of(lives, charge->node, charge->time);
    place->charged_ns += charge->ns;
    place->weights_ns[step] += (double)interval_ns;
    lives->sample_count[step]++;
    add_lived(lives, age_at(thread, thread->charged_cpu_ns - charges->passed_ns), age_ns);
}

struct sc_charges sc_charge_over(struct sc_charge_process *process, struct sc_charge_thread *thread,
                                 struct sc_charge_young *young, uint64_t cpu_ns)
{
    uint64_t from_ns = age_at(thread, thread->charged_cpu_ns);
    bool is_young = process->begun && thread->life != SC_LIFE_NONE && from_ns < SC_YOUNG_AGE_MAX_NS;
    if (!is_young)
        return sc_charge_rest(process, thread, cpu_ns);
    sc_charge_owe(process, thread, cpu_ns);
    struct sc_charges charges = {.cpu_ns = thread->owed_ns};
    thread->owed_ns = 0;
    struct sc_young_lives *lives = &young->lives[thread->life];
    lives->missed_ns += charges.cpu_ns;
    if (thread->sampled_ns == 0 && thread->blocked_node != 0)
        place_of(lives, thread->blocked_node, SC_TIME_PYTHON)->waiters_ns += charges.cpu_ns;
    add_lived(lives, from_ns, age_at(thread, thread->charged_cpu_ns));
    if (charges.cpu_ns > 0)
        charges.charge = (struct sc_charge){
            .to = SC_CHARGE_THREAD,
            .time = thread->sampled_ns != 0 ? sc_charge_time(thread->sampled_kind) : SC_TIME_PYTHON,
            .ns = charges.cpu_ns};
    return charges;
}

/* Adds to each place its part of the CPU time that all lives used at the ages from first up to end.
 */
static void share_ages(struct sc_young_lives *lives, uint32_t first, uint32_t end)
{
    double lived_ns = 0;
    double weights_ns = 0;
    for (uint32_t step = first; step < end; step++) {
        lived_ns += (double)lives->lived_ns[step];
        for (size_t i = 0; i < lives->places.count; i++)
            weights_ns += lives->places.items[i].weights_ns[step];
    }
    for (size_t i = 0; i < lives->places.count && weights_ns > 0; i++) {
        struct sc_young_place *place = &lives->places.items[i];
        for (uint32_t step = first; step < end; step++)
            place->share_ns += lived_ns * place->weights_ns[step] / weights_ns;
    }
}

/* Ages at the end that have too few samples are taken together with those before. */
static void share_all(struct sc_young_lives *lives)
{
    uint64_t left = 0;
    for (size_t i = 0; i < lives->places.count; i++)
        lives->places.items[i].share_ns = 0;
    for (uint32_t step = 0; step < SC_YOUNG_AGES; step++)
        left += lives->sample_count[step];
    uint32_t first = 0;
    uint64_t count = 0;
    for (uint32_t step = 0; step < SC_YOUNG_AGES; step++) {
        count += lives->sample_count[step];
        left -= lives->sample_count[step];
        bool is_last = step + 1 == SC_YOUNG_AGES;
        if (!is_last && (count < SAMPLES_MIN || left < SAMPLES_MIN))
            continue;
        share_ages(lives, first, step + 1);
        first = step + 1;
        count = 0;
    }
}

static double lack_ns(const struct sc_young_place *place)
{
    double charged_ns = (double)place->charged_ns;
    return place->share_ns > charged_ns ? place->share_ns - charged_ns : 0;
}

/* A life that waited somewhere did its work in Python code, not in the system call. */
static void push(struct sc_young_charges *charges, uint32_t node, enum sc_time time, uint64_t ns)
{
    if (ns > 0)
        sc_vec_push(&charges->list, (struct sc_charge){.node = node,
                                                       .on_python = time == SC_TIME_PYTHON,
                                                       .to = SC_CHARGE_STACK,
                                                       .time = time,
                                                       .ns = ns});
}

/* Where no life was sampled, those that waited at a place have perhaps worked there. */
static double waiters_ns(const struct sc_young_place *place)
{
    return (double)place->waiters_ns;
}

/* Divides what was missed in proportion to part_ns of each place. Returns what could be divided. */
static uint64_t divide(const struct sc_young_lives *lives,
                       double (*part_ns)(const struct sc_young_place *place),
                       struct sc_young_charges *charges)
{
    double all_ns = 0;
    for (size_t i = 0; i < lives->places.count; i++)
        all_ns += part_ns(&lives->places.items[i]);
    double so_far_ns = 0;
    uint64_t divided_ns = 0;
    for (size_t i = 0; i < lives->places.count && all_ns > 0; i++) {
        const struct sc_young_place *place = &lives->places.items[i];
        so_far_ns += part_ns(place);
        bool is_last = i + 1 == lives->places.count;
        uint64_t end_ns = (uint64_t)(so_far_ns / all_ns * (double)lives->missed_ns);
        if (is_last || end_ns > lives->missed_ns) /* doubles round */
            end_ns = lives->missed_ns;
        if (end_ns <= divided_ns)
            continue;
        push(charges, place->node, place->time, end_ns - divided_ns);
        divided_ns = end_ns;
    }
    return divided_ns;
}

static void free_lives(struct sc_young_lives *lives)
{
    sc_vec_done(&lives->places);
    sc_map_done(&lives->index);
    *lives = (struct sc_young_lives){0};
}

/* Together the places lack at least what was missed, since the shares of all are what was missed
 * and what was charged. */
struct sc_young_charges sc_charge_young(struct sc_charge_young *young, enum sc_life life)
{
    struct sc_young_lives *lives = &young->lives[life];
    struct sc_young_charges charges = {0};
    share_all(lives);
    uint64_t divided_ns = divide(lives, lack_ns, &charges);
    if (divided_ns == 0)
        divided_ns = divide(lives, waiters_ns, &charges);
    push(&charges, 0, SC_TIME_NATIVE, lives->missed_ns - divided_ns); /* none was seen anywhere */
    return charges;
}

void sc_charge_young_done(struct sc_charge_young *young)
{
    for (size_t i = 0; i < SC_LIFE_COUNT_; i++)
        free_lives(&young->lives[i]);
}
