/* observer/snapshot/snapshot.c - see snapshot.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/snapshot/snapshot.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/io.h"
#include "cpython/code_key.h"
#include "cpython/modules.h"
#include "observer/charge/wait.h"
#include "observer/process/native_ids.h"
#include "observer/process/running_python.h"
#include "observer/snapshot/taking.h"
#include "observer/system/core.h"
#include "observer/waiting/blocked_stack.h"

#define THREADS_MAX      16384U
#define FRAMES_MAX       16384U
#define WALKS_MAX        8U
#define ASKING_PAUSE_NS  2000000
#define ASKING_LOOKS_MAX 64U /* at all threads together */
#define READINGS_MAX     32U /* of lists that change meanwhile */
#define FILES_TIMEOUT_NS 2000000000U
#define FINDS_MAX        40U /* of the interpreter: the process may be just executing a program */
#define FIND_PAUSE_NS    5000000

/* What a thread's stack was read as. */
struct stack {
    struct sc_py_frame *frames; /* FRAMES_MAX of them, innermost first */
    size_t count;
    bool is_whole;
};

static void read_stack(struct sc_taking *taking, uint64_t state, struct stack *ret)
{
    struct sc_process *process = &taking->process;
    struct sc_walk walk;
    sc_remote_forget(&process->stacks.remote);
    sc_walk_begin(&walk, &process->layout, &process->stacks.target, process->facts.code_type,
                  state);
    ret->count = 0;
    while (ret->count < FRAMES_MAX && sc_walk_next(&walk, &ret->frames[ret->count]))
        ret->count++;
    ret->is_whole = walk.end == SC_WALK_ROOT || ret->count == FRAMES_MAX;
}

static bool is_same_stack(const struct stack *one, const struct stack *other)
{
    if (one->count != other->count || !one->is_whole || !other->is_whole)
        return false;
    for (size_t i = 0; i < one->count; i++) {
        if (one->frames[i].address != other->frames[i].address ||
            one->frames[i].code != other->frames[i].code)
            return false;
    }
    return true;
}

/* The first argument of a frame that runs a function of threading.py, by the last part of its name;
 * 0 when it runs anything else. */
static uint64_t self_in_threading(const struct sc_python *python, const struct sc_py_frame *frame,
                                  const char *wanted)
{
    struct sc_code_facts facts;
    struct sc_frame_values values;
    char name[64];
    char file[512];
    size_t name_length = 0;
    size_t file_length = 0;
    uint64_t self_name = 0;
    uint64_t self = 0;
    if (!sc_code_read(python->layout, python->target, frame->code, &facts) ||
        !sc_unicode_read(python->layout, python->target, facts.name, name, sizeof(name) - 1,
                         &name_length) ||
        !sc_unicode_read(python->layout, python->target, facts.filename, file, sizeof(file) - 1,
                         &file_length))
        return 0;
    name[name_length] = '\0';
    file[file_length] = '\0';
    return strcmp(sc_after_last(name, '.'), wanted) == 0 && sc_ends_with(file, "/threading.py") &&
                   sc_frame_values_read(python, frame, &values) && values.variables > 0 &&
                   sc_frame_variable(python, &values, 0, &self_name, &self)
               ? self
               : 0;
}

static size_t without(struct sc_lock *locks, size_t count, uint64_t lock)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (locks[i].object != lock)
            locks[kept++] = locks[i];
    }
    return kept;
}

/* Whether a frame, or one further in, may have released a lock of that frame's blocks. */
static bool may_release(const struct sc_python *python, const struct stack *stack, size_t frame)
{
    for (size_t i = 0; i <= frame; i++) {
        bool is_new = i == 0 || stack->frames[i].code != stack->frames[i - 1].code;
        if (is_new && sc_code_names(python, stack->frames[i].code, "release"))
            return true;
    }
    return false;
}

/* Locks that the frames hold or have at hand. */
static void read_locks(struct sc_taking *taking, const struct stack *stack,
                       struct sc_taken_thread *thread)
{
    const struct sc_python *python = &taking->python;
    bool is_in_futex = !thread->blocked.running && !thread->blocked.is_refused &&
                       thread->blocked.number == SYS_futex;
    thread->held_count = 0;
    thread->seen_count = 0;
    thread->is_parked =
        is_in_futex && sc_lock_of_parked(python, thread->blocked.arguments[0], &thread->parked_for);
    for (size_t i = 0; i < stack->count; i++) {
        struct sc_frame_values values;
        if (!sc_frame_values_read(python, &stack->frames[i], &values))
            continue;
        if (i == 0)
            thread->seen_count =
                sc_frame_locks_seen(python, &values, thread->seen, SC_LOCKS_PER_THREAD);
        size_t found = sc_frame_locks_held(python, &values, thread->held + thread->held_count,
                                           SC_LOCKS_PER_THREAD - thread->held_count);
        if (found > 0 && !may_release(python, stack, i))
            thread->held_count += found;
    }
    /* Condition.wait has given its lock up, or is just taking it again */
    for (size_t i = 0; i < stack->count && thread->held_count > 0; i++) {
        uint64_t lock = 0;
        uint64_t self = self_in_threading(python, &stack->frames[i], "wait");
        if (self != 0 && sc_instance_find(python, self, "_lock", &lock))
            thread->held_count = without(thread->held, thread->held_count, lock);
    }
}

