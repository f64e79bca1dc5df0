/* observer/stack/kept_stacks.c - see kept_stacks.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/stack/kept_stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void sc_kept_stacks_done(struct sc_kept_stacks *kept)
{
    for (size_t i = 0; i < SC_KEPT_STACKS; i++)
        sc_vec_done(&kept->stacks[i].frames);
    free(kept->whole);
    *kept = (struct sc_kept_stacks){0};
}

static const struct sc_record_sample *make_whole(struct sc_kept_stacks *kept,
                                                 const struct sc_kept_stack *stack,
                                                 const struct sc_record_sample *record)
{
    const struct sc_sample_frame *sent = (const struct sc_sample_frame *)(record + 1);
    size_t size = sizeof(*record) + stack->frames.count * sizeof(*sent) +
                  record->address_count * sizeof(uint64_t);
    if (size > kept->whole_bytes) {
        kept->whole = sc_realloc(kept->whole, size, 1);
        kept->whole_bytes = size;
    }
    struct sc_record_sample *whole = kept->whole;
    memcpy(whole, record, sizeof(*record));
    whole->frame_count = (uint32_t)stack->frames.count;
    whole->kept_count = 0;
    whole->kept_place = SC_KEPT_NOWHERE;
    struct sc_sample_frame *frames = (struct sc_sample_frame *)(whole + 1);
    for (size_t i = 0; i < stack->frames.count; i++)
        frames[i] = stack->frames.items[stack->frames.count - 1 - i];
    memcpy(frames + stack->frames.count, sent + record->frame_count,
           record->address_count * sizeof(uint64_t));
    return whole;
}

const struct sc_record_sample *sc_kept_stacks_complete(struct sc_kept_stacks *kept,
                                                       const struct sc_record_sample *record)
{
    if (record->kept_place == SC_KEPT_NOWHERE)
        return record;
    struct sc_kept_stack *stack = &kept->stacks[record->kept_place];
    bool is_known = record->kept_count == 0 || (record->kept_count <= stack->frames.count &&
                                                record->kept_number == stack->number + 1);
    if (!is_known) {
        stack->frames.count = 0;
        return NULL;
    }
    const struct sc_sample_frame *sent = (const struct sc_sample_frame *)(record + 1);
    stack->number = record->kept_number;
    stack->frames.count = record->kept_count;
    for (uint32_t i = record->frame_count; i-- > 0;)
        sc_vec_push(&stack->frames, sent[i]);
    return make_whole(kept, stack, record);
}
