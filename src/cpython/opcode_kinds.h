/*
 * cpython/opcode_kinds.h - what an opcode calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum sc_opcode_kind {
    SC_OPCODE_OTHER,       /* no call: what C code runs for it belongs to the interpreter */
    SC_OPCODE_CALL,        /* calls anything */
    SC_OPCODE_CALL_NATIVE, /* specialised for a callee in C */
    SC_OPCODE_CALL_PYTHON, /* specialised for a Python function or class */
};
