/* observer/lifecycle/pauses.c - see pauses.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/pauses.h"

#include <unistd.h>

#include "base/io.h"
#include "observer/system/procfs.h"

#define LATE_NS     250000000U  /* what is less may be anything */
#define INTERVAL_NS 1000000000U /* the delay is read about so often */

static uint64_t stopped_for(struct sc_own_delay *known, uint64_t due_ns, uint64_t now_ns)
{
    uint64_t late_ns = now_ns > due_ns ? now_ns - due_ns : 0;
    struct sc_schedstat own;
    if ((late_ns < LATE_NS && now_ns < known->read_ns + INTERVAL_NS) ||
        sc_schedstat_read(getpid(), getpid(), -1, &own) != SC_PROC_READ)
        return 0;
    uint64_t delay_ns = own.delay_ns - known->delay_ns;
    *known = (struct sc_own_delay){.read_ns = now_ns, .delay_ns = own.delay_ns};
    return late_ns >= LATE_NS && delay_ns < late_ns / 2 ? late_ns - delay_ns : 0;
}

void sc_observation_note_stop(struct sc_observation *observation, uint64_t due_ns)
{
    uint64_t stopped_ns = stopped_for(&observation->own_delay, due_ns, sc_now_ns());
    if (stopped_ns == 0 || observation->paused)
        return;
    observation->paused_ns += stopped_ns;
    SC_EACH_PROCESS(process, observation)
        process->was_stopped = true;
}

uint64_t sc_observation_paused_since(const struct sc_observation *observation, uint64_t now_ns)
{
    uint64_t begun_ns = now_ns;
    SC_EACH_PROCESS(process, observation) {
        if (process->charge.begun && process->charge.begun_ns < begun_ns)
            begun_ns = process->charge.begun_ns;
    }
    return observation->paused_from_ns > begun_ns ? observation->paused_from_ns : begun_ns;
}
