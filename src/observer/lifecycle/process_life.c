/* observer/lifecycle/process_life.c - see process_life.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/process_life.h"

#include "base/io.h"
#include "costs/leak.h"
#include "observer/lifecycle/process_poll.h"
#include "observer/lifecycle/records.h"
#include "observer/process/facts.h"
#include "observer/process/threads.h"
#include "observer/process/tree.h"
#include "observer/sample/workers.h"
#include "observer/system/exit_status.h"
#include "observer/waiting/awaiting.h"
#include "observer/waiting/blocked_stack.h"

static void describe(struct sc_process *process, const struct sc_process *parent,
                     const char *executable)
{
    process->is_forked = process->reader.is_forked;
    process->parent_pid = sc_process_parent(process->pid);
    if (process->parent_pid == 0 && parent != NULL)
        process->parent_pid = parent->pid;
    else if (process->parent_pid == 0 && !sc_pid_is_below(&process->names))
        process->parent_pid = (pid_t)process->reader.parent_pid;
    /* a forked child may have executed something since it said hello */
    if (parent != NULL && parent->program.path != NULL)
        process->program.path = sc_strdup(parent->program.path);
    else
        process->program.path = sc_process_link(process->pid, "exe");
    process->program.file = parent != NULL ? parent->program.file : sc_process_file(process->pid);
    if (process->program.path == NULL && executable[0] == '/')
        process->program.path = sc_strdup(executable);
    process->command =
        parent != NULL ? sc_strdup(parent->command) : sc_process_command(process->pid);
}

static bool find_layout(struct sc_process *process, const struct sc_process *parent,
                        bool allow_unknown)
{
    if (parent == NULL)
        return sc_facts_layout(&process->reader, allow_unknown, &process->layout);
    process->layout = parent->layout;
    return true;
}

/* A child has been in the directories of its parent, in which its code may have been made. */
static void name_directories(struct sc_process *process, const struct sc_process *parent,
                             const struct sc_observation *observation)
{
    struct sc_directories *directories = &process->stacks.codes.directories;
    SC_AUTO_FREE char *own = sc_process_link(process->pid, "cwd");
    SC_AUTO_FREE char *first = parent == NULL ? sc_process_began_in(process->pid) : NULL;
    directories->helper = observation->run_scope.scope.helper;
    if (first != NULL)
        sc_directories_enter(directories, first);
    if (observation->directory != NULL)
        sc_directories_enter(directories, observation->directory);
    if (parent != NULL)
        sc_directories_inherit(directories, &parent->stacks.codes.directories);
    if (own != NULL)
        sc_directories_enter(directories, own);
}

static bool count_pages(void *context, struct sc_pages_range range, uint64_t *ret_bytes,
                        bool *ret_never)
{
    struct sc_process *process = context;
    bool is_known = sc_pages_count(&process->memory.pages, process->pid, range, ret_bytes);
    *ret_never = process->memory.pages.is_refused;
    uint64_t size_bytes = range.end - range.start;
    if (is_known || *ret_never || size_bytes <= sc_pages_limit(&process->memory.pages))
        return is_known;
    uint64_t rss_bytes = sc_process_rss(process->pid); /* no more bytes can be present */
    *ret_bytes = rss_bytes < size_bytes ? rss_bytes : size_bytes;
    return rss_bytes > 0;
}

/* A program that the process executes has other pages. */
static uint64_t resident(void *context)
{
    const struct sc_process *process = context;
    if (process->program.has_reported_exec || process->program.is_replaced ||
        process->ending.is_over || atomic_load(&process->reader.segment->memory_is_over) != 0)
        return 0;
    return sc_process_rss(process->pid);
}

/* Sets pages and touched of a process that is being made, whose followed memory is set. */
static void begin_pages(struct sc_process *process)
{
    process->memory.pages = (struct sc_pages){.fd = -1};
    process->memory.touched = (struct sc_touched){
        .memory = &process->memory.followed,
        .source = {.context = process,
                   .count = count_pages,
                   .resident = resident,
                   .now_ns = sc_now_ns,
                   .cpu_ns = sc_own_cpu_ns},
    };
}

