/* observer/attach/loader.c - see loader.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/attach/loader.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "cpython/modules.h"
#include "cpython/threads.h"

#define THREADS_MAX   1024U
#define STEP_NS       5000000U
#define MAIN_STEPS    40U  /* how long only main threads are asked */
#define BUSY_STEPS    40U  /* and then the one that runs most */
#define ALL_STEPS     120U /* and then all threads */
#define ANSWER_BYTES  400U
#define ANSWER_LOADED "0"

/* Until one that has taken the script, or has begun with it, has answered: it may have to wait for
 * the interpreter lock again and again. */
#define TAKEN_STEPS   1000U
#define CLAIMED_STEPS 1000U

/* Filled in: the file for the claim, the path of the agent, the rendezvous, the file for the
 * answer. The script is posted to several threads, and the first one that has it claims it. It must
 * not fail: the interpreter would say so in the program's output. */
static const char load_text[] =
    "def claim():\n"
    "    import os\n"
    "    file = os.open(\"%s\", os.O_WRONLY | os.O_APPEND)\n"
    "    try:\n"
    "        return os.write(file, b\"1\") == os.lseek(file, 0, os.SEEK_CUR)\n"
    "    finally:\n"
    "        os.close(file)\n"
    "def load(path, rendezvous):\n"
    "    import ctypes\n"
    "    agent = ctypes.PyDLL(path)\n"
    "    agent.scalene_agent_begin.argtypes = [ctypes.c_char_p]\n"
    "    code = agent.scalene_agent_begin(rendezvous)\n"
    "    if code == 0:\n"
    "        name = agent.scalene_agent_name_thread\n"
    "        name.argtypes = [ctypes.c_int, ctypes.c_ulonglong, ctypes.c_char_p]\n"
    "        name.restype = None\n"
    "        name_threads(name)\n"
    "    return str(code)\n"
    "def name_threads(name):\n"
    "    try:\n"
    "        import sys\n"
    "        for thread in list(sys.modules['threading']._active.values()):\n"
    "            if thread.native_id and thread.ident:\n"
    "                name(thread.native_id, thread.ident, str(thread.name).encode('utf-8', "
    "'replace'))\n"
    "    except Exception:\n"
    "        pass\n"
    "try:\n"
    "    if claim():\n"
    "        try:\n"
    "            answer = load(\"%s\", b\"%s\")\n"
    "        except BaseException as error:\n"
    "            answer = str(error) or type(error).__name__\n"
    "        with open(\"%s\", 'w', errors='replace') as file:\n"
    "            file.write(answer[:300])\n"
    "except BaseException:\n"
    "    pass\n";

static const char unload_text[] = "try:\n"
                                  "    import ctypes\n"
                                  "    agent = ctypes.PyDLL(\"%s\")\n"
                                  "    agent.scalene_agent_flush()\n"
                                  "    agent.scalene_agent_end()\n"
                                  "    with open(\"%s\", 'w') as file:\n"
                                  "        file.write('" ANSWER_LOADED "')\n"
                                  "except BaseException:\n"
                                  "    pass\n";

/* A thread that the script is, or may be, posted to. */
struct post {
    uint64_t state; /* address */
    pid_t tid;
    uint64_t run_ns; /* CPU time of the thread when it was listed */
    bool is_posted;
};

/* What is on its way to one process. */
struct task {
    struct sc_loading *loading;
    int script_fd;
    int claim_fd;
    int answer_fd;
    bool is_expected; /* an answer may come */
    char answer[ANSWER_BYTES + 1];
    SC_VEC(struct post) posts; /* the main thread's first */
};

static int new_file(void)
{
    return memfd_create("scalene-attach", MFD_CLOEXEC);
}

static char *path_of(int fd)
{
    return sc_format("/proc/%d/fd/%d", (int)getpid(), fd);
}

/* False where the files cannot be made, or the path of the agent cannot stand in quotes. */
static bool write_script(const struct sc_loader *loader, struct task *task, bool is_loading)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    task->script_fd = new_file();
    task->claim_fd = new_file();
    task->answer_fd = new_file();
    SC_AUTO_FREE char *claim = path_of(task->claim_fd);
    SC_AUTO_FREE char *answer = path_of(task->answer_fd);
    if (is_loading)
        sc_str_add_format(&text, load_text, claim, loader->agent_path, loader->rendezvous, answer);
    else
        sc_str_add_format(&text, unload_text, loader->agent_path, answer);
    return task->script_fd >= 0 && task->claim_fd >= 0 && task->answer_fd >= 0 &&
           strpbrk(loader->agent_path, "\"\\\n\r") == NULL &&
           write(task->script_fd, text.data, text.length) == (ssize_t)text.length;
}

static void task_done(struct task *task)
{
    sc_close(&task->script_fd);
    sc_close(&task->claim_fd);
    sc_close(&task->answer_fd);
    sc_vec_done(&task->posts);
}

