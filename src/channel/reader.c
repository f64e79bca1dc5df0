/*
 * channel/reader.c - the observer's half of the ring.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "channel/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

bool sc_reader_open(struct sc_reader *ret_reader, int fd, struct sc_err *err)
{
    struct stat status;
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
    *ret_reader = (struct sc_reader){.segment = segment};
    return true;
}

void sc_reader_close(struct sc_reader *reader)
{
    if (reader->segment != NULL)
        (void)munmap(reader->segment, sizeof(struct sc_segment));
    free(reader->copy);
    *reader = (struct sc_reader){0};
}

/* Whether the record's counted parts lie inside its size. */
static bool is_well_formed(const unsigned char *record, enum sc_record_kind kind, size_t size)
{
    switch (kind) {
    case SC_RECORD_SAMPLE: {
        const struct sc_record_sample *sample = (const void *)record;
        return size >= sizeof(*sample) && sample->frame_count <= SC_FRAMES_MAX &&
               sample->address_count <= SC_ADDRESSES_MAX &&
               size >= sizeof(*sample) + sample->frame_count * sizeof(struct sc_sample_frame) +
                           sample->address_count * sizeof(uint64_t);
    }
    case SC_RECORD_CODE: {
        const struct sc_record_code *code = (const void *)record;
        return size >= sizeof(*code) && code->file_length <= SC_TEXT_MAX &&
               code->name_length <= SC_TEXT_MAX && code->line_table_length <= SC_LINE_TABLE_MAX &&
               size >=
                   sizeof(*code) + code->file_length + code->name_length + code->line_table_length;
    }
    case SC_RECORD_THREAD_START:
        return size >= sizeof(struct sc_record_thread_start);
    case SC_RECORD_THREAD_END:
        return size >= sizeof(struct sc_record_thread_end);
    case SC_RECORD_MARK:
        return size >= sizeof(struct sc_record_mark);
    case SC_RECORD_PROCESS_END:
        return size >= sizeof(struct sc_record_process_end);
    case SC_RECORD_CHILD_END:
        return size >= sizeof(struct sc_record_child_end);
    case SC_RECORD_EXEC: {
        const struct sc_record_exec *exec = (const void *)record;
        return size >= sizeof(*exec) && exec->length <= SC_TEXT_MAX &&
               size >= sizeof(*exec) + exec->length;
    }
    case SC_RECORD_STACK: {
        const struct sc_record_stack *stack = (const void *)record;
        return size >= sizeof(*stack) && stack->frame_count <= SC_MEMORY_FRAMES_MAX &&
               stack->address_count <= SC_ADDRESSES_MAX &&
               size >= sizeof(*stack) + stack->frame_count * sizeof(struct sc_sample_frame) +
                           stack->address_count * sizeof(uint64_t);
    }
    case SC_RECORD_ALLOCATION:
        return size >= sizeof(struct sc_record_allocation);
    case SC_RECORD_FREE:
        return size >= sizeof(struct sc_record_free);
    case SC_RECORD_COPY:
        return size >= sizeof(struct sc_record_copy);
    case SC_RECORD_GPU_STATE:
        return size >= sizeof(struct sc_record_gpu_state);
    case SC_RECORD_GPU_WORK: {
        const struct sc_record_gpu_work *work = (const void *)record;
        return size >= sizeof(*work) && work->kind < SC_GPU_WORK_COUNT_;
    }
    case SC_RECORD_GPU_SPAN:
        return size >= sizeof(struct sc_record_gpu_span);
    case SC_RECORD_GPU_ALLOCATION:
        return size >= sizeof(struct sc_record_gpu_allocation);
    case SC_RECORD_GPU_FREE:
        return size >= sizeof(struct sc_record_gpu_free);
    case SC_RECORD_NONE:
    case SC_RECORD_PAD:
        break;
    }
    return false;
}

/* Copies the record out, wipes it and gives its room back. */
static void take(struct sc_reader *reader, uint32_t position, uint32_t size)
{
    if (size > reader->copy_capacity) {
        reader->copy_capacity = size;
        reader->copy = sc_realloc(reader->copy, size, 1);
    }
    memcpy(reader->copy, reader->segment->ring + position, size);
    memset(reader->segment->ring + position, 0, size);
    reader->tail += size;
    atomic_store_explicit(&reader->segment->tail, reader->tail, memory_order_release);
}

const void *sc_reader_next(struct sc_reader *reader, enum sc_record_kind *ret_kind)
{
    struct sc_segment *segment = reader->segment;
    while (!reader->broken) {
        uint32_t position = (uint32_t)reader->tail & (SC_RING_BYTES - 1);
        struct sc_record_header *header = (void *)(segment->ring + position);
        uint32_t word = atomic_load_explicit(&header->word, memory_order_acquire);
        uint32_t size = word & 0xffffff;
        enum sc_record_kind kind = word >> 24;
        if (word == 0)
            return NULL;
        if (size < sizeof(*header) || size % 8 != 0 || size > SC_RING_BYTES - position) {
            reader->broken = true;
            break;
        }
        take(reader, position, size);
        if (kind == SC_RECORD_PAD)
            continue;
        if (!is_well_formed(reader->copy, kind, size)) {
            reader->broken = true;
            break;
        }
        *ret_kind = kind;
        return reader->copy;
    }
    return NULL;
}
