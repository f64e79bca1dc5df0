/* cpython/opcode.c - see opcode.h. SPDX-License-Identifier: Apache-2.0 */
#include "cpython/opcode.h"

#include "cpython/opcode_data.h"

enum sc_opcode_kind sc_opcode_kind(uint16_t version, uint8_t opcode)
{
    /* opcodes are renumbered in every version: there is no guess for an unknown one */
    if (version < SC_PY_OLDEST || version > SC_PY_NEWEST)
        return SC_OPCODE_OTHER;
    return (enum sc_opcode_kind)sc_opcode_kinds[version - SC_PY_OLDEST][opcode];
}
