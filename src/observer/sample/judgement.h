/*
 * observer/sample/judgement.h - what a stack shows of the time that it is a sample of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/sample/stack.h"

struct sc_judgement {
    enum sc_sample_kind kind;
    bool is_freeing;
};

/* code_unit: with SC_SAMPLE_HAS_CODE_UNIT, that of the innermost Python frame. */
struct sc_judgement sc_judge(struct sc_process *process, const struct sc_sent_stack *sent,
                             uint16_t code_unit);
