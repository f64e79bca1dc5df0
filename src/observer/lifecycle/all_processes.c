/* observer/lifecycle/all_processes.c - see all_processes.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/all_processes.h"

#include <stdlib.h>

#include "base/helper.h"
#include "base/io.h"
#include "observer/lifecycle/loads.h"
#include "observer/lifecycle/process_life.h"
#include "observer/system/descriptors.h"

#define ENDS_KEPT_NS 2000000000U
#define LATE_NS      1000000000U /* how much later than its end a process may register */

/* The process whose end this is: the last one with its key; NULL when it is not followed. */
static struct sc_process *ended_process(const struct sc_observation *observation,
                                        const struct sc_child_end *end)
{
    uint32_t serial = sc_map_get(&observation->tree.numbers, end->key);
    for (size_t i = observation->processes.count; serial != SC_NONE && i-- > 0;) {
        struct sc_process *process = observation->processes.items[i];
        if (process->serial == serial)
            return process->known_ns <= end->time_ns + LATE_NS ? process : NULL;
    }
    return NULL;
}

void sc_observation_match_ends(struct sc_observation *observation, uint64_t now_ns)
{
    struct sc_tree *tree = &observation->tree;
    size_t kept = 0;
    for (size_t i = 0; i < tree->ends.count; i++) {
        struct sc_child_end end = tree->ends.items[i];
        struct sc_process *process = ended_process(observation, &end);
        if (process != NULL) {
            sc_map_remove(&tree->numbers, end.key); /* the next one with it is another process */
            sc_process_note_status(process, end.status);
        } else if (end.time_ns + ENDS_KEPT_NS > now_ns) {
            tree->ends.items[kept++] = end;
        }
    }
    tree->ends.count = kept;
    SC_EACH_PROCESS(process, observation) {
        if (process->ending.is_over && process->ending.status_fd >= 0)
            sc_process_note_ending(process);
    }
}

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
    SC_AUTO_FREE SC_VEC(struct sc_process *) here = {0};
    SC_AUTO_FREE SC_VEC(const struct sc_resident *) residents = {0};
    SC_EACH_LIVING(process, observation) {
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
    observation->rss_ns = now_ns;
    bytes = bytes > most_bytes ? bytes : most_bytes;
    observation->rss_bytes = bytes;
    if (bytes > 0)
        sc_ledger_rss(&observation->ledger, now_ns, bytes);
}

void sc_observation_note_executable(struct sc_observation *observation)
{
    char *path = sc_process_link(observation->pid, "exe");
    if (path == NULL)
        return;
    free(observation->executable);
    observation->executable = path;
    observation->is_other_users = sc_process_is_other_users(observation->pid);
}

void sc_observation_done(struct sc_observation *observation)
{
    SC_EACH_PROCESS(process, observation)
        sc_process_free(process);
    sc_vec_done(&observation->processes);
    sc_tree_done(&observation->tree);
    sc_ledger_done(&observation->ledger);
    sc_owners_done(&observation->owners);
    sc_awaits_done(&observation->awaits);
    sc_gpu_done(&observation->gpu);
    sc_loads_done(&observation->loads);
    sc_remote_done(&observation->tasks);
    sc_run_scope_done(&observation->run_scope);
    sc_charge_young_done(&observation->young);
    sc_collect_done(&observation->collect);
    sc_symbols_free(observation->symbols);
    sc_rendezvous_close(&observation->rendezvous);
    sc_control_close(&observation->control);
    sc_group_close(&observation->group);
    sc_close(&observation->reserved_fd);
    sc_close(&observation->signal_fd);
    sc_cell_sources_done(&observation->cell_sources);
    sc_sent_code_done(&observation->sent);
    sc_helper_free(observation->helper);
    sc_helper_free(observation->slow);
    sc_helper_free(observation->sources);
    free(observation->directory);
    free(observation->executable);
    free(observation->not_loaded);
    free(observation->loader.rendezvous);
}
