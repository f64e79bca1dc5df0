/*
 * tests/unit/ring_test.c - the ring between agent and observer: order, room, many writers, hostile
 * bytes.
 *
 * Also run under the thread sanitizer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sched.h>

#include "base/io.h"
#include "channel/reader.h"
#include "channel/writer.h"
#include "sc_test.h"

/* A segment as the agent makes it, and a reader of its descriptor. Both use one mapping: the thread
 * sanitizer does not know that two addresses can be one place. */
struct ring {
    struct sc_segment *segment;
    struct sc_reader reader;
};

static int make_segment_of(size_t bytes, int seals, struct sc_segment **ret_segment)
{
    int fd = (int)syscall(SYS_memfd_create, "ring_test", MFD_ALLOW_SEALING);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    struct sc_segment *segment =
        mmap(NULL, sizeof(struct sc_segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(segment != MAP_FAILED);
    segment->magic = SC_CHANNEL_MAGIC;
    segment->version = SC_CHANNEL_VERSION;
    segment->size_bytes = (uint32_t)sizeof(struct sc_segment);
    *ret_segment = segment;
    return fd;
}

static int make_segment(struct sc_segment **ret_segment)
{
    return make_segment_of(sizeof(struct sc_segment), SC_SEGMENT_SEALS, ret_segment);
}

static struct ring ring_open(void)
{
    struct ring ring = {0};
    struct sc_err err = {0};
    int fd = make_segment(&ring.segment);
    assert_true(sc_reader_open(&ring.reader, fd, &err));
    assert_int_equal(munmap(ring.segment, sizeof(struct sc_segment)), 0);
    ring.segment = ring.reader.segment;
    return ring;
}

static void ring_close(struct ring *ring)
{
    sc_reader_close(&ring->reader);
    assert_null(ring->reader.segment);
}

/* A sample whose every part follows from its number. */
static bool put_sample(struct sc_segment *segment, uint32_t writer, uint64_t number)
{
    uint32_t frames = (uint32_t)(number * 7 % 60);
    uint32_t addresses = (uint32_t)(number * 3 % 20);
    size_t size = sizeof(struct sc_record_sample) + frames * sizeof(struct sc_sample_frame) +
                  addresses * sizeof(uint64_t);
    struct sc_record_sample *record = sc_ring_reserve(segment, size);
    if (record == NULL)
        return false;
    record->time_ns = number;
    record->tid = writer;
    record->frame_count = frames;
    record->kept_place = SC_KEPT_NOWHERE;
    record->address_count = addresses;
    struct sc_sample_frame *frame = (struct sc_sample_frame *)(record + 1);
    for (uint32_t i = 0; i < frames; i++)
        frame[i].code_key = number * 1000 + i;
    uint64_t *address = (uint64_t *)(frame + frames);
    for (uint32_t i = 0; i < addresses; i++)
        address[i] = number * 2000 + i;
    sc_ring_commit(record, SC_RECORD_SAMPLE, size);
    return true;
}

static void check_sample(const struct sc_record_sample *record, uint64_t number)
{
    assert_int_equal(record->time_ns, number);
    assert_int_equal(record->frame_count, number * 7 % 60);
    assert_int_equal(record->address_count, number * 3 % 20);
    const struct sc_sample_frame *frame = (const struct sc_sample_frame *)(record + 1);
    for (uint32_t i = 0; i < record->frame_count; i++)
        assert_int_equal(frame[i].code_key, number * 1000 + i);
    const uint64_t *address = (const uint64_t *)(frame + record->frame_count);
    for (uint32_t i = 0; i < record->address_count; i++)
        assert_int_equal(address[i], number * 2000 + i);
}

TEST(records_come_out_in_order_and_whole)
{
    struct ring ring = ring_open();
    enum sc_record_kind kind = SC_RECORD_NONE;
    uint64_t read = 0;
    assert_null(sc_reader_next(&ring.reader, &kind));
    /* several times around, so that records of many sizes meet the ring's end */
    for (uint64_t written = 0; written < 60000; written++) {
        assert_true(put_sample(ring.segment, 1, written));
        if (written % 11 != 0)
            continue;
        const struct sc_record_sample *record = NULL;
        while ((record = sc_reader_next(&ring.reader, &kind)) != NULL) {
            assert_int_equal(kind, SC_RECORD_SAMPLE);
            check_sample(record, read++);
        }
        assert_int_equal(read, written + 1);
    }
    ring_close(&ring);
}

TEST(a_full_ring_takes_nothing_until_it_is_read)
{
    struct ring ring = ring_open();
    enum sc_record_kind kind = SC_RECORD_NONE;
    uint64_t written = 0;
    while (put_sample(ring.segment, 1, written))
        written++;
    assert_true(written > 100);
    for (uint64_t read = 0; read < written; read++)
        check_sample(sc_reader_next(&ring.reader, &kind), read);
    assert_null(sc_reader_next(&ring.reader, &kind));
    assert_true(put_sample(ring.segment, 1, written));
    check_sample(sc_reader_next(&ring.reader, &kind), written);
    ring_close(&ring);
}

TEST(sizes_out_of_bounds_are_refused)
{
    struct ring ring = ring_open();
    assert_null(sc_ring_reserve(ring.segment, 0));
    assert_null(sc_ring_reserve(ring.segment, sizeof(struct sc_record_header) - 1));
    assert_null(sc_ring_reserve(ring.segment, SC_RING_BYTES / 2 + 1));
    assert_null(sc_ring_reserve(ring.segment, SIZE_MAX));
    assert_non_null(sc_ring_reserve(ring.segment, SC_RING_BYTES / 2));
    ring_close(&ring);
}

TEST(an_unfinished_record_holds_back_those_behind_it)
{
    struct ring ring = ring_open();
    enum sc_record_kind kind = SC_RECORD_NONE;
    size_t size = sizeof(struct sc_record_thread_end);
    struct sc_record_thread_end *first = sc_ring_reserve(ring.segment, size);
    assert_non_null(first);
    assert_true(put_sample(ring.segment, 1, 5));
    assert_null(sc_reader_next(&ring.reader, &kind));
    assert_true(sc_reader_is_held_up(&ring.reader));
    first->tid = 77;
    sc_ring_commit(first, SC_RECORD_THREAD_END, size);
    assert_false(sc_reader_is_held_up(&ring.reader));
    const struct sc_record_thread_end *end = sc_reader_next(&ring.reader, &kind);
    assert_int_equal(kind, SC_RECORD_THREAD_END);
    assert_int_equal(end->tid, 77);
    check_sample(sc_reader_next(&ring.reader, &kind), 5);
    assert_false(sc_reader_is_held_up(&ring.reader));
    ring_close(&ring);
}

#define WRITERS 4U
#define NUMBERS 5000U

static struct sc_segment *shared_segment;
static _Thread_local uint64_t interrupting_number;

/* A writer that interrupts a writer, as the tick of a thread that is announcing its start. */
static void interrupt(int number)
{
    size_t size = sizeof(struct sc_record_thread_end);
    struct sc_record_thread_end *record = sc_ring_reserve(shared_segment, size);
    if (record == NULL)
        return;
    record->tid = 0;
    record->cpu_ns = interrupting_number++;
    sc_ring_commit(record, SC_RECORD_THREAD_END, size);
}

static void *write_numbers(void *argument)
{
    uint32_t writer = (uint32_t)(uintptr_t)argument;
    for (uint64_t number = 0; number < NUMBERS; number++) {
        if (number % 50 == 0) {
            size_t size = sizeof(struct sc_record_thread_end);
            struct sc_record_thread_end *record = sc_ring_reserve(shared_segment, size);
            (void)raise(SIGUSR1);
            if (record != NULL) {
                record->tid = writer;
                sc_ring_commit(record, SC_RECORD_THREAD_END, size);
            }
        }
        while (!put_sample(shared_segment, writer, number))
            (void)sched_yield();
    }
    return NULL;
}

TEST(many_writers_lose_and_mix_nothing)
{
    struct ring ring = ring_open();
    pthread_t threads[WRITERS];
    uint64_t next[WRITERS] = {0};
    uint64_t left = (uint64_t)WRITERS * NUMBERS;
    shared_segment = ring.segment;
    assert_true(signal(SIGUSR1, interrupt) != SIG_ERR);
    for (uintptr_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_numbers, (void *)i), 0);
    while (left > 0) {
        enum sc_record_kind kind = SC_RECORD_NONE;
        const struct sc_record_sample *record = sc_reader_next(&ring.reader, &kind);
        assert_false(ring.reader.broken);
        if (record == NULL) {
            (void)sched_yield();
        } else if (kind == SC_RECORD_SAMPLE) {
            assert_true(record->tid < WRITERS);
            check_sample(record, next[record->tid]++);
            left--;
        }
    }
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    ring_close(&ring);
}

TEST(hostile_headers_end_the_reading)
{
    static const uint32_t words[] = {
        1,                                  /* no kind, smaller than a header */
        SC_RECORD_SAMPLE << 24 | 8U,        /* smaller than its kind */
        SC_RECORD_SAMPLE << 24 | 44U,       /* no multiple of 8 */
        SC_RECORD_PAD << 24,                /* would be read for ever */
        SC_RECORD_CODE << 24 | 0xfffff8U,   /* longer than the ring */
        SC_RECORD_THREAD_END << 24 | 0x18U, /* smaller than its kind */
        0xff000020U,                        /* of no known kind */
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct ring ring = ring_open();
        enum sc_record_kind kind = SC_RECORD_NONE;
        memcpy(ring.segment->ring, &words[i], sizeof(words[i]));
        assert_null(sc_reader_next(&ring.reader, &kind));
        assert_true(ring.reader.broken);
        assert_null(sc_reader_next(&ring.reader, &kind));
        ring_close(&ring);
    }
}

TEST(counts_larger_than_the_record_end_the_reading)
{
    struct ring ring = ring_open();
    enum sc_record_kind kind = SC_RECORD_NONE;
    size_t size = sizeof(struct sc_record_sample);
    struct sc_record_sample *record = sc_ring_reserve(ring.segment, size);
    assert_non_null(record);
    record->kept_place = SC_KEPT_NOWHERE;
    record->frame_count = 1;
    sc_ring_commit(record, SC_RECORD_SAMPLE, size);
    assert_null(sc_reader_next(&ring.reader, &kind));
    assert_true(ring.reader.broken);
    ring_close(&ring);
}

TEST(positions_written_by_the_target_are_not_believed)
{
    struct ring ring = ring_open();
    enum sc_record_kind kind = SC_RECORD_NONE;
    assert_true(put_sample(ring.segment, 1, 9));
    atomic_store(&ring.segment->tail, SC_RING_BYTES - 1);
    atomic_store(&ring.segment->head, 3);
    check_sample(sc_reader_next(&ring.reader, &kind), 9);
    assert_null(sc_reader_next(&ring.reader, &kind));
    ring_close(&ring);
}

TEST(foreign_segments_are_refused)
{
    struct sc_segment *segment = NULL;
    struct sc_reader reader = {0};
    struct sc_err err = {0};
    int fd = make_segment(&segment);
    segment->version++;
    assert_false(sc_reader_open(&reader, fd, &err));
    assert_int_equal(munmap(segment, sizeof(*segment)), 0);
    fd = make_segment_of(sizeof(*segment) + 4096, SC_SEGMENT_SEALS, &segment);
    assert_false(sc_reader_open(&reader, fd, &err));
    assert_int_equal(munmap(segment, sizeof(*segment)), 0);
}

TEST(a_segment_that_may_be_cut_short_is_refused)
{
    static const int seals[] = {0, F_SEAL_SHRINK, F_SEAL_SHRINK | F_SEAL_GROW,
                                F_SEAL_GROW | F_SEAL_SEAL};
    for (size_t i = 0; i < sizeof(seals) / sizeof(seals[0]); i++) {
        struct sc_segment *segment = NULL;
        struct sc_reader reader = {0};
        struct sc_err err = {0};
        int fd = make_segment_of(sizeof(*segment), seals[i], &segment);
        assert_false(sc_reader_open(&reader, fd, &err));
        assert_int_equal(fcntl(fd, F_GETFD), -1); /* closed */
        assert_int_equal(munmap(segment, sizeof(*segment)), 0);
    }
}

TEST(other_files_are_refused_at_once)
{
    char folder[] = "/tmp/ring_test.XXXXXX";
    char fifo[sizeof(folder) + 5];
    int pipes[2];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(pipe(pipes), 0);
    int fds[] = {open(fifo, O_RDWR),        open(fifo, O_PATH), open(folder, O_RDONLY),
                 open("/dev/zero", O_RDWR), pipes[0],           pipes[1]};
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        struct sc_reader reader = {0};
        struct sc_err err = {0};
        assert_true(fds[i] >= 0);
        assert_false(sc_reader_open(&reader, fds[i], &err));
        assert_int_equal(fcntl(fds[i], F_GETFD), -1);
    }
    assert_int_equal(unlink(fifo), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST(the_head_of_a_segment_is_read_once_and_in_bounds)
{
    static const uint64_t intervals[] = {0, 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
        struct sc_segment *segment = NULL;
        struct sc_segment_facts facts;
        struct sc_reader reader = {0};
        struct sc_err err = {0};
        int fd = make_segment(&segment);
        segment->pace.interval_ns = intervals[i];
        segment->parent_pid = 5;
        segment->pid = 6;
        segment->is_forked = 7;
        segment->facts.interpreter.eval_range_count = SC_EVAL_RANGES_SENT + 1;
        assert_true(sc_reader_open(&reader, fd, &err));
        segment->pace.interval_ns = segment->parent_pid = segment->pid = segment->is_forked = 0;
        assert_true(reader.pace.interval_ns >= 1000 && reader.pace.interval_ns <= UINT64_MAX / 100);
        assert_int_equal(reader.parent_pid, 5);
        assert_int_equal(reader.pid, 6);
        assert_true(reader.is_forked);
        sc_reader_facts(&reader, &facts);
        assert_int_equal(facts.interpreter.eval_range_count, 0);
        sc_reader_close(&reader);
        assert_int_equal(munmap(segment, sizeof(*segment)), 0);
    }
}

TEST(a_sample_without_addresses_has_none_in_the_loop)
{
    for (uint32_t addresses = 0; addresses < 2; addresses++) {
        struct ring ring = ring_open();
        enum sc_record_kind kind = SC_RECORD_NONE;
        size_t size = sizeof(struct sc_record_sample) + addresses * sizeof(uint64_t);
        struct sc_record_sample *record = sc_ring_reserve(ring.segment, size);
        assert_non_null(record);
        record->flags = SC_SAMPLE_REACHED_EVAL | SC_SAMPLE_HAS_CODE_UNIT;
        record->address_count = addresses;
        sc_ring_commit(record, SC_RECORD_SAMPLE, size);
        const struct sc_record_sample *sample = sc_reader_next(&ring.reader, &kind);
        assert_non_null(sample);
        assert_int_equal(sample->flags, addresses > 0
                                            ? SC_SAMPLE_REACHED_EVAL | SC_SAMPLE_HAS_CODE_UNIT
                                            : SC_SAMPLE_HAS_CODE_UNIT);
        ring_close(&ring);
    }
}

TEST(no_time_is_to_come)
{
    struct ring ring = ring_open();
    enum sc_record_kind kind = SC_RECORD_NONE;
    struct sc_record_gpu_span *record = sc_ring_reserve(ring.segment, sizeof(*record));
    assert_non_null(record);
    record->from_ns = 17;
    record->to_ns = UINT64_MAX;
    sc_ring_commit(record, SC_RECORD_GPU_SPAN, sizeof(*record));
    const struct sc_record_gpu_span *span = sc_reader_next(&ring.reader, &kind);
    assert_non_null(span);
    assert_int_equal(span->from_ns, 17);
    assert_true(span->to_ns > 17 && span->to_ns <= sc_now_ns());
    ring_close(&ring);
}

TEST(numbers_out_of_their_range_end_the_reading)
{
    static const struct {
        enum sc_record_kind kind;
        size_t size;
        size_t at;
        uint32_t number;
    } cases[] = {
        {SC_RECORD_SAMPLE, sizeof(struct sc_record_sample), offsetof(struct sc_record_sample, tid),
         (1U << 22) + 1},
        {SC_RECORD_THREAD_START, sizeof(struct sc_record_thread_start),
         offsetof(struct sc_record_thread_start, tid), UINT32_MAX},
        {SC_RECORD_THREAD_END, sizeof(struct sc_record_thread_end),
         offsetof(struct sc_record_thread_end, tid), 1U << 31},
        {SC_RECORD_SAMPLE, sizeof(struct sc_record_sample),
         offsetof(struct sc_record_sample, address_count), UINT32_MAX},
        {SC_RECORD_STACK, sizeof(struct sc_record_stack),
         offsetof(struct sc_record_stack, frame_count), UINT32_MAX},
        {SC_RECORD_CODE, sizeof(struct sc_record_code),
         offsetof(struct sc_record_code, name_length), 1},
        {SC_RECORD_EXEC, sizeof(struct sc_record_exec), offsetof(struct sc_record_exec, length),
         UINT32_MAX},
        {SC_RECORD_DIRECTORY, sizeof(struct sc_record_directory),
         offsetof(struct sc_record_directory, length), 1},
        {SC_RECORD_GPU_STATE, sizeof(struct sc_record_gpu_state),
         offsetof(struct sc_record_gpu_state, state), SC_GPU_STATE_COUNT_},
        {SC_RECORD_GPU_WORK, sizeof(struct sc_record_gpu_work),
         offsetof(struct sc_record_gpu_work, kind), SC_GPU_WORK_COUNT_},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ring ring = ring_open();
        enum sc_record_kind kind = SC_RECORD_NONE;
        unsigned char *record = sc_ring_reserve(ring.segment, cases[i].size);
        assert_non_null(record);
        memcpy(record + cases[i].at, &cases[i].number, sizeof(uint32_t));
        sc_ring_commit(record, cases[i].kind, cases[i].size);
        assert_null(sc_reader_next(&ring.reader, &kind));
        assert_true(ring.reader.broken);
        ring_close(&ring);
    }
}

TEST(a_ring_that_is_never_empty_gives_way)
{
    struct ring ring = ring_open();
    enum sc_record_kind kind = SC_RECORD_NONE;
    size_t size = sizeof(struct sc_record_free);
    uint64_t limit = 4ULL * SC_RING_BYTES / size;
    uint64_t count = 0;
    do {
        void *record = sc_ring_reserve(ring.segment, size);
        assert_non_null(record);
        sc_ring_commit(record, SC_RECORD_FREE, size);
        count++;
    } while (count < limit && sc_reader_next(&ring.reader, &kind) != NULL);
    assert_true(count < limit);
    assert_false(ring.reader.broken);
    assert_non_null(sc_reader_next(&ring.reader, &kind)); /* the next turn */
    ring_close(&ring);
}
