/*
 * observer/attach/loader.c - an agent in a Python that runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/attach/loader.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "cpython/modules.h"
#include "cpython/threads.h"
#include "observer/lifecycle/observation.h"

#define THREADS_MAX   1024U
#define STEP_NS       5000000U
#define MAIN_STEPS    40U   /* how long only the main thread is asked */
#define ALL_STEPS     160U  /* and then all threads */
#define TAKEN_STEPS   1000U /* until one that has taken the script has answered */
#define ANSWER_BYTES  400U
#define ANSWER_LOADED "0"

/* Filled in: the file for the claim, the path of the agent, the rendezvous, the file for the
 * answer. The script is posted to several threads, and the first one that has it claims it. An
 * agent that is in use was left by an observer that is gone. */
static const char load_text[] =
    "def claim():\n"
    "    import os\n"
    "    file = os.open(\"%s\", os.O_WRONLY | os.O_APPEND)\n"
    "    try:\n"
    "        return os.write(file, b\"1\") == os.lseek(file, 0, os.SEEK_CUR)\n"
    "    finally:\n"
    "        os.close(file)\n"
    "def load(rendezvous):\n"
    "    import ctypes, sys\n"
    "    agent = ctypes.PyDLL(\"%s\")\n"
    "    agent.scalene_agent_begin.argtypes = [ctypes.c_char_p]\n"
    "    code = agent.scalene_agent_begin(rendezvous)\n"
    "    if code == 1:\n"
    "        agent.scalene_agent_end()\n"
    "        code = agent.scalene_agent_begin(rendezvous)\n"
    "    name = agent.scalene_agent_name_thread\n"
    "    name.argtypes = [ctypes.c_int, ctypes.c_ulonglong, ctypes.c_char_p]\n"
    "    name.restype = None\n"
    "    threading = sys.modules.get('threading')\n"
    "    for thread in list(getattr(threading, '_active', {}).values()):\n"
    "        if code == 0 and getattr(thread, 'native_id', None) and thread.ident:\n"
    "            name(thread.native_id, thread.ident, thread.name.encode('utf-8', 'replace'))\n"
    "    return str(code)\n"
    "if claim():\n"
    "    try:\n"
    "        answer = load(b\"%s\")\n"
    "    except BaseException as error:\n"
    "        answer = str(error) or type(error).__name__\n"
    "    with open(\"%s\", 'w', errors='replace') as file:\n"
    "        file.write(answer[:300])\n";

static const char unload_text[] = "import ctypes\n"
                                  "agent = ctypes.PyDLL(\"%s\")\n"
                                  "agent.scalene_agent_flush()\n"
                                  "agent.scalene_agent_end()\n"
                                  "with open(\"%s\", 'w') as file:\n"
                                  "    file.write('" ANSWER_LOADED "')\n";

struct sc_loader {
    void (*take_hello)(struct sc_observation *);
    int load_fd;
    int unload_fd;
    int claim_fd;
    int answer_fd;
    char answer[ANSWER_BYTES + 1];
    const char *why_not; /* when there was none */
};

/* The threads that a script is posted to. */
struct posting {
    const struct sc_loading *loading;
    struct sc_thread_entry entries[THREADS_MAX];
    size_t count;
    bool is_posted[THREADS_MAX];
};

/* A file in memory. Text of Python in quotes must not end early: the path may hold anything. */
static int file_of(struct sc_str *text)
{
    int fd = memfd_create("scalene-attach", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, sc_str_text(text), text->length) != (ssize_t)text->length) {
        (void)close(fd);
        fd = -1;
    }
    sc_str_done(text);
    return fd;
}

static char *path_of(int fd)
{
    return sc_format("/proc/%d/fd/%d", (int)getpid(), fd);
}

static bool can_be_quoted(const char *path)
{
    return strpbrk(path, "\"\\\n\r") == NULL;
}

struct sc_loader *sc_loader_new(const char *agent_path, const char *rendezvous,
                                void (*take_hello)(struct sc_observation *))
{
    struct sc_str load = {0};
    struct sc_str unload = {0};
    if (!can_be_quoted(agent_path))
        return NULL;
    struct sc_loader *loader = sc_alloc(1, sizeof(*loader));
    loader->take_hello = take_hello;
    loader->claim_fd = memfd_create("scalene-attach", MFD_CLOEXEC);
    loader->answer_fd = memfd_create("scalene-attach", MFD_CLOEXEC);
    SC_AUTO_FREE char *claim = path_of(loader->claim_fd);
    SC_AUTO_FREE char *answer = path_of(loader->answer_fd);
    sc_str_add_format(&load, load_text, claim, agent_path, rendezvous, answer);
    sc_str_add_format(&unload, unload_text, agent_path, answer);
    loader->load_fd = file_of(&load);
    loader->unload_fd = file_of(&unload);
    if (loader->claim_fd >= 0 && loader->answer_fd >= 0 && loader->load_fd >= 0 &&
        loader->unload_fd >= 0)
        return loader;
    sc_loader_free(loader);
    return NULL;
}