struct sc_process *sc_process_new(struct sc_observation *observation, pid_t pid,
                                  const struct sc_pid_names *names, const struct sc_process *parent,
                                  const char *executable, struct sc_reader *reader)
{
    const struct sc_run_plan *plan = observation->plan;
    struct sc_process *process = sc_alloc(1, sizeof(*process));
    process->collect = &observation->collect;
    process->young = &observation->young;
    process->owners = &observation->owners;
    process->helper = observation->helper;
    process->tree = &observation->tree;
    process->memory.followed.ledger = plan->memory ? &observation->ledger : NULL;
    process->memory.followed.units = &observation->collect.units;
    begin_pages(process);
    process->devices.gpu = plan->gpu ? &observation->gpu : NULL;
    process->stacks.native =
        (struct sc_native){.collect = &observation->collect, .symbols = observation->symbols};
    process->reader = *reader;
    process->pid = pid;
    process->names = *names;
    process->own_pid = sc_pid_own(&names->numbers);
    process->ending.status_fd = sc_exit_status_open(pid);
    process->known_ns = sc_now_ns();
    process->stacks.remote.pid = process->pid;
    process->threads.remote.pid = process->pid;
    process->stacks.target =
        (struct sc_target){.read = sc_remote_read, .context = &process->stacks.remote};
    process->threads.target =
        (struct sc_target){.read = sc_remote_read, .context = &process->threads.remote};
    process->facts = sc_facts_read(reader);
    process->charge.interval_ns = reader->pace.interval_ns;
    process->gap.processors = sc_process_processors(process->pid);
    process->charge.jiffy_ns = sc_jiffy_ns();
    process->gap.jiffy_ns = (int64_t)process->charge.jiffy_ns;
    if (!find_layout(process, parent, plan->allow_unknown_python)) {
        sc_reader_close(&process->reader);
        sc_remote_done(&process->stacks.remote);
        sc_close(&process->ending.status_fd);
        free(process);
        (void)sc_fail(&observation->failure, SC_ERR_FAILED,
                      "what the agent says of its interpreter makes no sense");
        return NULL;
    }
    describe(process, parent, executable);
    process->is_root = true;
    sc_codes_init(&process->stacks.codes, &observation->collect, process->layout.line_table_kind);
    name_directories(process, parent, observation);
    process->stacks.codes.cell_sources = &observation->cell_sources;
    process->stacks.codes.sent = &observation->sent;
    process->stacks.codes.cells = (struct sc_cells){.subject = {.pid = process->pid},
                                                    .layout = &process->layout,
                                                    .runtime = process->facts.runtime};
    return process;
}

/* Sets refused from all parts that read the process. */
static void note_refusals(struct sc_process *process)
{
    struct sc_refusals *refused = &process->refused;
    refused->memory = refused->memory || process->stacks.remote.forbidden ||
                      process->threads.remote.forbidden ||
                      (process->tasks.awaiting != NULL && process->tasks.awaiting->is_forbidden);
    refused->pages = refused->pages || process->memory.pages.is_refused;
    if (process->classifier != NULL &&
        sc_modules_are_refused(sc_classifier_modules(process->classifier)))
        refused->maps = true;
}

/* Frees what only a running process needs; a tree may have many that have ended. */
static void release(struct sc_process *process)
{
    note_refusals(process);
    sc_workers_end(process);
    sc_vec_done_each(&process->threads, sc_process_let_go_of);
    sc_vec_done(&process->threads.free_places);
    sc_vec_done(&process->threads.leaving);
    sc_vec_done(&process->threads.gone);
    sc_map_done(&process->threads.gone_index);
    sc_map_done(&process->threads.index);
    sc_map_done(&process->threads.proc_index);
    sc_codes_done(&process->stacks.codes);
    sc_touched_done(&process->memory.touched);
    sc_pages_close(&process->memory.pages);
    if (!process->memory.is_kept)
        sc_followed_memory_done(&process->memory.followed);
    sc_devices_done(&process->devices);
    sc_native_done(&process->stacks.native);
    sc_kept_stacks_done(&process->stacks.kept);
    sc_blocked_stacks_done(&process->stacks.blocked);
    sc_classifier_free(process->classifier);
    process->classifier = NULL;
    sc_awaiting_free(process->tasks.awaiting);
    process->tasks.awaiting = NULL;
    sc_remote_done(&process->stacks.remote);
    sc_process_forget_states(process);
    sc_remote_done(&process->threads.remote);
    sc_reader_close(&process->reader);
}

