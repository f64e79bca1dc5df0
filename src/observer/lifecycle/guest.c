/* observer/lifecycle/guest.c - see guest.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/guest.h"

#include <unistd.h>

#include "base/io.h"
#include "observer/lifecycle/following.h"
#include "observer/lifecycle/process_life.h"
#include "observer/lifecycle/records.h"

void sc_guest_poll(struct sc_observation *observation)
{
    if (!sc_guest_is(observation) || !sc_process_is_over(observation->pid))
        return;
    struct sc_process *process = sc_following_find(observation, observation->pid);
    uint64_t cpu_ns = 0;
    sc_guest_leave(observation);
    if (process == NULL)
        return;
    sc_records_drain(process);
    if (!sc_process_cpu(process->pid, &cpu_ns) && process->ending.is_reported)
        cpu_ns = process->ending.reported_cpu_ns;
    observation->exited = process->ending.has_status;
    observation->exit_status = process->ending.status;
    sc_process_end(process, observation->ended_ns, cpu_ns);
}

void sc_guest_answer(const struct sc_observation *observation, bool is_written)
{
    if (observation->finish_peer >= 0 && is_written)
        sc_control_answer(observation->finish_peer, false);
    else if (observation->finish_peer >= 0)
        (void)close(observation->finish_peer);
}

void sc_guest_leave(struct sc_observation *observation)
{
    observation->ended_ns = sc_now_ns();
    observation->is_over = true;
}