static void close_file(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

void sc_loader_free(struct sc_loader *loader)
{
    if (loader == NULL)
        return;
    close_file(loader->load_fd);
    close_file(loader->unload_fd);
    close_file(loader->claim_fd);
    close_file(loader->answer_fd);
    free(loader);
}

/* Those of the main interpreter: others may not import what the script does. The main thread comes
 * first. */
static void list_threads(const struct sc_loading *loading, struct posting *ret)
{
    size_t kept = 0;
    const struct sc_target target = {.read = sc_remote_read, .context = loading->remote};
    struct sc_task_layout at;
    struct sc_python python;
    bool is_whole = false;
    ret->loading = loading;
    sc_remote_forget(loading->remote);
    if (!sc_python_init(&python, &at, loading->layout, &target, loading->facts->runtime))
        return;
    ret->count =
        sc_threads_read(&python, loading->facts->runtime, ret->entries, THREADS_MAX, &is_whole);
    uint64_t main = sc_main_interpreter(&python, loading->facts->runtime);
    for (size_t i = 0; i < ret->count; i++) {
        const struct sc_thread_entry entry = ret->entries[i];
        bool is_first = entry.native_id == (uint64_t)loading->remote->pid;
        if (entry.interpreter != main)
            continue;
        ret->entries[kept] = is_first ? ret->entries[0] : entry;
        if (is_first)
            ret->entries[0] = entry;
        kept++;
    }
    ret->count = kept;
}

static enum sc_script_answer post(struct posting *posting, size_t at, const char *path)
{
    const struct sc_loading *loading = posting->loading;
    enum sc_script_answer answer = sc_script_post(loading->remote, loading->facts, loading->layout,
                                                  posting->entries[at].state, path);
    posting->is_posted[at] = answer == SC_SCRIPT_POSTED;
    return answer;
}

static const char *reason_of(enum sc_script_answer answer)
{
    switch (answer) {
    case SC_SCRIPT_UNKNOWN:
        return "";
    case SC_SCRIPT_DISABLED:
        return "its Python was told to take no scripts from outside";
    case SC_SCRIPT_FORBIDDEN:
        return "the system lets nobody write to it";
    case SC_SCRIPT_POSTED:
        break;
    }
    return "none of its threads ran Python code, to load the agent, within a second";
}

/* Whether a thread has taken the script meanwhile. */
static bool withdraw(struct posting *posting)
{
    const struct sc_loading *loading = posting->loading;
    bool is_taken = false;
    for (size_t i = 0; i < posting->count; i++) {
        if (posting->is_posted[i] &&
            !sc_script_withdraw(loading->remote, loading->facts, loading->layout,
                                posting->entries[i].state))
            is_taken = true;
    }
    return is_taken;
}

static bool has_answered(struct sc_loader *loader)
{
    ssize_t length = pread(loader->answer_fd, loader->answer, ANSWER_BYTES, 0);
    loader->answer[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Waits for the answer, step by step. */
static bool wait_for_answer(struct sc_loader *loader, unsigned steps,
                            struct sc_observation *observation)
{
    const struct timespec pause = {.tv_nsec = STEP_NS};
    bool is_answered = has_answered(loader);
    for (unsigned i = 0; i < steps && !is_answered; i++) {
        (void)nanosleep(&pause, NULL);
        if (observation != NULL)
            loader->take_hello(observation);
        is_answered = has_answered(loader);
    }
    return is_answered;
}

/* Has the process execute the script, by its main thread if that runs soon, else by any. */
static bool execute(struct sc_loader *loader, const struct sc_loading *loading, int script_fd,
                    struct sc_observation *observation)
{
    struct posting *posting = sc_alloc(1, sizeof(*posting));
    SC_AUTO_FREE char *path = path_of(script_fd);
    (void)ftruncate(loader->claim_fd, 0);
    (void)ftruncate(loader->answer_fd, 0);
    loader->answer[0] = '\0';
    list_threads(loading, posting);
    enum sc_script_answer posted = posting->count > 0 ? post(posting, 0, path) : SC_SCRIPT_UNKNOWN;
    bool is_posted = posted == SC_SCRIPT_POSTED;
    loader->why_not = reason_of(posted);
    bool is_answered = is_posted && wait_for_answer(loader, MAIN_STEPS, observation);
    if (is_posted && !is_answered) {
        for (size_t i = 1; i < posting->count; i++)
            (void)post(posting, i, path);
        is_answered = wait_for_answer(loader, ALL_STEPS, observation);
    }
    if (withdraw(posting) && !is_answered) /* a thread is about to answer */
        is_answered = wait_for_answer(loader, TAKEN_STEPS, observation);
    free(posting);
    return is_answered && strcmp(loader->answer, ANSWER_LOADED) == 0;
}

bool sc_loader_load(struct sc_loader *loader, const struct sc_loading *loading,
                    struct sc_observation *observation)
{
    bool is_loaded = execute(loader, loading, loader->load_fd, observation);
    loader->take_hello(observation);
    return is_loaded;
}

const char *sc_loader_why_not(const struct sc_loader *loader)
{
    return loader->answer[0] != '\0' ? loader->answer : loader->why_not;
}

void sc_loader_unload(struct sc_loader *loader, const struct sc_loading *loading)
{
    (void)execute(loader, loading, loader->unload_fd, NULL);
}
