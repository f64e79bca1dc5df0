/*
 * observer/lifecycle/residents.c - the resident memory of all processes, as the kernel reports it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/lifecycle/residents.h"

#include "base/io.h"

#define RSS_INTERVAL_NS 50000000U

static void ask_resident_part(struct sc_observation *observation, struct sc_process *process,
                              uint32_t count, uint64_t now_ns)
{
    uint64_t begin_ns = sc_now_ns();
    double part = sc_process_rss_part(process->pid);
    sc_resident_note(&observation->residents, &process->memory.resident, count, part, now_ns,
                     sc_now_ns() - begin_ns);
}

void sc_residents_poll(struct sc_observation *observation, uint64_t now_ns)
{
    if (!observation->plan->memory || now_ns <= observation->rss_ns + RSS_INTERVAL_NS)
        return;
    SC_VEC(struct sc_process *) here = {0};
    SC_VEC(const struct sc_resident *) residents = {0};
    for (size_t i = 0; i < observation->processes.count; i++) {
        struct sc_process *process = observation->processes.items[i];
        if (process->ending.is_over)
            continue;
        sc_vec_push(&here, process);
        sc_vec_push(&residents, &process->memory.resident);
    }
    uint32_t count = (uint32_t)here.count;
    uint32_t next = sc_resident_next(&observation->residents, residents.items, count, now_ns);
    if (next < here.count)
        ask_resident_part(observation, here.items[next], count, now_ns);
    uint64_t bytes = 0;
    uint64_t most_bytes = 0;
    for (size_t i = 0; i < here.count; i++) {
        struct sc_process *process = here.items[i];
        uint64_t rss_bytes = sc_process_rss(process->pid);
        if (rss_bytes > process->memory.max_rss_bytes)
            process->memory.max_rss_bytes = rss_bytes;
        most_bytes = rss_bytes > most_bytes ? rss_bytes : most_bytes;
        bytes +=
            sc_resident_bytes(&observation->residents, &process->memory.resident, count, rss_bytes);
    }
    sc_vec_done(&here);
    sc_vec_done(&residents);
    observation->rss_ns = now_ns;
    bytes = bytes > most_bytes ? bytes : most_bytes;
    observation->rss_bytes = bytes;
    if (bytes > 0)
        sc_ledger_rss(&observation->ledger, now_ns, bytes);
}
