/*
 * tests/unit/watched_process.h - a made-up process of CPython 3.11 as the observer watches it: its
 * memory is an array, and what /proc says of its threads are files in memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sched.h>

#include "fake_python.h"
#include "observer/process/process.h"
#include "sc_test.h"

#define MS        ((uint64_t)1000000)
#define BEGUN     (1000 * MS)
#define NOW       (BEGUN + 100 * MS)
#define JIFFY     (4 * MS)
#define FUTEX_GIL 64U /* of the GIL, in _PyRuntime */

enum { RUNTIME_BYTES = 1024 };

struct watched {
    struct fake_python python;
    struct sc_collect collect;
    struct sc_process process;
    uint64_t runtime;
    uint64_t interpreter;
    size_t walks; /* times that a walk over frames has begun */
    /* asked before each of them; may change what it finds */
    void (*before_walk)(struct watched *watched);
};

/* Lets the calling thread, and those that it creates, use so many processors; returns those that it
 * could use before. */
static inline cpu_set_t watched_use_processors(int count)
{
    cpu_set_t before;
    cpu_set_t some;
    CPU_ZERO(&some);
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    for (unsigned i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < count; i++) {
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &some);
    }
    assert_int_equal(sched_setaffinity(0, sizeof(some), &some), 0);
    return before;
}

static inline const struct sc_layout *watched_layout(void)
{
    for (size_t i = 0; i < sc_layouts_count; i++) {
        if (sc_layouts[i].version == 0x030b)
            return &sc_layouts[i];
    }
    fail_msg("no layout of 3.11");
    return NULL;
}

/* A walk begins at the thread state's C frame. */
static inline bool watched_read(void *context, uint64_t address, void *bytes, size_t length)
{
    struct watched *watched = context;
    if (address == watched->python.thread + (uint32_t)watched->python.layout->ts_cframe) {
        watched->walks++;
        if (watched->before_walk != NULL)
            watched->before_walk(watched);
    }
    return fake_read(&watched->python.process, address, bytes, length);
}

/* Its one thread state is of this very thread. */
static inline struct watched *watched_new(void)
{
    struct watched *watched = sc_alloc(1, sizeof(*watched));
    struct fake_python *python = &watched->python;
    const struct sc_layout *layout = watched_layout();
    struct sc_process *process = &watched->process;
    fake_python_start(python, layout);
    watched->runtime = fake_room(&python->process, RUNTIME_BYTES);
    watched->interpreter = fake_room(&python->process, RUNTIME_BYTES);
    fake_put_u64(&python->process, watched->runtime, layout->rt_interpreters_head,
                 watched->interpreter);
    fake_put_u64(&python->process, watched->interpreter, layout->is_threads_head, python->thread);
    fake_put_u64(&python->process, python->thread, layout->ts_interp, watched->interpreter);
    fake_put_u64(&python->process, python->thread, layout->ts_native_thread_id, (uint64_t)gettid());
    sc_collect_init(&watched->collect, 0, 0);
    process->pid = process->own_pid = getpid();
    process->names.numbers = (struct sc_pid_numbers){.count = 1, .numbers = {process->pid}};
    process->ending.status_fd = -1;
    process->collect = &watched->collect;
    process->layout = *layout;
    process->stacks.target = (struct sc_target){.read = watched_read, .context = watched};
    process->threads.target = process->stacks.target;
    process->facts = (struct sc_interpreter_facts){.version = layout->version,
                                                   .runtime = watched->runtime,
                                                   .runtime_size = RUNTIME_BYTES,
                                                   .code_type = python->code_type};
    process->reader.pace.interval_ns = MS;
    process->charge = (struct sc_charge_process){
        .interval_ns = MS, .begun = true, .begun_ns = BEGUN, .charged_cpu_ns = 0};
    process->gap.jiffy_ns = JIFFY;
    process->gap.polled_ns = NOW;
    sc_codes_init(&process->stacks.codes, &watched->collect, layout->line_table_kind);
    return watched;
}

