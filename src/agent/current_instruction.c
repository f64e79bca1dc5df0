/* agent/current_instruction.c - see current_instruction.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/current_instruction.h"

#include "agent/rules.h"
#include "agent/state.h"
#include "unwind/fetch.h"

#define REGISTERS_MAX   32U
#define CODE_UNIT_BYTES 2
#define CODE_UNITS_MAX  (1U << 26)

static int fetch_register = -1;

void sc_current_instruction_init(void)
{
    fetch_register = sc_fetch_register(&sc_agent.eval_ranges);
}

SC_SIGNAL_SAFE static uint64_t bytecode_end(const struct sc_target *target,
                                            const struct sc_py_frame *frame)
{
    int64_t units = 0;
    uint64_t address = frame->code + (uint64_t)sc_agent.layout.ob_var_size;
    if (!sc_target_read(target, address, &units, sizeof(units)) || units <= 0 ||
        units > (int64_t)CODE_UNITS_MAX)
        return 0;
    return frame->bytecode + (uint64_t)units * CODE_UNIT_BYTES;
}

SC_SIGNAL_SAFE void sc_current_instruction_correct(const void *context,
                                                   const struct sc_target *target,
                                                   struct sc_py_frame *frame)
{
    uint64_t values[REGISTERS_MAX];
    uint64_t pc = 0;
    uint64_t sp = 0;
    sc_context_registers(context, &pc, &sp);
    if (fetch_register < 0 || !sc_eval_ranges_hold(&sc_agent.eval_ranges, pc))
        return;
    uint64_t end = bytecode_end(target, frame);
    if (end == 0)
        return;
    size_t count = sc_context_pointers(context, frame->bytecode, end + 1, values);
    uint64_t next = (size_t)fetch_register < count ? values[fetch_register] : 0;
    if (next == 0 || (next - frame->bytecode) % CODE_UNIT_BYTES != 0)
        return;
    /* the register is at least one unit ahead: the loop advances it before it executes the
     * instruction */
    int64_t offset = (int64_t)(next - frame->bytecode) - CODE_UNIT_BYTES;
    frame->instruction = offset < 0 ? -1 : (int32_t)offset;
}
