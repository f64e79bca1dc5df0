/* observer/process/without_agent.c - see without_agent.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/without_agent.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cpython/modules.h"
#include "cpython/threads.h"
#include "observer/process/native_ids.h"
#include "observer/process/threads.h"

#define THREADS_MAX       4096U
#define NAMES_INTERVAL_NS 1000000000U
#define NEW_INTERVAL_NS   100000000U /* while the id of a thread is not known */

void sc_without_agent_facts(const struct sc_interpreter_facts *facts,
                            const struct sc_target *target, struct sc_segment_facts *ret_sent)
{
    ret_sent->interpreter = *facts;
    if (!sc_target_read(target, facts->runtime, ret_sent->runtime_head,
                        sizeof(ret_sent->runtime_head)))
        memset(ret_sent->runtime_head, 0, sizeof(ret_sent->runtime_head));
}

static bool needs_ids(const struct sc_process *process)
{
    SC_EACH(const struct sc_watched_thread, thread, &process->threads) {
        if (!thread->charge.ended && thread->pthread_self == 0)
            return true;
    }
    return false;
}

/* What is read at once. */
struct reading {
    struct sc_thread_entry entries[THREADS_MAX];
    size_t entry_count;
    struct sc_named_thread named[THREADS_MAX];
    size_t named_count;
    uint64_t stated[THREADS_MAX]; /* native ids of the entries, as Python has them */
    pid_t tids[THREADS_MAX];
};

static void read_ids(struct sc_process *process, struct reading *reading)
{
    size_t count = 0;
    for (size_t i = 0; i < process->threads.count && count < THREADS_MAX; i++) {
        if (!process->threads.items[i].charge.ended)
            reading->tids[count++] = process->threads.items[i].tid;
    }
    sc_native_ids_find(&process->threads.target, reading->entries, reading->entry_count,
                       reading->tids, count, &process->native_id_offset);
}

static const char *name_of(const struct reading *reading, uint64_t ident)
{
    for (size_t i = 0; i < reading->named_count; i++) {
        if (reading->named[i].ident == ident)
            return reading->named[i].name;
    }
    return "";
}

/* stated_tid: the thread's number as Python has it. */
static void note_thread(struct sc_process *process, const struct sc_thread_entry *entry,
                        uint64_t stated_tid, const char *name)
{
    struct sc_watched_thread *thread = sc_process_find_thread(process, (pid_t)entry->native_id);
    if (thread == NULL)
        return;
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    thread->pthread_self = entry->ident;
    thread->stated_tid = stated_tid;
    if (account->tid != (uint64_t)thread->tid) /* an entry that many threads share */
        return;
    account->python_ident = entry->ident;
    if (name[0] != '\0')
        (void)snprintf(account->name, sizeof(account->name), "%s", name);
}

void sc_without_agent_name_threads(struct sc_process *process, uint64_t now_ns)
{
    struct sc_task_layout at;
    struct sc_python python;
    bool by_native_id = process->layout.ts_native_thread_id >= 0;
    uint64_t interval_ns =
        !by_native_id && needs_ids(process) ? NEW_INTERVAL_NS : NAMES_INTERVAL_NS;
    if (now_ns < process->named_ns + interval_ns ||
        !sc_python_init(&python, &at, &process->layout, &process->threads.target,
                        process->facts.runtime))
        return;
    process->named_ns = now_ns;
    SC_AUTO_FREE struct reading *reading = sc_alloc(1, sizeof(*reading));
    bool is_whole = false;
    sc_remote_forget(&process->threads.remote);
    reading->entry_count =
        sc_threads_read(&python, process->facts.runtime, reading->entries, THREADS_MAX, &is_whole);
    for (size_t i = 0; i < reading->entry_count; i++)
        reading->stated[i] = reading->entries[i].native_id;
    read_ids(process, reading);
    reading->named_count = sc_named_threads_read(
        &python, sc_main_interpreter(&python, process->facts.runtime), reading->named, THREADS_MAX);
    for (size_t i = 0; i < reading->entry_count; i++)
        note_thread(process, &reading->entries[i], reading->stated[i],
                    name_of(reading, reading->entries[i].ident));
}
