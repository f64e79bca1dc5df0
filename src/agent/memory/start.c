/* agent/memory/start.c - see start.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/memory/start.h"

#include <dlfcn.h>
#include <stddef.h>

#include "agent/memory/hook_mmap.h"
#include "agent/memory/hook_python_memory.h"
#include "agent/memory/mappings.h"
#include "agent/memory/memory.h"
#include "agent/memory/sampling_budget.h"
#include "agent/rules.h"

void sc_memory_prepare(void)
{
    sc_hook_malloc_look_up();
    sc_hook_copy_look_up();
}

void sc_memory_start(void)
{
    static bool has_hooks; /* they stay when profiling ends and begins again */
    int (*is_finalizing)(void);
    void *found = dlsym(RTLD_DEFAULT, "Py_IsFinalizing"); /* 3.13 and later */
    if (found == NULL)
        found = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    __builtin_memcpy(&is_finalizing, &found, sizeof(found));
    if (sc_agent.memory_window_bytes == 0)
        return;
    if (!has_hooks) {
        sc_hook_python_memory_init();
        sc_hook_mmap_init();
    }
    has_hooks = true;
    sc_memory_begin(is_finalizing);
    sc_mappings_clear(); /* those of the previous profile; frees their slots */
    sc_memory_begin_large();
    sc_hook_python_memory_begin(sc_sampling_large_bytes());
}

SC_SIGNAL_SAFE void sc_memory_stop(void)
{
    sc_memory_end_sampling();
}

SC_SIGNAL_SAFE void sc_memory_end(void)
{
    sc_memory_send_postponed_frees();
}

void sc_memory_after_fork(bool followed)
{
    sc_mappings_after_fork();
    sc_memory_blocks_after_fork(followed);
}
