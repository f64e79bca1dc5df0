/* observer/lifecycle/records.c - see records.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/records.h"

#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "observer/process/threads.h"
#include "observer/process/tree.h"
#include "observer/sample/account.h"
#include "observer/sample/stack.h"
#include "observer/waiting/watch.h"

/* At most so many records of blocks wait until the blocks are looked at. */
#define BLOCK_EVENTS_MAX 65536U

/* When reading the records took longer than this, others have come that are read at once, too. */
#define LATE_NS    20000000U
#define DRAINS_MAX 8U

static void take_thread_start(struct sc_process *process,
                              const struct sc_record_thread_start *record)
{
    if (!sc_process_takes_thread(process, (pid_t)record->tid))
        return;
    struct sc_watched_thread *thread = sc_process_new_thread(process, (pid_t)record->tid);
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    thread->pthread_self = record->pthread_self;
    thread->charge.is_main = record->is_main != 0;
    thread->charge.creator_id = record->creator_tid;
    if (record->is_pythons != 0 && !thread->charge.is_main) {
        sc_charge_begin_life(&thread->charge, SC_LIFE_OF_THREAD, 0);
        account->has_python = true; /* whether it lives for long enough to be seen or not */
    }
    if (account->tid != record->tid) /* an entry that many threads share */
        return;
    account->is_main = thread->charge.is_main;
    account->python_ident = record->pthread_self;
    if (record->name[0] != '\0') {
        memcpy(account->name, record->name, sizeof(account->name));
        account->name[sizeof(account->name) - 1] = '\0';
    }
}

static void take_thread_end(struct sc_process *process, const struct sc_record_thread_end *record)
{
    if (!sc_process_takes_thread(process, (pid_t)record->tid))
        return;
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)record->tid);
    sc_account_over(process, thread, record->cpu_ns);
    sc_watch_ended(process, thread, record->time_ns, record->cpu_ns);
    sc_process_thread_leaves(process, thread, record->cpu_ns);
    sc_process_thread_ended(process, thread);
}

static void take_process_end(struct sc_process *process, const struct sc_record_process_end *record)
{
    process->ending.is_reported = true;
    process->ending.reported_ns = record->time_ns;
    process->ending.reported_cpu_ns = record->cpu_ns;
    process->ending.is_least = record->is_least != 0;
    if (record->status != SC_STATUS_UNKNOWN) {
        process->ending.has_status = true;
        process->ending.status = record->status & 255; /* as a parent gets it */
    }
    if (process->memory.max_rss_bytes < record->max_rss_kb * 1024)
        process->memory.max_rss_bytes = record->max_rss_kb * 1024;
}

static void take_code(struct sc_process *process, const struct sc_record_code *record)
{
    if (record->large_code != 0)
        sc_remote_forget(&process->stacks.remote);
    sc_codes_add_record(&process->stacks.codes, record, &process->layout, &process->stacks.target);
}

static void take_stack(struct sc_process *process, const struct sc_record_stack *record)
{
    struct sc_sent_stack sent = sc_sent_allocation(record);
    if (sc_memory_wants_stack(&process->memory.followed, record->stack_key))
        sc_memory_add_stack(&process->memory.followed, record->stack_key,
                            sc_stack_of(process, &sent));
}

static void take_gpu_work(struct sc_process *process, const struct sc_record_gpu_work *record)
{
    sc_devices_add_work(&process->devices, record,
                        sc_memory_node(&process->memory.followed, record->stack_key));
}

static void take_gpu_allocation(struct sc_process *process,
                                const struct sc_record_gpu_allocation *record)
{
    sc_devices_add_allocation(&process->devices, record,
                              sc_memory_node(&process->memory.followed, record->stack_key));
}

static void take_exec(struct sc_process *process, const struct sc_record_exec *record)
{
    bool is_childs = record->pid != 0 && (pid_t)record->pid != process->own_pid;
    /* a child that shares the process's memory has the same working directory */
    bool is_known = is_childs && !sc_pid_is_below(&process->names);
    if (record->pid != 0 && !is_childs)
        process->program.has_reported_exec = true;
    sc_tree_add_exec(process->tree, is_known ? (pid_t)record->pid : process->pid, record);
}

static void take_directory(struct sc_process *process, const struct sc_record_directory *record)
{
    SC_AUTO_FREE char *path = sc_strndup((const char *)(record + 1), record->length);
    process->stacks.codes.directory_changes++;
    sc_directories_enter(&process->stacks.codes.directories, path);
}

static void take_sample(struct sc_process *process, const struct sc_record_sample *record)
{
    sc_account_sample(process, record);
}

static void take_mark(struct sc_process *process, const struct sc_record_mark *record)
{
    sc_codes_mark(&process->stacks.codes, record);
}

static void take_child_end(struct sc_process *process, const struct sc_record_child_end *record)
{
    sc_tree_add_end(process->tree, process->names.namespace_id, record);
}