/* The thread that the innermost frame waits for to end; 0 without one. */
static uint64_t joined_by(const struct sc_python *python, const struct stack *stack)
{
    static const char *const names[] = {"join", "_wait_for_tstate_lock"};
    struct sc_named_thread joined;
    for (size_t i = 0; i < 2 && stack->count > 0; i++) {
        uint64_t self = self_in_threading(python, &stack->frames[0], names[i]);
        if (self != 0 && sc_named_thread_read(python, self, &joined))
            return joined.ident;
    }
    return 0;
}

static void read_python(struct sc_taking *taking, struct sc_taken_thread *thread,
                        struct sc_snapshot_thread *shown, struct stack *stack)
{
    const struct sc_thread_entry *entry = &thread->entry;
    read_stack(taking, entry->state, stack);
    read_locks(taking, stack, thread);
    thread->joined = joined_by(&taking->python, stack);
    thread->gil = sc_gil_read(&taking->python, taking->process.facts.runtime, entry->interpreter);
    shown->holds_gil = thread->gil.holder == entry->state;
}

/* Whether the thread runs without the GIL while another one has it, and it is worth looking again:
 * a thread that waits for the GIL wakes up every 5 ms to ask for it. */
static bool may_be_asking(struct sc_taking *taking, const struct sc_taken_thread *thread,
                          const struct sc_snapshot_thread *shown)
{
    const struct timespec pause = {.tv_nsec = ASKING_PAUSE_NS};
    if (taking->subject.core != NULL || shown->is_blocked || shown->holds_gil ||
        thread->gil.holder == 0 || taking->asking_looks == ASKING_LOOKS_MAX)
        return false;
    taking->asking_looks++;
    (void)nanosleep(&pause, NULL);
    return true;
}

/* Reads the stack until it is consistent, or gives up and marks it as moving. False when the thread
 * is gone. */
static bool read_consistent(struct sc_taking *taking, pid_t tid, struct sc_taken_thread *thread,
                            struct sc_snapshot_thread *shown, struct stack both[2])
{
    struct sc_subject_look look;
    shown->is_moving = true;
    both[0].count = 0;
    for (unsigned i = 0; i < WALKS_MAX && shown->is_moving; i++) {
        struct sc_schedstat after;
        if (!sc_subject_look(taking->subject, tid, &taking->process.stacks.target, &look))
            return false;
        thread->stat = look.stat;
        thread->blocked = look.blocked;
        thread->registers = look.registers;
        shown->is_blocked = !thread->blocked.running;
        both[0].count = 0;
        both[0].is_whole = true;
        if (thread->entry.state != 0)
            read_python(taking, thread, shown, &both[0]);
        if (shown->is_blocked) {
            shown->is_moving = !sc_subject_schedstat(taking->subject, tid, &after) ||
                               sc_wait_has_run(&thread->stat, &after) || !both[0].is_whole;
        } else if (thread->entry.state != 0) {
            read_stack(taking, thread->entry.state, &both[1]);
            shown->is_moving = !is_same_stack(&both[0], &both[1]) ||
                               (i + 1 < WALKS_MAX && may_be_asking(taking, thread, shown));
        } else {
            shown->is_moving = false;
        }
    }
    return true;
}

/* Adds the names that the module threading of an interpreter knows. */
static void read_names(struct sc_taking *taking, uint64_t interpreter)
{
    SC_AUTO_FREE struct sc_named_thread *named = sc_alloc(THREADS_MAX, sizeof(*named));
    size_t count = sc_named_threads_read(&taking->python, interpreter, named, THREADS_MAX);
    for (size_t i = 0; i < count; i++)
        sc_vec_push(&taking->named, named[i]);
}

/* A thread that begins may have its state where that of another was that has just ended, not yet
 * linked: the list seems to end there. So its end has to be found twice. */
