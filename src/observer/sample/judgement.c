/* observer/sample/judgement.c - see judgement.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/judgement.h"

/* Copies the addresses up to the innermost evaluation loop, without marks: the classification of a
 * sample needs no more. */
static size_t copy_to_loop(const struct sc_sent_stack *sent,
                           uint64_t ret_addresses[SC_ADDRESSES_MAX])
{
    size_t count = 0;
    while (count < sent->address_count && count < SC_ADDRESSES_MAX) {
        uint64_t address = sent->addresses[count];
        ret_addresses[count++] = address & ~SC_ADDRESS_IN_LOOP;
        if ((address & SC_ADDRESS_IN_LOOP) != 0)
            break;
    }
    return count;
}

struct sc_judgement sc_judge(struct sc_process *process, const struct sc_sent_stack *sent,
                             uint16_t code_unit)
{
    uint64_t addresses[SC_ADDRESSES_MAX];
    struct sc_sample_view view = {
        .addresses = addresses,
        .address_count = copy_to_loop(sent, addresses),
        .reached_eval = (sent->flags & SC_SAMPLE_REACHED_EVAL) != 0,
        .in_system_call = (sent->flags & SC_SAMPLE_IN_SYSTEM_CALL) != 0,
        .has_python_frame = sent->frame_count > 0,
        .is_ending = sent->frame_count == 0 && (sent->flags & SC_SAMPLE_ENDING) != 0,
        .is_collecting = (sent->flags & SC_SAMPLE_COLLECTING) != 0,
        .has_code_unit = (sent->flags & SC_SAMPLE_HAS_CODE_UNIT) != 0,
        .code_unit = code_unit,
    };
    if (process->classifier == NULL)
        return (struct sc_judgement){view.in_system_call ? SC_SAMPLE_KERNEL : SC_SAMPLE_PYTHON,
                                     false};
    return (struct sc_judgement){sc_classify(process->classifier, &view),
                                 sc_classify_frees(process->classifier, &view)};
}
