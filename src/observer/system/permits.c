/* observer/system/permits.c - see permits.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/permits.h"

#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"
#include "channel/task_clock.h"
#include "observer/system/modules.h"
#include "observer/system/pages.h"
#include "observer/system/procfs.h"
#include "observer/system/remote.h"

static void try_all(pid_t pid, uint64_t address, struct sc_refusals *ret)
{
    SC_AUTO(sc_remote_done) struct sc_remote remote = {.pid = pid};
    SC_AUTO(sc_pages_close) struct sc_pages pages = {.fd = -1};
    struct sc_blocked blocked = {0};
    uint64_t word = 0;
    uint64_t bytes = 0;
    (void)sc_remote_read(&remote, address, &word, sizeof(word));
    ret->memory = remote.forbidden;
    ret->calls = sc_blocked_read(pid, pid, -1, &blocked) == SC_BLOCKED_REFUSED;
    struct sc_modules *modules = sc_modules_new((struct sc_subject){.pid = pid}, address);
    ret->maps = sc_modules_are_refused(modules);
    (void)sc_pages_count(&pages, pid, (struct sc_pages_range){address, address + sizeof(word)},
                         &bytes);
    ret->pages = pages.is_refused;
    sc_modules_free(modules);
}

bool sc_permits_try(struct sc_refusals *ret_refusals)
{
    static uint64_t word = 1;
    pid_t pid = fork();
    if (pid < 0)
        return false;
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            (void)pause();
    }
    try_all(pid, (uint64_t)(uintptr_t)&word, ret_refusals);
    (void)sc_child_kill(pid, NULL);
    return true;
}

bool sc_permits_interval(uint64_t interval_ns)
{
    SC_AUTO_CLOSE int fd = interval_ns < sc_jiffy_ns() ? sc_task_clock_open(interval_ns) : -1;
    return fd >= 0 || interval_ns >= sc_jiffy_ns();
}