static void read_entries(struct sc_taking *taking, const pid_t *own_tids, size_t tid_count)
{
    struct sc_process *process = &taking->process;
    SC_AUTO_FREE struct sc_thread_entry *entries = sc_alloc(THREADS_MAX, sizeof(*entries));
    size_t count = 0;
    uint64_t last = 0;
    bool is_sure = false;
    for (unsigned i = 0; i < READINGS_MAX && !is_sure; i++) {
        bool is_whole = false;
        sc_remote_forget(&process->stacks.remote);
        count = sc_threads_read(&taking->python, process->facts.runtime, entries, THREADS_MAX,
                                &is_whole);
        uint64_t end = is_whole && count > 0 ? entries[count - 1].state : 0;
        is_sure = end != 0 && end == last;
        last = end;
    }
    for (size_t i = 0; i < count; i++)
        sc_vec_push(&taking->entries, entries[i]);
    sc_native_ids_find(&process->stacks.target, taking->entries.items, taking->entries.count,
                       own_tids, tid_count, &(uint32_t){0});
    uint64_t main = sc_main_interpreter(&taking->python, process->facts.runtime);
    read_names(taking, main); /* first: a thread may be known in others under a name of no use */
    for (size_t i = 0; i < count; i++) { /* the threads of an interpreter stand together */
        uint64_t other = entries[i].interpreter;
        if (other != main && (i == 0 || other != entries[i - 1].interpreter))
            read_names(taking, other);
    }
}

/* A thread has a state in each interpreter that it has made; the one in use has frames. */
static struct sc_thread_entry entry_of(const struct sc_taking *taking, pid_t own_tid)
{
    const struct sc_process *process = &taking->process;
    struct sc_thread_entry found = {0};
    SC_EACH(const struct sc_thread_entry, entry, &taking->entries) {
        struct sc_walk walk;
        if (entry->native_id != (uint64_t)own_tid)
            continue;
        sc_walk_begin(&walk, &process->layout, &process->stacks.target, 0, entry->state);
        bool is_used = walk.end == SC_WALK_MORE && walk.next_frame != 0;
        if (found.state == 0 || is_used)
            found = *entry;
        if (is_used)
            break;
    }
    return found;
}

static void name_thread(const struct sc_taking *taking, struct sc_snapshot_thread *thread)
{
    char comm[64];
    SC_EACH(const struct sc_named_thread, named, &taking->named) {
        if (thread->ident == 0 || named->ident != thread->ident)
            continue;
        thread->name = sc_strdup(named->name);
        thread->is_daemon = named->is_daemon;
        return;
    }
    sc_subject_thread_name(taking->subject, thread->tid, comm);
    thread->name = sc_strdup(thread->is_main && thread->ident != 0 ? "MainThread" : comm);
}

static const char *running_words(const struct sc_taking *taking,
                                 const struct sc_snapshot_thread *thread, char state)
{
    if (state == 'Z')
        return "has ended";
    if (state == 'T' || state == 't')
        return state == 'T' ? "stopped by a signal" : "stopped by a debugger";
    if (thread->ident == 0)
        return "runs native code";
    if (taking->process.facts.free_threaded)
        return "runs";
    return thread->holds_gil ? "runs" : "runs native code, or is about to wait for the GIL";
}

static void take_thread(struct sc_taking *taking, pid_t tid, pid_t own_tid, struct stack both[2])
{
    struct sc_process *process = &taking->process;
    struct sc_taken_thread thread = {.entry = entry_of(taking, own_tid)};
    struct sc_snapshot_thread shown = {
        .tid = tid,
        .ident = thread.entry.ident,
        .is_main = tid == process->pid,
        .waits_for = SC_SNAPSHOT_NOBODY,
    };
    if (!read_consistent(taking, tid, &thread, &shown, both))
        return;
    name_thread(taking, &shown);
    uint64_t number = thread.entry.state == 0
                          ? 0
                          : sc_thread_interpreter_number(&process->layout, &process->stacks.target,
                                                         thread.entry.state);
    shown.interpreter = number > 0 ? number - 1 : 0;
    shown.cpu_s = (double)thread.stat.run_ns / 1e9;
    if (both[0].count > 0)
        thread.innermost = both[0].frames[0];
    shown.is_cut = both[0].count == FRAMES_MAX;
    sc_remote_forget(&process->stacks.remote);
    bool stands = taking->subject.core != NULL || (shown.is_blocked && !shown.is_moving);
    if (!sc_snapshot_name_frames(taking, both[0].frames, both[0].count, thread.entry.state, tid,
                                 taking->wish->with_native && stands ? &thread.registers : NULL,
                                 &shown.frames))
        shown.is_moving = true;
    char state = sc_subject_state(taking->subject, tid);
    thread.is_stopped = state == 'T' || state == 't' || state == 'Z';
    shown.doing = sc_strdup(running_words(taking, &shown, state));
    sc_vec_push(&taking->threads, thread);
    sc_vec_push(&taking->snapshot->threads, shown);
}

