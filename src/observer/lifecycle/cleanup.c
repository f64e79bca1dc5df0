/*
 * observer/lifecycle/cleanup.c - frees what is known of a run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/lifecycle/cleanup.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/helper.h"
#include "observer/lifecycle/loads.h"
#include "observer/lifecycle/process_life.h"
#include "observer/system/descriptors.h"
#include "observer/system/remote_blocks.h"

void sc_observation_done(struct sc_observation *observation)
{
    for (size_t i = 0; i < observation->processes.count; i++)
        sc_process_free(observation->processes.items[i]);
    sc_vec_done(&observation->processes);
    sc_tree_done(&observation->tree);
    sc_ledger_done(&observation->ledger);
    sc_owners_done(&observation->owners);
    sc_awaits_done(&observation->awaits);
    sc_gpu_done(&observation->gpu);
    sc_loads_done(&observation->loads);
    sc_remote_blocks_done(&observation->blocks);
    sc_run_scope_done(&observation->run_scope);
    sc_charge_young_done(&observation->young);
    sc_collect_done(&observation->collect);
    sc_symbols_free(observation->symbols);
    sc_rendezvous_close(&observation->rendezvous);
    sc_control_close(&observation->control);
    sc_group_close(&observation->group);
    sc_descriptors_release(&observation->reserved_fd);
    if (observation->signal_fd >= 0)
        (void)close(observation->signal_fd);
    sc_cell_sources_done(&observation->cell_sources);
    sc_sent_code_done(&observation->sent);
    sc_helper_free(observation->helper);
    sc_helper_free(observation->slow);
    free(observation->directory);
    free(observation->executable);
    free(observation->not_loaded);
    free(observation->loader.rendezvous);
}
