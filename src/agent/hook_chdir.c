/*
 * agent/hook_chdir.c - records that the process is in another working directory.
 *
 * The name of a code object's file may be relative. It is resolved by the observer, which has to
 * know the directories that the process was in, and in which of them it was when the code was first
 * seen. Code that was first seen in one directory is never taken for code of another one, so the
 * number of changes is mixed into the keys of such code (scratch.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "channel/writer.h"

static void send_directory(void)
{
    char path[SC_TEXT_MAX];
    if (!sc_agent_is_active() || getpid() != sc_agent.pid) /* a child of vfork has another one */
        return;
    long got = syscall(SYS_getcwd, path, sizeof(path));
    if (got <= 1 || path[0] != '/') /* "(unreachable)..." */
        return;
    size_t length = (size_t)got - 1;
    struct sc_record_directory *record =
        sc_ring_reserve(sc_agent.segment, sizeof(*record) + length);
    if (record == NULL)
        return; /* names are looked for in the directory before */
    record->length = (uint32_t)length;
    record->unused = 0;
    char *text = (char *)(record + 1);
    for (size_t i = 0; i < length; i++)
        text[i] = path[i];
    sc_ring_commit(record, SC_RECORD_DIRECTORY, sizeof(*record) + length);
    (void)atomic_fetch_add_explicit(&sc_agent.directory_changes, 1, memory_order_relaxed);
}

/* After a call that has returned. */
static int after(int result)
{
    int saved_errno = errno;
    sc_agent_enter();
    if (result == 0)
        send_directory();
    sc_agent_leave();
    errno = saved_errno;
    return result;
}

SC_EXPORT int chdir(const char *path)
{
    return after(sc_real()->chdir(path));
}

SC_EXPORT int fchdir(int fd)
{
    return after(sc_real()->fchdir(fd));
}
