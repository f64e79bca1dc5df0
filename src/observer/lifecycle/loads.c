/* observer/lifecycle/loads.c - see loads.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/loads.h"

#include "base/io.h"

/* Where the program was is known a few polls later. */
#define LATE_NS 300000000U

#define READINGS_AT_ONCE 16U

void sc_loads_start(struct sc_observation *observation)
{
    if (!observation->plan->gpu)
        return;
    observation->loads.accelerators = sc_accelerators_start();
    sc_loads_pause(observation, sc_now_ns());
}

void sc_loads_pause(struct sc_observation *observation, uint64_t now_ns)
{
    if (observation->loads.accelerators != NULL)
        sc_accelerators_pause(observation->loads.accelerators, observation->paused, now_ns);
}

static bool are_watched(const struct sc_observation *observation)
{
    const struct sc_loads *loads = &observation->loads;
    size_t live = 0;
    SC_EACH_LIVING(process, observation) {
        if (live == loads->watched.count || loads->watched.items[live] != process->pid)
            return false;
        live++;
    }
    return live == loads->watched.count;
}

static void update_watched(struct sc_observation *observation)
{
    struct sc_loads *loads = &observation->loads;
    if (are_watched(observation))
        return;
    loads->watched.count = 0;
    SC_EACH_LIVING(process, observation)
        sc_vec_push(&loads->watched, process->pid);
    sc_accelerators_watch(loads->accelerators, loads->watched.items, loads->watched.count);
}

/* Keeps recent stacks once a device has been found. */
static void watch_stacks(struct sc_observation *observation)
{
    if (sc_accelerators_kind(observation->loads.accelerators)[0] == '\0')
        return;
    SC_EACH_LIVING(process, observation)
        process->devices.is_watched = true;
}

static void charge(struct sc_observation *observation, const struct sc_device_reading *reading)
{
    SC_EACH_PROCESS(process, observation) {
        struct sc_devices *devices = &process->devices;
        sc_recent_stacks_between(&devices->recent_stacks, reading->from_ns, reading->to_ns,
                                 &devices->here);
        SC_EACH(const struct sc_recent_stack, stack, &devices->here) {
            sc_gpu_add_load(&observation->gpu, stack->node, (double)(stack->to_ns - stack->from_ns),
                            reading->load, reading->used_bytes);
        }
    }
    sc_gpu_add_reading(&observation->gpu, reading->from_ns, reading->load, reading->used_bytes);
}

static void charge_until(struct sc_observation *observation, uint64_t until_ns)
{
    struct sc_loads *loads = &observation->loads;
    size_t done = 0;
    while (done < loads->late.count && loads->late.items[done].to_ns <= until_ns)
        charge(observation, &loads->late.items[done++]);
    for (size_t i = done; i < loads->late.count; i++)
        loads->late.items[i - done] = loads->late.items[i];
    loads->late.count -= done;
}

static void take(struct sc_loads *loads)
{
    struct sc_device_reading readings[READINGS_AT_ONCE];
    size_t count = 0;
    do {
        count = sc_accelerators_take(loads->accelerators, readings, READINGS_AT_ONCE);
        for (size_t i = 0; i < count; i++)
            sc_vec_push(&loads->late, readings[i]);
    } while (count == READINGS_AT_ONCE);
}

void sc_loads_poll(struct sc_observation *observation, uint64_t now_ns)
{
    if (observation->loads.accelerators == NULL)
        return;
    update_watched(observation);
    watch_stacks(observation);
    take(&observation->loads);
    charge_until(observation, now_ns - LATE_NS);
}

void sc_loads_finish(struct sc_observation *observation)
{
    if (observation->loads.accelerators == NULL)
        return;
    sc_accelerators_finish(observation->loads.accelerators);
    take(&observation->loads);
    charge_until(observation, UINT64_MAX);
}

void sc_loads_done(struct sc_loads *loads)
{
    if (loads->accelerators != NULL)
        sc_accelerators_free(loads->accelerators);
    sc_vec_done(&loads->late);
    sc_vec_done(&loads->watched);
}
