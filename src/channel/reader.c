/* channel/reader.c - see reader.h. SPDX-License-Identifier: Apache-2.0 */
#include "channel/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "channel/record.h"

/* Bytes read in one turn, so that an agent that writes as fast as we read does not block everything
 * else. */
#define TURN_BYTES SC_RING_BYTES

/* Consumed bytes that are freed together: one system call, and one fault per page later. */
#define FREED_BYTES (SC_RING_BYTES / 32)

/* Limits of the interval between samples. What a command requests is far from both. */
#define INTERVAL_MIN_NS 1000U
#define INTERVAL_MAX_NS 1000000000000000U

/* Whether the segment's size is sealed, so that the program cannot shrink what we have mapped. Only
 * memory files have seals; F_GET_SEALS fails at once on any other file. */
static bool is_sealed(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & SC_SEGMENT_SEALS) == SC_SEGMENT_SEALS;
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

bool sc_reader_open(struct sc_reader *ret_reader, int fd, struct sc_err *err)
{
    struct stat status;
    if (!is_sealed(fd)) {
        (void)close(fd);
        return sc_fail(err, SC_ERR_FAILED, "the agent sent a segment that may change its size");
    }
    if (fstat(fd, &status) != 0 || status.st_size != (off_t)sizeof(struct sc_segment)) {
        (void)close(fd);
        return sc_fail(err, SC_ERR_FAILED, "the agent sent a segment of another size");
    }
    void *mapped = mmap(NULL, sizeof(struct sc_segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int code = errno;
    (void)close(fd);
    if (mapped == MAP_FAILED)
        return sc_fail_errno(err, code, "cannot map the agent's segment");
    struct sc_segment *segment = mapped;
    if (segment->magic != SC_CHANNEL_MAGIC || segment->version != SC_CHANNEL_VERSION ||
        segment->size_bytes != sizeof(struct sc_segment)) {
        (void)munmap(mapped, sizeof(struct sc_segment));
        return sc_fail(err, SC_ERR_FAILED, "the agent is of another version than this command");
    }
    *ret_reader = (struct sc_reader){
        .segment = segment,
        .pid = segment->pid,
        .parent_pid = segment->parent_pid,
        .is_forked = segment->is_forked != 0,
        .pace = {.interval_ns = within(segment->pace.interval_ns, INTERVAL_MIN_NS, INTERVAL_MAX_NS),
                 .begun_ns = segment->pace.begun_ns},
    };
    return true;
}

bool sc_reader_make_segment(struct sc_reader *ret_reader, uint32_t pid,
                            const struct sc_segment_facts *facts, uint64_t interval_ns,
                            uint64_t now_ns, struct sc_err *err)
{
    void *mapped = mmap(NULL, sizeof(struct sc_segment), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return sc_fail_errno(err, errno, "cannot make a segment");
    struct sc_segment *segment = mapped;
    segment->facts = *facts;
    atomic_store(&segment->program_started_ns, now_ns);
    *ret_reader = (struct sc_reader){
        .segment = segment,
        .pid = pid,
        .pace = {.interval_ns = within(interval_ns, INTERVAL_MIN_NS, INTERVAL_MAX_NS)},
    };
    return true;
}

void sc_reader_facts(const struct sc_reader *reader, struct sc_segment_facts *ret_facts)
{
    memcpy(ret_facts, &reader->segment->facts, sizeof(*ret_facts));
    /* the check below must use the copy, which the target cannot change: this keeps the compiler
     * from reading the segment again */
    atomic_signal_fence(memory_order_seq_cst);
    struct sc_interpreter_facts *interpreter = &ret_facts->interpreter;
    interpreter->version = (uint16_t)(interpreter->version_hex >> 16);
    if (interpreter->eval_range_count > SC_EVAL_RANGES_SENT)
        interpreter->eval_range_count = 0;
}

void sc_reader_ask_names_again(struct sc_reader *reader)
{
    atomic_store_explicit(&reader->segment->round, ++reader->round, memory_order_relaxed);
}

void sc_reader_close(struct sc_reader *reader)
{
    if (reader->segment != NULL)
        (void)munmap(reader->segment, sizeof(struct sc_segment));
    free(reader->copy);
    *reader = (struct sc_reader){0};
}

bool sc_reader_is_held_up(const struct sc_reader *reader)
{
    const struct sc_segment *segment = reader->segment;
    const struct sc_record_header *header =
        (const void *)(segment->ring + (reader->tail & (SC_RING_BYTES - 1)));
    return !reader->broken && atomic_load(&segment->head) != reader->tail &&
           atomic_load(&header->word) == 0;
}

/* Zeroes a consumed piece, gives its memory back, and lets the agent write there again. */
static void free_consumed(struct sc_reader *reader)
{
    unsigned char *piece = reader->segment->ring + (reader->freed & (SC_RING_BYTES - 1));
    if (madvise(piece, FREED_BYTES, MADV_REMOVE) != 0) /* a hole reads as zeroes */
        memset(piece, 0, FREED_BYTES);
    reader->freed += FREED_BYTES;
    atomic_store_explicit(&reader->segment->tail, reader->freed, memory_order_release);
}

/* Copies the record out. */
static void take(struct sc_reader *reader, uint32_t position, uint32_t size)
{
    if (size > reader->copy_capacity) {
        reader->copy_capacity = size;
        reader->copy = sc_realloc(reader->copy, size, 1);
    }
    memcpy(reader->copy, reader->segment->ring + position, size);
    reader->tail += size;
    while (reader->tail - reader->freed >= FREED_BYTES)
        free_consumed(reader);
}

const void *sc_reader_next(struct sc_reader *reader, enum sc_record_kind *ret_kind)
{
    struct sc_segment *segment = reader->segment;
    uint64_t limit = reader->paused_at + TURN_BYTES;
    while (!reader->broken && reader->tail < limit) {
        uint32_t position = (uint32_t)reader->tail & (SC_RING_BYTES - 1);
        struct sc_record_header *header = (void *)(segment->ring + position);
        uint32_t word = atomic_load_explicit(&header->word, memory_order_acquire);
        uint32_t size = word & 0xffffff;
        enum sc_record_kind kind = word >> 24;
        if (word == 0)
            break;
        if (size < sizeof(*header) || size % 8 != 0 || size > SC_RING_BYTES - position) {
            reader->broken = true;
            break;
        }
        take(reader, position, size);
        if (kind == SC_RECORD_PAD)
            continue;
        if (!sc_record_check(reader->copy, kind, size, &reader->now_ns)) {
            reader->broken = true;
            break;
        }
        *ret_kind = kind;
        return reader->copy;
    }
    reader->paused_at = reader->tail;
    return NULL;
}
