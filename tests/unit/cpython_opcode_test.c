/*
 * tests/unit/cpython_opcode_test.c - opcodes that call, in every version.
 *
 * The numbers here were read from the opcode lists by hand, not by the generator.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/layout.h"
#include "cpython/opcode.h"
#include "sc_test.h"

struct known_opcode {
    uint16_t version;
    uint8_t opcode;
    enum sc_opcode_kind kind;
};

static const struct known_opcode known[] = {
    {0x0308, 131, SC_OPCODE_CALL},        /* CALL_FUNCTION */
    {0x0308, 161, SC_OPCODE_CALL},        /* CALL_METHOD */
    {0x0308, 162, SC_OPCODE_OTHER},       /* CALL_FINALLY calls nothing */
    {0x0308, 143, SC_OPCODE_CALL},        /* SETUP_WITH */
    {0x0308, 23, SC_OPCODE_OTHER},        /* BINARY_ADD */
    {0x0309, 141, SC_OPCODE_CALL},        /* CALL_FUNCTION_KW */
    {0x030a, 142, SC_OPCODE_CALL},        /* CALL_FUNCTION_EX */
    {0x030a, 1, SC_OPCODE_OTHER},         /* POP_TOP */
    {0x030b, 166, SC_OPCODE_CALL},        /* PRECALL */
    {0x030b, 171, SC_OPCODE_CALL},        /* CALL */
    {0x030b, 23, SC_OPCODE_CALL_PYTHON},  /* CALL_PY_EXACT_ARGS */
    {0x030b, 143, SC_OPCODE_CALL_PYTHON}, /* PRECALL_PYFUNC */
    {0x030b, 66, SC_OPCODE_CALL_NATIVE},  /* PRECALL_BUILTIN_CLASS */
    {0x030b, 78, SC_OPCODE_CALL_NATIVE},  /* PRECALL_NO_KW_LEN */
    {0x030b, 122, SC_OPCODE_OTHER},       /* BINARY_OP */
    {0x030c, 28, SC_OPCODE_CALL_PYTHON},  /* CALL_BOUND_METHOD_EXACT_ARGS */
    {0x030c, 47, SC_OPCODE_CALL_NATIVE},  /* CALL_NO_KW_STR_1 */
    {0x030c, 173, SC_OPCODE_OTHER},       /* CALL_INTRINSIC_1 */
    {0x030c, 241, SC_OPCODE_CALL},        /* INSTRUMENTED_CALL */
    {0x030d, 53, SC_OPCODE_CALL},         /* CALL */
    {0x030d, 162, SC_OPCODE_CALL_PYTHON}, /* CALL_ALLOC_AND_ENTER_INIT */
    {0x030d, 176, SC_OPCODE_CALL},        /* CALL_NON_PY_GENERAL */
    {0x030d, 178, SC_OPCODE_CALL_PYTHON}, /* CALL_PY_GENERAL */
    {0x030d, 171, SC_OPCODE_CALL_NATIVE}, /* CALL_LIST_APPEND */
    {0x030e, 152, SC_OPCODE_CALL},        /* CALL_KW_NON_PY */
    {0x030e, 153, SC_OPCODE_CALL_PYTHON}, /* CALL_KW_PY */
    {0x030e, 252, SC_OPCODE_CALL},        /* INSTRUMENTED_CALL_FUNCTION_EX */
    {0x030f, 152, SC_OPCODE_CALL_PYTHON}, /* CALL_EX_PY */
    {0x030f, 151, SC_OPCODE_CALL},        /* CALL_EX_NON_PY_GENERAL */
};

TEST(test_known_opcodes)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (sc_opcode_kind(known[i].version, known[i].opcode) != known[i].kind)
            fail_msg("version %x, opcode %d", known[i].version, known[i].opcode);
}

/* Specialised opcodes came with 3.11: before, the callee cannot be known. */
TEST(test_every_version_has_calls)
{
    for (uint16_t version = SC_PY_OLDEST; version <= SC_PY_NEWEST; version++) {
        int counts[4] = {0};
        for (int opcode = 0; opcode < 256; opcode++)
            counts[sc_opcode_kind(version, (uint8_t)opcode)]++;
        assert_true(counts[SC_OPCODE_CALL] >= 4);
        assert_true(counts[SC_OPCODE_OTHER] > 200);
        assert_int_equal(counts[SC_OPCODE_CALL_NATIVE] > 0, version >= 0x030b);
        assert_int_equal(counts[SC_OPCODE_CALL_PYTHON] > 0, version >= 0x030b);
    }
}

TEST(test_unknown_version)
{
    for (int opcode = 0; opcode < 256; opcode++) {
        assert_int_equal(sc_opcode_kind(SC_PY_OLDEST - 1, (uint8_t)opcode), SC_OPCODE_OTHER);
        assert_int_equal(sc_opcode_kind(SC_PY_NEWEST + 1, (uint8_t)opcode), SC_OPCODE_OTHER);
    }
}
