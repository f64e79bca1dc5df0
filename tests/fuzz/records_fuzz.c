/*
 * tests/fuzz/records_fuzz.c - any bytes as the segment of a process: from its ring through charging
 * to a profile, its JSON, and back.
 *
 * The first byte chooses what is measured. The next ones are the hostile part of the segment's
 * head, when that is chosen, and then the ring from its beginning. Words whose highest byte is 0xf0
 * or 0xf1 become addresses of this program, so that there is code to be judged.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpython/layout_data.h"
#include "records_world.h"

enum {
    INPUT_MAX = 1 << 16,
    CHOICE_HEAD =
        1, /* the head of the segment is hostile too; the others are enum records_choice */
    HEAD_FROM = offsetof(struct sc_segment, pace),
    HEAD_TO = offsetof(struct sc_segment, ring),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fill(struct sc_segment *segment, const uint8_t *data, size_t size, unsigned choice)
{
    size_t head_size = 0;
    memset(segment, 0, offsetof(struct sc_segment, ring) + INPUT_MAX);
    segment->pace.interval_ns = 1000000;
    if ((choice & CHOICE_HEAD) != 0) {
        head_size = size < HEAD_TO - HEAD_FROM ? size : HEAD_TO - HEAD_FROM;
        memcpy((unsigned char *)segment + HEAD_FROM, data, head_size);
    }
    segment->magic = SC_CHANNEL_MAGIC;
    segment->version = SC_CHANNEL_VERSION;
    segment->size_bytes = sizeof(*segment);
    memcpy(segment->ring, data + head_size, size - head_size);
    records_point_into_program(segment->ring, size - head_size);
    atomic_store(&segment->head, size - head_size);
    atomic_store(&segment->tail, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = -1;
    if (size < 1 || size > INPUT_MAX)
        return 0;
    const struct records_input input = {
        .scope = {.root_dir = "/nowhere"},
        .layout = &sc_layouts[data[0] % sc_layouts_count],
        .choice = data[0],
        .begun_ns = 1,
        .now_ns = UINT64_C(2000000000000),
        .cpu_ns = 1000000000,
    };
    struct sc_str text = {0};
    fill(records_segment(&fd), data + 1, size - 1, data[0]);
    if (!records_profile(&input, fd, &text))
        abort();
    sc_str_done(&text);
    return 0;
}
