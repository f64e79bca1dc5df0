/* agent/home.c - see home.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/home.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/rules.h"
#include "agent/state.h"

/* A page that is zeroed in every child; a getpid each time would cost a program that allocates more
 * than all the rest. NULL where the kernel has no such pages. */
static _Atomic uint32_t *home;

static void make_home(void)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, page_bytes, MADV_WIPEONFORK) != 0) {
        (void)munmap(page, page_bytes);
        return;
    }
    home = page;
}

void sc_home_begin(void)
{
    if (home == NULL)
        make_home();
    if (home != NULL)
        atomic_store(home, 1);
}

SC_SIGNAL_SAFE bool sc_home_is_this_process(void)
{
    return home != NULL ? atomic_load_explicit(home, memory_order_relaxed) != 0
                        : getpid() == sc_agent.pid;
}