static uint64_t run_ns_of(const struct task *task, const struct post *one)
{
    struct sc_schedstat stat = {0};
    (void)sc_schedstat_read(task->loading->remote->pid, one->tid, -1, &stat);
    return stat.run_ns;
}

/* The threads of the main interpreter, now, at most THREADS_MAX: others may not import what the
 * script does. None of one that is just starting, which a script can crash, or ending. */
static size_t read_threads(const struct task *task, struct sc_thread_entry *entries)
{
    const struct sc_loading *loading = task->loading;
    const struct sc_target target = {.read = sc_remote_read, .context = loading->remote};
    struct sc_task_layout at;
    struct sc_python python;
    size_t count = 0;
    size_t kept = 0;
    bool is_whole = false;
    sc_remote_forget(loading->remote);
    if (sc_python_init(&python, &at, loading->layout, &target, loading->facts->runtime) &&
        sc_runs_program(&python, loading->facts->runtime))
        count = sc_threads_read(&python, loading->facts->runtime, entries, THREADS_MAX, &is_whole);
    uint64_t main = count > 0 ? sc_main_interpreter(&python, loading->facts->runtime) : 0;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].interpreter == main)
            entries[kept++] = entries[i];
    }
    return kept;
}

static void list_threads(struct task *task)
{
    SC_AUTO_FREE struct sc_thread_entry *entries = sc_alloc(THREADS_MAX, sizeof(*entries));
    size_t count = read_threads(task, entries);
    for (size_t i = 0; i < count; i++) {
        struct post new = {.state = entries[i].state, .tid = (pid_t)entries[i].native_id};
        new.run_ns = run_ns_of(task, &new);
        sc_vec_push(&task->posts, new);
        if (new.tid == task->loading->remote->pid) {
            task->posts.items[task->posts.count - 1] = task->posts.items[0];
            task->posts.items[0] = new;
        }
    }
}

/* Forgets threads that have ended meanwhile: nothing may be written where their states were. To be
 * called right before anything is written. */
static void forget_ended(struct task *task)
{
    SC_AUTO_FREE struct sc_thread_entry *entries = sc_alloc(THREADS_MAX, sizeof(*entries));
    size_t count = read_threads(task, entries);
    size_t kept = 0;
    for (size_t i = 0; i < task->posts.count; i++) {
        const struct post one = task->posts.items[i];
        bool is_there = false;
        for (size_t k = 0; k < count && !is_there; k++)
            is_there = entries[k].state == one.state && (pid_t)entries[k].native_id == one.tid;
        if (is_there)
            task->posts.items[kept++] = one;
    }
    task->posts.count = kept;
}

static enum sc_script_answer post(struct task *task, size_t at)
{
    const struct sc_loading *loading = task->loading;
    struct post *to = &task->posts.items[at];
    SC_AUTO_FREE char *path = path_of(task->script_fd);
    enum sc_script_answer answer =
        sc_script_post(loading->remote, loading->facts, loading->layout, to->state, path);
    to->is_posted = answer == SC_SCRIPT_POSTED;
    return answer;
}

static const char *reason_of(enum sc_script_answer answer)
{
    switch (answer) {
    case SC_SCRIPT_UNKNOWN:
        return NULL;
    case SC_SCRIPT_DISABLED:
        return "its Python was told to take no scripts from outside";
    case SC_SCRIPT_FORBIDDEN:
        return "the system lets nobody write to it";
    case SC_SCRIPT_POSTED:
        break;
    }
    return "none of its threads ran Python code, to load the agent, within a second";
}

static void begin_task(const struct sc_loader *loader, struct task *task, bool is_loading)
{
    enum sc_script_answer answer = SC_SCRIPT_UNKNOWN;
    if (write_script(loader, task, is_loading))
        list_threads(task);
    if (task->posts.count > 0)
        answer = post(task, 0);
    task->is_expected = answer == SC_SCRIPT_POSTED;
    const char *reason = reason_of(answer);
    task->loading->is_done = false;
    task->loading->why_not = reason != NULL ? sc_strdup(reason) : NULL;
}

/* Whether there is no answer yet that may still come. */
static bool is_open(struct task *task)
{
    if (!task->is_expected)
        return false;
    ssize_t length = pread(task->answer_fd, task->answer, ANSWER_BYTES, 0);
    task->answer[length > 0 ? length : 0] = '\0';
    task->is_expected = length <= 0 && !sc_process_is_over(task->loading->remote->pid);
    return task->is_expected;
}

/* observation: NULL where nothing is to be attended to. insists: an answer is waited for though the
 * profile is to end. */