static void take_threads(struct sc_taking *taking)
{
    SC_AUTO_FREE pid_t *tids = sc_alloc(THREADS_MAX, sizeof(*tids));
    SC_AUTO_FREE pid_t *own_tids = sc_alloc(THREADS_MAX, sizeof(*own_tids));
    struct stack both[2];
    size_t count = sc_subject_threads(taking->subject, tids, own_tids, THREADS_MAX);
    for (size_t i = 0; i < 2; i++)
        both[i].frames = sc_alloc(FRAMES_MAX, sizeof(*both[i].frames));
    read_entries(taking, own_tids, count);
    for (size_t i = 0; i < count; i++)
        take_thread(taking, tids[i], own_tids[i], both);
    free(both[0].frames);
    free(both[1].frames);
}

/* A thread by which the memory can be read: the first one, unless it has ended before the others; 0
 * when all have. */
static pid_t live_thread(pid_t pid)
{
    pid_t tids[64];
    size_t count = sc_threads_list(pid, tids, sizeof(tids) / sizeof(tids[0]));
    for (size_t i = 0; i < count; i++) {
        if (strchr("ZX", sc_subject_state((struct sc_subject){.pid = pid}, tids[i])) == NULL)
            return tids[i];
    }
    return 0;
}

static void begin_process(struct sc_taking *taking, struct sc_helper *files)
{
    struct sc_process *process = &taking->process;
    process->stacks.target =
        (struct sc_target){.read = sc_remote_read, .context = &process->stacks.remote};
    process->helper = files;
    process->own_pid = process->pid;
    process->collect = &taking->collect;
    sc_collect_init(&taking->collect, 0, 0);
    sc_codes_init(&process->stacks.codes, &taking->collect, process->layout.line_table_kind);
    process->stacks.codes.cell_sources = &taking->cells;
    process->stacks.codes.cells = (struct sc_cells){
        .subject = taking->subject, .layout = &process->layout, .runtime = process->facts.runtime};
    process->stacks.codes.directories.helper = files;
    if (taking->snapshot->directory != NULL)
        sc_directories_enter(&process->stacks.codes.directories, taking->snapshot->directory);
    process->stacks.native.collect = &taking->collect;
    if (!taking->wish->with_native)
        return;
    process->stacks.native.symbols = sc_symbols_new(files);
    process->classifier =
        sc_classifier_new(taking->subject, files, &process->facts, &process->layout);
}

static void end_process(struct sc_taking *taking)
{
    struct sc_process *process = &taking->process;
    sc_blocked_stacks_done(&process->stacks.blocked);
    sc_native_done(&process->stacks.native);
    if (process->stacks.native.symbols != NULL)
        sc_symbols_free(process->stacks.native.symbols);
    sc_classifier_free(process->classifier);
    sc_codes_done(&process->stacks.codes);
    sc_collect_done(&taking->collect);
    sc_cell_sources_done(&taking->cells);
    sc_remote_done(&process->stacks.remote);
    sc_snapshot_sources_done(taking);
    sc_sockets_done(&taking->sockets);
    sc_vec_done(&taking->entries);
    sc_vec_done(&taking->named);
    sc_vec_done(&taking->threads);
}

static bool find(struct sc_taking *taking, struct sc_helper *files, struct sc_err *err)
{
    struct sc_process *process = &taking->process;
    const struct timespec pause = {.tv_nsec = FIND_PAUSE_NS};
    struct sc_err cause = {0};
    for (unsigned i = 0; i < FINDS_MAX; i++) {
        cause = (struct sc_err){0};
        if (sc_running_python_find(&process->stacks.remote, files, &process->facts,
                                   &process->layout, &cause))
            break;
        if (taking->subject.core != NULL)
            break;
        if (live_thread(process->pid) == 0)
            return sc_fail(err, SC_ERR_FAILED, "it has ended");
        (void)nanosleep(&pause, NULL);
        process->stacks.remote.forbidden = false;
        sc_remote_forget(&process->stacks.remote);
    }
    if (cause.kind != SC_ERR_NONE)
        return sc_fail(err, cause.kind, "%s", cause.text);
    if (!sc_python_init(&taking->python, &taking->at, &process->layout, &process->stacks.target,
                        process->facts.runtime))
        return sc_fail(err, SC_ERR_FAILED, "what its Python says of itself makes no sense");
    return true;
}