/* The labels that a thread has set. */
static uint32_t path_of(const struct sc_process *process, uint32_t tid)
{
    if (process->collect->units.paths.count == 0) /* the program has no labels */
        return 0;
    const struct sc_watched_thread *thread = sc_process_find_thread(process, (pid_t)tid);
    return thread != NULL ? thread->labels.path : 0;
}

static void take_label(struct sc_process *process, const struct sc_record_label *record)
{
    struct sc_units *units = &process->collect->units;
    if (!sc_process_takes_thread(process, (pid_t)record->tid))
        return;
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)record->tid);
    if (record->is_left != 0) {
        if (sc_units_leave(units, &thread->labels, record->span, record->time_ns, record->cpu_ns))
            sc_touched_add_label(&process->memory.touched, record->span, SC_NONE);
        return;
    }
    const struct sc_unit_open entered = {
        .span = record->span, .since_ns = record->time_ns, .since_cpu_ns = record->cpu_ns};
    uint32_t unit = sc_units_enter(units, &thread->labels, &entered, (const char *)(record + 1),
                                   record->length);
    if (unit != SC_NONE)
        sc_touched_add_label(&process->memory.touched, record->span, unit);
}

static void take_allocation(struct sc_process *process, const struct sc_record_allocation *record)
{
    sc_touched_add(&process->memory.touched, SC_RECORD_ALLOCATION, record);
    sc_touched_add_path(&process->memory.touched, path_of(process, record->tid));
}

static void take_free(struct sc_process *process, const struct sc_record_free *record)
{
    sc_touched_add(&process->memory.touched, SC_RECORD_FREE, record);
}

static void take_cut(struct sc_process *process, const struct sc_record_cut *record)
{
    sc_touched_add(&process->memory.touched, SC_RECORD_CUT, record);
}

static void take_copy(struct sc_process *process, const struct sc_record_copy *record)
{
    uint32_t path = path_of(process, record->tid);
    sc_memory_add_copy(&process->memory.followed, record);
    if (path != 0 && process->memory.followed.ledger != NULL)
        sc_units_copy(&process->collect->units, path, record->weight_bytes);
}

static void take_gpu_state(struct sc_process *process, const struct sc_record_gpu_state *record)
{
    sc_devices_add_state(&process->devices, record);
}

static void take_gpu_span(struct sc_process *process, const struct sc_record_gpu_span *record)
{
    sc_devices_add_span(&process->devices, record);
}

static void take_gpu_free(struct sc_process *process, const struct sc_record_gpu_free *record)
{
    sc_devices_add_free(&process->devices, record);
}

/* A kind of record without a take_ function does not compile. */
#define X_TAKE(kind, name, time, other_time, tid)                                                  \
    case SC_RECORD_##kind:                                                                         \
        take_##name(process, record);                                                              \
        break;
static void take(struct sc_process *process, enum sc_record_kind kind, const void *record)
{
    switch (kind) {
        SC_RECORDS(X_TAKE)
    case SC_RECORD_NONE:
    case SC_RECORD_PAD:
        break;
    }
}
#undef X_TAKE

static void drain(struct sc_process *process)
{
    enum sc_record_kind kind;
    if (process->classifier != NULL)
        sc_modules_note_unloads(sc_classifier_modules(process->classifier),
                                atomic_load(&process->reader.segment->unloads));
    for (const void *record; (record = sc_reader_next(&process->reader, &kind)) != NULL;) {
        process->program.has_reported_exec =
            process->program.has_reported_exec && kind == SC_RECORD_EXEC; /* else it has failed */
        take(process, kind, record);
        if (process->memory.touched.events.count < BLOCK_EVENTS_MAX)
            continue;
        sc_touched_measure(&process->memory.touched, sc_now_ns());
        sc_touched_flush(&process->memory.touched, sc_now_ns());
    }
}

static void drain_and_look(struct sc_process *process, uint64_t now_ns)
{
    drain(process);
    sc_touched_measure(&process->memory.touched, now_ns);
    if (process->memory.touched.blocks.count > 0) /* reads which blocks were gone at that look */
        drain(process);
    sc_touched_flush(&process->memory.touched, now_ns);
}

/* Names that no sample uses any more are forgotten after a while; the agent sends the others
 * again. */
static void begin_round_if_due(struct sc_process *process)
{
    if (!sc_codes_are_many(&process->stacks.codes) &&
        !sc_memory_has_many_stacks(&process->memory.followed))
        return;
    sc_codes_begin_round(&process->stacks.codes);
    sc_memory_begin_round(&process->memory.followed);
    sc_reader_ask_names_again(&process->reader);
}

/* A file system that does not answer delays a record of code for up to a second. Records that have
 * come meanwhile are read, too: a thread whose samples are among them must not seem to have
 * none. */
void sc_records_drain(struct sc_process *process)
{
    uint64_t begun_ns = 0;
    uint64_t now_ns = sc_now_ns();
    for (unsigned i = 0; i < DRAINS_MAX && now_ns - begun_ns > LATE_NS; i++) {
        begun_ns = now_ns;
        drain_and_look(process, begun_ns);
        now_ns = sc_now_ns();
    }
    begin_round_if_due(process);
}
