/* observer/system/subject.c - see subject.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/subject.h"

#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "base/io.h"
#include "observer/system/core.h"
#include "observer/system/core_registers.h"
#include "observer/system/pid_namespace.h"

struct sc_remote sc_subject_remote(struct sc_subject subject)
{
    return (struct sc_remote){.pid = subject.pid, .core = subject.core};
}

bool sc_subject_maps(struct sc_subject subject, size_t limit_bytes, struct sc_str *ret_text)
{
    if (subject.core != NULL) {
        sc_core_maps(subject.core, ret_text);
        return true;
    }
    SC_AUTO_FREE char *path = sc_format("/proc/%d/maps", (int)subject.pid);
    return sc_read_file(path, limit_bytes, ret_text, NULL);
}

char *sc_subject_path(struct sc_subject subject, const char *name, bool is_mapped)
{
    if (subject.core == NULL)
        return sc_format("/proc/%d/root%s", (int)subject.pid, name);
    return is_mapped ? sc_core_path(subject.core, name) : sc_strdup(name);
}

char *sc_subject_program(struct sc_subject subject)
{
    if (subject.core == NULL)
        return sc_process_link(subject.pid, "exe");
    const char *name = sc_core_program(subject.core);
    return name != NULL ? sc_strdup(name) : NULL;
}

static const struct sc_core_thread *thread_of(struct sc_subject subject, pid_t tid)
{
    const struct sc_core_file *facts = sc_core_facts(subject.core);
    for (size_t i = 0; i < facts->threads.count; i++) {
        if (facts->threads.items[i].tid == tid)
            return &facts->threads.items[i];
    }
    return NULL;
}

size_t sc_subject_threads(struct sc_subject subject, pid_t *ret_tids, pid_t *ret_own_tids,
                          size_t capacity)
{
    size_t count = 0;
    if (subject.core == NULL)
        count = sc_threads_list(subject.pid, ret_tids, capacity);
    for (size_t i = 0; i < count; i++) {
        struct sc_pid_numbers numbers;
        ret_own_tids[i] = sc_pid_numbers_read(subject.pid, ret_tids[i], &numbers) == SC_PROC_READ
                              ? sc_pid_own(&numbers)
                              : ret_tids[i];
    }
    const struct sc_core_file *facts = subject.core != NULL ? sc_core_facts(subject.core) : NULL;
    for (; facts != NULL && count < facts->threads.count && count < capacity; count++)
        ret_tids[count] = ret_own_tids[count] = facts->threads.items[count].tid;
    return count;
}

/* A call that does not wait, though a core may show the thread in it. */
static bool wakes_another(const struct sc_blocked *blocked)
{
    return blocked->number == SYS_futex &&
           (blocked->arguments[1] & (uint64_t)FUTEX_CMD_MASK) == FUTEX_WAKE;
}

bool sc_subject_look(struct sc_subject subject, pid_t tid, const struct sc_target *target,
                     struct sc_subject_look *ret)
{
    *ret = (struct sc_subject_look){0};
    if (subject.core != NULL) {
        const struct sc_core_thread *thread = thread_of(subject, tid);
        if (thread == NULL)
            return false;
        sc_core_registers(thread, target, &ret->registers, &ret->blocked);
        if (wakes_another(&ret->blocked))
            ret->blocked.running = true;
        return true;
    }
    if (sc_schedstat_read(subject.pid, tid, -1, &ret->stat) != SC_PROC_READ)
        return false;
    if (sc_blocked_read(subject.pid, tid, -1, &ret->blocked) == SC_BLOCKED_GONE) {
        /* only root may ask about a first thread that has ended */
        if (sc_stat_read(subject.pid, tid).state != 'Z')
            return false;
        ret->blocked = (struct sc_blocked){.number = -1};
    }
    ret->registers.pc = ret->blocked.instruction;
    ret->registers.values[sc_machine.stack_column] = ret->blocked.stack;
    ret->registers.known = 1U << sc_machine.stack_column;
    return true;
}

bool sc_subject_schedstat(struct sc_subject subject, pid_t tid, struct sc_schedstat *ret)
{
    *ret = (struct sc_schedstat){0};
    return subject.core != NULL || sc_schedstat_read(subject.pid, tid, -1, ret) == SC_PROC_READ;
}

char sc_subject_state(struct sc_subject subject, pid_t tid)
{
    return subject.core != NULL ? 'S' : sc_stat_read(subject.pid, tid).state;
}

void sc_subject_thread_name(struct sc_subject subject, pid_t tid, char ret_name[64])
{
    if (subject.core == NULL)
        sc_thread_comm(subject.pid, tid, ret_name);
    else
        (void)snprintf(ret_name, 64, "%s",
                       tid == subject.pid ? sc_core_facts(subject.core)->name : "");
}