static void wait_for_answers(const struct sc_loader *loader, struct task *tasks, size_t count,
                             unsigned steps, struct sc_observation *observation, bool insists)
{
    const struct timespec pause = {.tv_nsec = STEP_NS};
    for (unsigned i = 0; i < steps; i++) {
        size_t open = 0;
        for (size_t k = 0; k < count; k++)
            open += is_open(&tasks[k]);
        bool is_left = observation != NULL && !loader->attend(observation);
        if (open == 0 || (is_left && !insists))
            return;
        (void)nanosleep(&pause, NULL);
    }
}

/* To the thread that has run most since it was listed: others would have to wait for it. */
static void post_to_busiest(struct task *task)
{
    size_t busiest = 0;
    uint64_t most_ns = 0;
    forget_ended(task);
    for (size_t i = 0; task->is_expected && i < task->posts.count; i++) {
        uint64_t run_ns = run_ns_of(task, &task->posts.items[i]);
        uint64_t before_ns = task->posts.items[i].run_ns;
        uint64_t ran_ns = run_ns > before_ns ? run_ns - before_ns : 0;
        busiest = ran_ns > most_ns ? i : busiest;
        most_ns = ran_ns > most_ns ? ran_ns : most_ns;
    }
    if (most_ns > 0 && !task->posts.items[busiest].is_posted)
        (void)post(task, busiest);
}

static void post_to_others(struct task *task)
{
    forget_ended(task);
    for (size_t i = 0; task->is_expected && i < task->posts.count; i++) {
        if (!task->posts.items[i].is_posted)
            (void)post(task, i);
    }
}

/* From now on an answer comes only from a thread that has taken the script meanwhile. */
static void cancel_scripts(struct task *task)
{
    const struct sc_loading *loading = task->loading;
    bool is_taken = false;
    forget_ended(task);
    for (size_t i = 0; i < task->posts.count; i++) {
        if (task->posts.items[i].is_posted &&
            sc_script_cancel(loading->remote, loading->facts, loading->layout,
                             task->posts.items[i].state))
            is_taken = true;
    }
    task->is_expected = task->is_expected && is_taken;
}

/* Claims the script, as a thread would: no other one can begin with it from now on. */
static void expect_only_claimed(struct task *task)
{
    SC_AUTO_FREE char *path = path_of(task->claim_fd);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool is_ours = fd >= 0 && write(fd, "1", 1) == 1 && lseek(fd, 0, SEEK_CUR) == 1;
    sc_close(&fd);
    task->is_expected = task->is_expected && !is_ours;
}

/* What the agent's functions answer, in words. */
static char *words_of(const char *answer)
{
    if (strcmp(answer, "1") == 0)
        return sc_strdup("it is being profiled already");
    if (strcmp(answer, "2") == 0)
        return sc_strdup("it was started by scalene run");
    if (strcmp(answer, "3") == 0)
        return sc_strdup("its Python cannot be profiled by the agent");
    if (strcmp(answer, "4") == 0)
        return sc_strdup("it has restricted its own system calls");
    return sc_strdup(answer);
}

static void end_task(struct task *task)
{
    struct sc_loading *loading = task->loading;
    loading->is_done = strcmp(task->answer, ANSWER_LOADED) == 0;
    if (task->answer[0] == '\0')
        return;
    free(loading->why_not);
    loading->why_not = loading->is_done ? NULL : words_of(task->answer);
}

static void execute(const struct sc_loader *loader, struct sc_loading *list, size_t count,
                    struct sc_observation *observation)
{
    SC_AUTO_FREE struct task *tasks = sc_alloc(count + 1, sizeof(*tasks));
    for (size_t i = 0; i < count; i++) {
        tasks[i].loading = &list[i];
        begin_task(loader, &tasks[i], observation != NULL);
    }
    wait_for_answers(loader, tasks, count, MAIN_STEPS, observation, false);
    for (size_t i = 0; i < count; i++)
        post_to_busiest(&tasks[i]);
    wait_for_answers(loader, tasks, count, BUSY_STEPS, observation, false);
    for (size_t i = 0; i < count; i++)
        post_to_others(&tasks[i]);
    wait_for_answers(loader, tasks, count, ALL_STEPS, observation, false);
    for (size_t i = 0; i < count; i++)
        cancel_scripts(&tasks[i]);
    wait_for_answers(loader, tasks, count, TAKEN_STEPS, observation, false);
    for (size_t i = 0; i < count; i++)
        expect_only_claimed(&tasks[i]);
    wait_for_answers(loader, tasks, count, CLAIMED_STEPS, observation, true);
    for (size_t i = 0; i < count; i++) {
        end_task(&tasks[i]);
        task_done(&tasks[i]);
    }
}

void sc_loader_load(const struct sc_loader *loader, struct sc_loading *list, size_t count,
                    struct sc_observation *observation)
{
    execute(loader, list, count, observation);
    (void)loader->attend(observation); /* an agent connects before its script has answered */
}

void sc_loader_unload(const struct sc_loader *loader, struct sc_loading *list, size_t count)
{
    execute(loader, list, count, NULL);
}
