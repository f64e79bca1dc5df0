/*
 * tests/forged/looks.c - what the kernel and the memory of a process that never ran say when the
 * observer looks at it.
 *
 * Files of /proc are files in memory. The interpreter's memory is made anew for each look: a thread
 * state and frames for each thread that is blocked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "looks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_python.h"
#include "observer/lifecycle/process_poll.h"
#include "observer/process/threads.h"
#include "records_world.h"

enum {
    RUNTIME_BYTES = 1024,
    FUTEX_GIL = 64, /* of the interpreter lock, in _PyRuntime */
    TABLE_AT = 64,
};

/* What a thread does at a look. */
enum { RUNS, READS, SLEEPS, WAITS_FOR_LOCK, WAITS_FOR_GIL };

struct part {
    uint64_t ring_bytes;
    uint64_t now_ns;
    uint64_t cpu_ns;
    uint64_t threads;
};

struct part_thread {
    uint64_t tid;
    uint64_t run_ns;
    uint64_t delay_ns;
    uint64_t turns;
    uint64_t does;
    uint64_t frames; /* the outermost first */
};

/* Followed by the file, the name and the line table, each in a field of FIELD_BYTES. */
struct part_frame {
    uint64_t first_line;
    uint64_t line;
    uint64_t table_bytes;
};

enum { FIELD_BYTES = 256 };

static struct fake_python python;
static uint64_t runtime;
static uint64_t interpreter;

/* The same addresses each time. */
static void make_interpreter(const struct sc_layout *layout)
{
    fake_python_start(&python, layout);
    runtime = fake_room(&python.process, RUNTIME_BYTES);
    interpreter = fake_room(&python.process, RUNTIME_BYTES);
    fake_put_u64(&python.process, runtime, layout->rt_interpreters_head, interpreter);
    python.thread = 0;
}

void looks_describe(const struct sc_layout *layout, struct sc_segment_facts *ret_facts)
{
    make_interpreter(layout);
    ret_facts->interpreter.runtime = runtime;
    ret_facts->interpreter.runtime_size = RUNTIME_BYTES;
    ret_facts->interpreter.code_type = python.code_type;
}

static void take(void *ret, size_t size)
{
    if (fread(ret, size, 1, stdin) != 1)
        abort();
}

/* A thread state in front of those that are there. */
static void make_thread_state(uint64_t tid)
{
    const struct sc_layout *layout = python.layout;
    uint64_t next = python.thread;
    python.thread = fake_room(&python.process, FAKE_OBJECT_BYTES);
    python.cframe = fake_room(&python.process, FAKE_OBJECT_BYTES);
    fake_put_u64(&python.process, python.thread, layout->ts_next, next);
    fake_put_u64(&python.process, python.thread, layout->ts_interp, interpreter);
    fake_put_u64(&python.process, python.thread, layout->ts_native_thread_id, tid);
    fake_put_u64(&python.process, python.thread, layout->ts_cframe, python.cframe);
    fake_put_u64(&python.process, interpreter, layout->is_threads_head, python.thread);
}

/* Returns the frame's address. */
static uint64_t take_frame(uint64_t back)
{
    struct part_frame frame;
    char file[FIELD_BYTES];
    char name[FIELD_BYTES];
    unsigned char table[FIELD_BYTES];
    take(&frame, sizeof(frame));
    take(file, sizeof(file));
    take(name, sizeof(name));
    take(table, sizeof(table));
    uint64_t code = fake_code(&python, (uint32_t)frame.first_line);
    uint64_t kept = fake_zeros(&python, frame.table_bytes);
    fake_write(&python.process, kept + (uint32_t)python.layout->by_data, table, frame.table_bytes);
    fake_name_code(&python, code, fake_text(&python, file), fake_text(&python, name), kept);
    return fake_frame(&python, code, (int32_t)(frame.line - frame.first_line), back);
}

static void put(int *fd, const char *text)
{
    size_t length = strlen(text);
    if (*fd < 0)
        *fd = memfd_create("proc", MFD_CLOEXEC);
    if (ftruncate(*fd, 0) != 0 || pwrite(*fd, text, length, 0) != (ssize_t)length)
        abort();
}

static void put_call(struct sc_watched_thread *thread, uint64_t does)
{
    static const struct {
        long number;
        uint64_t argument;
    } calls[] = {
        [READS] = {SYS_read, 3},
        [SLEEPS] = {SYS_clock_nanosleep, 1},
        [WAITS_FOR_LOCK] = {SYS_futex, 0x1000},
        [WAITS_FOR_GIL] = {SYS_futex, 0},
    };
    char text[128];
    uint64_t argument = does == WAITS_FOR_GIL ? runtime + FUTEX_GIL : calls[does].argument;
    (void)snprintf(text, sizeof(text), "%ld 0x%llx 0x1 0x0 0x0 0x0 0x0 0x7ffc0000 0x7f1200000000\n",
                   calls[does].number, (unsigned long long)argument);
    put(&thread->blocked_fd, does == RUNS ? "running\n" : text);
}

static void take_thread(struct sc_process *process)
{
    struct part_thread part;
    char text[96];
    uint64_t frame = 0;
    take(&part, sizeof(part));
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)part.tid);
    (void)snprintf(text, sizeof(text), "%llu %llu %llu\n", (unsigned long long)part.run_ns,
                   (unsigned long long)part.delay_ns, (unsigned long long)part.turns);
    put(&thread->schedstat_fd, text);
    put_call(thread, part.does);
    make_thread_state(part.tid);
    for (uint64_t i = 0; i < part.frames; i++)
        frame = take_frame(frame);
}

static void write_records(struct sc_segment *segment, size_t size)
{
    uint64_t head = atomic_load(&segment->head);
    if (size > sizeof(segment->ring) - head)
        abort();
    if (size > 0)
        take(segment->ring + head, size);
    records_point_into_program(segment->ring + head, size);
    atomic_store(&segment->head, head + size);
}

void looks_run(struct sc_process *process, void (*looked)(void *context, uint64_t now_ns),
               void *context)
{
    struct part part;
    process->stacks.target = process->threads.target = python.process.target;
    while (fread(&part, sizeof(part), 1, stdin) == 1) {
        write_records(process->reader.segment, part.ring_bytes);
        make_interpreter(&process->layout);
        for (uint64_t i = 0; i < part.threads; i++)
            take_thread(process);
        if (part.threads == 0 || part.now_ns == 0) /* nobody looks */
            continue;
        sc_process_poll_at(process, part.now_ns, part.cpu_ns);
        looked(context, part.now_ns);
    }
}