static inline void watched_free(struct watched *watched)
{
    for (size_t i = 0; i < watched->process.threads.count; i++) {
        const struct sc_watched_thread *thread = &watched->process.threads.items[i];
        if (thread->schedstat_fd >= 0)
            (void)close(thread->schedstat_fd);
        if (thread->blocked_fd >= 0)
            (void)close(thread->blocked_fd);
    }
    sc_vec_done(&watched->process.threads);
    sc_vec_done(&watched->process.threads.free_places);
    sc_vec_done(&watched->process.threads.leaving);
    sc_vec_done(&watched->process.threads.gone);
    sc_map_done(&watched->process.threads.gone_index);
    sc_map_done(&watched->process.threads.listed.index);
    sc_vec_done(&watched->process.threads.listed.states);
    sc_codes_done(&watched->process.stacks.codes);
    sc_collect_done(&watched->collect);
    free(watched);
}

static inline void watched_end(struct watched **watched)
{
    watched_free(*watched);
}

/* A process to watch, which ends with its block. */
#define WATCHED(name) struct watched *name __attribute__((cleanup(watched_end))) = watched_new()

/* A thread whose files are there and empty; valid until the next one is added. */
static inline struct sc_watched_thread *watched_thread(struct watched *watched, pid_t tid)
{
    struct sc_watched_thread thread = {
        .tid = tid,
        .proc_tid = tid,
        .account =
            sc_collect_thread(&watched->collect, (uint64_t)watched->process.pid, (uint64_t)tid),
        .schedstat_fd = memfd_create("schedstat", MFD_CLOEXEC),
        .blocked_fd = memfd_create("syscall", MFD_CLOEXEC),
    };
    sc_vec_push(&watched->process.threads, thread);
    return &watched->process.threads.items[watched->process.threads.count - 1];
}

static inline void watched_write(int fd, const char *text)
{
    size_t length = strlen(text);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, text, length, 0), length);
}

static inline void watched_counters(const struct sc_watched_thread *thread, uint64_t run_ns,
                                    uint64_t delay_ns, uint64_t slices)
{
    char text[96];
    (void)snprintf(text, sizeof(text), "%llu %llu %llu\n", (unsigned long long)run_ns,
                   (unsigned long long)delay_ns, (unsigned long long)slices);
    watched_write(thread->schedstat_fd, text);
}

/* It is blocked in a system call with that first argument. */
static inline void watched_call(const struct sc_watched_thread *thread, long number, uint64_t first)
{
    char text[256];
    (void)snprintf(text, sizeof(text), "%ld 0x%llx 0x1 0x0 0x0 0x0 0x0 0x7ffc0000 0x7f1200000000\n",
                   number, (unsigned long long)first);
    watched_write(thread->blocked_fd, text);
}

/* Code of "/w/a.py" whose frames stand at that line. */
static inline uint64_t watched_code(struct watched *watched, uint32_t line)
{
    struct fake_python *python = &watched->python;
    uint64_t code = fake_code(python, line);
    fake_name_code(python, code, fake_text(python, "/w/a.py"), fake_text(python, "f"),
                   fake_zeros(python, 0));
    return code;
}

/* A frame of new code at that line, called by the one at back; now the innermost. */
static inline uint64_t watched_frame(struct watched *watched, uint32_t line, uint64_t back)
{
    return fake_frame(&watched->python, watched_code(watched, line), 10, back);
}

static inline uint32_t watched_line(const struct watched *watched, uint32_t node)
{
    return node != 0 ? watched->collect.nodes.items[node].line : 0;
}

/* The lines of a stack from the outermost frame inwards, as "5>7". */
static inline const char *watched_stack(const struct watched *watched, uint32_t node)
{
    static char texts[2][64];
    static unsigned turn;
    char *text = texts[turn++ % 2];
    text[0] = '\0';
    for (; node != 0; node = watched->collect.nodes.items[node].parent) {
        char rest[64];
        (void)snprintf(rest, sizeof(rest), "%s", text);
        (void)snprintf(text, 64, "%u%s%.40s", watched->collect.nodes.items[node].line,
                       rest[0] != '\0' ? ">" : "", rest);
    }
    return text;
}
