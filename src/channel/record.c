/*
 * channel/record.c - checks a record that was copied out of the ring.
 *
 * The program can write anything into its ring. After this check no other code has to check again
 * whether a count, a kind or a tid is in range, nor whether a time lies in the future: sums over
 * time and tables by time would otherwise have no limit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "channel/record.h"

#include <string.h>

#include "base/io.h"

#define TID_MAX (1U << 22) /* PID_MAX_LIMIT of Linux */

/* The structure of a kind and the offsets of its fields. Offset 0 is the header's, so it means that
 * there is no such field. */
struct shape {
    size_t size;
    size_t times[2];
    size_t tid;
};

#define X_SHAPE(kind, name, time, other_time, tid)                                                 \
    [SC_RECORD_##kind] = {                                                                         \
        sizeof(struct sc_record_##name),                                                           \
        {offsetof(struct sc_record_##name, time), offsetof(struct sc_record_##name, other_time)},  \
        offsetof(struct sc_record_##name, tid)},
static const struct shape shapes[] = {SC_RECORDS(X_SHAPE)};
#undef X_SHAPE

static size_t stack_bytes(uint32_t frame_count, uint32_t address_count)
{
    return frame_count * sizeof(struct sc_sample_frame) + address_count * sizeof(uint64_t);
}

static bool check_sample(struct sc_record_sample *sample, size_t size)
{
    if (sample->frame_count > SC_FRAMES_MAX || sample->address_count > SC_ADDRESSES_MAX ||
        size < sizeof(*sample) + stack_bytes(sample->frame_count, sample->address_count))
        return false;
    if (sample->kept_count > SC_FRAMES_MAX - sample->frame_count ||
        (sample->kept_place >= SC_KEPT_STACKS && sample->kept_place != SC_KEPT_NOWHERE))
        return false;
    if (sample->address_count == 0) /* then none of them is in the loop */
        sample->flags &= (uint16_t)~SC_SAMPLE_REACHED_EVAL;
    return true;
}

static bool check_stack(const struct sc_record_stack *stack, size_t size)
{
    return stack->frame_count <= SC_MEMORY_FRAMES_MAX && stack->address_count <= SC_ADDRESSES_MAX &&
           size >= sizeof(*stack) + stack_bytes(stack->frame_count, stack->address_count);
}

static bool check_code(const struct sc_record_code *code, size_t size)
{
    return code->file_length <= SC_TEXT_MAX && code->name_length <= SC_TEXT_MAX &&
           code->line_table_length <= SC_LINE_TABLE_MAX &&
           size >= sizeof(*code) + code->file_length + code->name_length + code->line_table_length;
}

static bool check_exec(const struct sc_record_exec *exec, size_t size)
{
    return exec->length <= SC_TEXT_MAX && size >= sizeof(*exec) + exec->length;
}

static bool check_directory(const struct sc_record_directory *directory, size_t size)
{
    return directory->length <= SC_TEXT_MAX && size >= sizeof(*directory) + directory->length;
}

static bool check_label(const struct sc_record_label *label, size_t size)
{
    return label->length <= SC_LABEL_MAX && size >= sizeof(*label) + label->length;
}

static bool check_kind(unsigned char *record, enum sc_record_kind kind, size_t size)
{
    switch (kind) {
    case SC_RECORD_SAMPLE:
        return check_sample((void *)record, size);
    case SC_RECORD_CODE:
        return check_code((const void *)record, size);
    case SC_RECORD_STACK:
        return check_stack((const void *)record, size);
    case SC_RECORD_EXEC:
        return check_exec((const void *)record, size);
    case SC_RECORD_DIRECTORY:
        return check_directory((const void *)record, size);
    case SC_RECORD_LABEL:
        return check_label((const void *)record, size);
    case SC_RECORD_GPU_STATE:
        return ((const struct sc_record_gpu_state *)(const void *)record)->state <
               SC_GPU_STATE_COUNT_;
    case SC_RECORD_GPU_WORK:
        return ((const struct sc_record_gpu_work *)(const void *)record)->kind < SC_GPU_WORK_COUNT_;
    default: /* it has no counts, and no values of our enums */
        return true;
    }
}

/* A reported time must not lie in the future: one that does is set to the current time. */
static void mend_time(unsigned char *at, uint64_t *now_ns)
{
    uint64_t time_ns;
    memcpy(&time_ns, at, sizeof(time_ns));
    if (time_ns <= *now_ns)
        return;
    *now_ns = sc_now_ns();
    if (time_ns > *now_ns)
        memcpy(at, now_ns, sizeof(*now_ns));
}

bool sc_record_check(unsigned char *record, enum sc_record_kind kind, size_t size, uint64_t *now_ns)
{
    if (kind >= sizeof(shapes) / sizeof(shapes[0]) || shapes[kind].size == 0 ||
        size < shapes[kind].size || !check_kind(record, kind, size))
        return false;
    const struct shape *shape = &shapes[kind];
    uint32_t tid = 0;
    if (shape->tid != 0)
        memcpy(&tid, record + shape->tid, sizeof(tid));
    for (size_t i = 0; i < 2 && shape->times[i] != 0; i++)
        mend_time(record + shape->times[i], now_ns);
    return tid <= TID_MAX;
}