void sc_process_free(struct sc_process *process)
{
    if (process == NULL)
        return;
    process->memory.is_kept = false;
    release(process);
    sc_close(&process->ending.status_fd);
    free(process->program.path);
    free(process->command);
    free(process);
}

static void count(struct sc_process *process)
{
    const struct sc_segment *segment = process->reader.segment;
    process->counts = (struct sc_process_counts){
        .samples = atomic_load(&segment->samples),
        .attempts = atomic_load(&segment->attempts),
        .handler_cpu_ns = atomic_load(&segment->handler_cpu_ns),
        .memory_lost_bytes = atomic_load(&segment->memory_lost_bytes),
        .sealed_ns = atomic_load(&segment->sealed_ns),
        .held_up = sc_reader_is_held_up(&process->reader),
    };
    for (size_t i = 0; i < SC_AGENT_LOSS_COUNT_; i++)
        process->counts.losses[i] = atomic_load(&segment->losses[i]);
    process->counts.losses[SC_AGENT_LOSS_UNKNOWN_CODE] += process->stacks.codes.unknown;
}

void sc_process_prepare_report(struct sc_process *process, uint64_t now_ns)
{
    if (process->ending.is_over)
        return;
    process->ending.ended_ns = now_ns;
    process->ending.cpu_ns = process->gap.polled_cpu_ns;
    note_refusals(process);
    count(process);
}

/* The threads of a process that has ended while the run goes on. */
static void end_threads(const struct sc_process *process)
{
    for (size_t i = 0; i < process->threads.count; i++)
        process->collect->threads.items[process->threads.items[i].account].ended = true;
}

void sc_process_end(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns)
{
    if (process->ending.is_over)
        return;
    if (cpu_ns == 0 && !process->ending.is_reported) /* killed, and waited for */
        process->ending.is_unmeasured = true;
    if (cpu_ns < process->gap.polled_cpu_ns)
        cpu_ns = process->gap.polled_cpu_ns;
    sc_process_begin_if_due(process, now_ns, cpu_ns);
    sc_records_drain(process);
    sc_records_drain(process); /* records that came while blocks were looked at */
    if (process->ending.is_reported &&
        cpu_ns < process->ending.reported_cpu_ns) /* the process was gone before we looked */
        cpu_ns = process->ending.reported_cpu_ns;
    if (process->charge.begun)
        sc_process_close_books(process, now_ns, cpu_ns);
    if (process->program.has_reported_exec &&
        !process->ending.is_reported) /* what it executed has ended, or continues */
        process->program.is_replaced = true;
    process->ending.is_over = true;
    process->ending.ended_ns = now_ns;
    process->ending.cpu_ns = cpu_ns;
    count(process);
    sc_process_note_ending(process);
    if (!process->is_root && !process->program.is_replaced)
        end_threads(process);
    /* blocks alive at the end of a worker are freed with it, those of the last program count as
     * alive at exit */
    struct sc_tree *tree = process->tree;
    if (process->is_root && tree != NULL && tree->running_roots > 0)
        tree->running_roots--;
    process->memory.is_kept = process->is_root && !process->program.is_replaced &&
                              (tree == NULL || tree->running_roots == 0);
    if (process->memory.is_kept) {
        sc_memory_finish(&process->memory.followed, now_ns);
    } else {
        if (process->memory.followed.blocks != NULL)
            sc_leaks_of_worker(process->memory.followed.ledger, process->known_ns, now_ns);
        sc_memory_drop(&process->memory.followed, now_ns);
    }
    release(process);
}

void sc_process_forget_memory(struct sc_process *process, uint64_t now_ns)
{
    if (!process->memory.is_kept)
        return;
    process->memory.is_kept = false;
    sc_memory_drop(&process->memory.followed, now_ns);
    sc_followed_memory_done(&process->memory.followed);
}