/* The subject, target, wish and snapshot are set. */
static bool take(struct sc_taking *taking, struct sc_helper *files, struct sc_err *err)
{
    struct sc_snapshot *snapshot = taking->snapshot;
    if (!find(taking, files, err)) {
        sc_remote_done(&taking->process.stacks.remote);
        return false;
    }
    uint32_t hex = taking->process.facts.version_hex;
    snapshot->version = sc_format("%u.%u.%u", hex >> 24, hex >> 16 & 0xffU, hex >> 8 & 0xffU);
    snapshot->is_free_threaded = taking->process.facts.free_threaded;
    begin_process(taking, files);
    take_threads(taking);
    sc_snapshot_take_tasks(taking);
    sc_snapshot_take_greenlets(taking);
    if (taking->subject.core != NULL)
        sc_snapshot_note_end(taking);
    sc_snapshot_judge(taking);
    end_process(taking);
    return true;
}

static void prepare(struct sc_taking *taking, pid_t pid)
{
    struct sc_process *process = &taking->process;
    *taking->snapshot = (struct sc_snapshot){.pid = pid};
    process->pid = pid;
    process->stacks.remote = sc_subject_remote(taking->subject);
    process->stacks.target =
        (struct sc_target){.read = sc_remote_read, .context = &process->stacks.remote};
}

bool sc_snapshot_take(pid_t pid, const struct sc_snapshot_options *wish, struct sc_snapshot *ret,
                      struct sc_err *err)
{
    if (!sc_running_python_exists(pid, err))
        return false;
    pid_t live = live_thread(pid);
    if (live == 0)
        return sc_fail(err, SC_ERR_FAILED, "it has ended");
    SC_AUTO_FREE struct sc_taking *taking = sc_alloc(1, sizeof(*taking));
    struct sc_helper *files = sc_helper_new(FILES_TIMEOUT_NS);
    taking->wish = wish;
    taking->snapshot = ret;
    taking->subject.pid = live;
    prepare(taking, pid);
    ret->command = sc_process_command(live);
    ret->directory = sc_process_link(live, "cwd");
    ret->age_s = (double)sc_process_age_ns(pid) / 1e9;
    taking->started_s = (double)sc_realtime_ns() / 1e9 - ret->age_s;
    bool is_taken = take(taking, files, err);
    sc_helper_free(files);
    return is_taken;
}

bool sc_snapshot_take_core(const char *path, const struct sc_snapshot_options *wish,
                           struct sc_snapshot *ret, struct sc_err *err)
{
    struct sc_err cause = {0};
    struct sc_helper *files = sc_helper_new(FILES_TIMEOUT_NS);
    struct sc_core *core = sc_core_open(path, files, err);
    bool is_taken = false;
    if (core != NULL) {
        const struct sc_core_file *facts = sc_core_facts(core);
        SC_AUTO_FREE struct sc_taking *taking = sc_alloc(1, sizeof(*taking));
        taking->wish = wish;
        taking->snapshot = ret;
        taking->subject = (struct sc_subject){.pid = facts->pid, .core = core};
        prepare(taking, facts->pid);
        ret->command = sc_strdup(facts->command);
        taking->started_s = facts->written_s;
        is_taken = take(taking, files, &cause);
        if (!is_taken && facts->lost_bytes > 0)
            (void)sc_fail(
                err, SC_ERR_FAILED,
                "it is cut, as by a full disk or a limit ('ulimit -c'), and what it lacks "
                "is needed to find its Python");
        else if (!is_taken)
            (void)sc_fail(err, cause.kind, "%s", cause.text);
        else
            sc_core_losses(core, &ret->losses);
    }
    sc_core_free(core);
    sc_helper_free(files);
    return is_taken;
}

static void thread_done(struct sc_snapshot_thread *thread)
{
    free(thread->name);
    free(thread->doing);
    sc_snapshot_frames_done(&thread->frames);
}

static void task_done(struct sc_snapshot_task *task)
{
    free(task->name);
    sc_texts_done(&task->awaited);
    sc_snapshot_frames_done(&task->frames);
}

void sc_snapshot_done(struct sc_snapshot *snapshot)
{
    sc_vec_done_each(&snapshot->threads, thread_done);
    sc_vec_done_each(&snapshot->tasks, task_done);
    sc_vec_done_each(&snapshot->greenlets, sc_snapshot_greenlet_done);
    sc_vec_free(&snapshot->findings);
    sc_texts_done(&snapshot->losses);
    free(snapshot->ending);
    free(snapshot->command);
    free(snapshot->version);
    free(snapshot->directory);
}
