/*
 * tests/unit/known_keys_test.c - what the agent has sent is sent again in another process and in
 * another round of the observer's, and only then.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/known_keys.h"

#include "sc_test.h"

enum { CAPACITY = 16384 };

struct sc_agent sc_agent;

TEST(names_are_sent_once_in_each_round)
{
    static struct sc_segment segment;
    static _Atomic uint64_t table[CAPACITY];
    sc_agent.segment = &segment;
    sc_agent.epoch = 77777777777;
    for (uint32_t round = 0; round < 100; round++) {
        atomic_store(&segment.round, round);
        for (uint64_t key = 1; key < 6; key++) {
            assert_false(sc_known_has(table, CAPACITY, key));
            sc_known_add(table, CAPACITY, key);
            assert_true(sc_known_has(table, CAPACITY, key));
        }
    }
    sc_agent.epoch = 88888888888;
    assert_false(sc_known_has(table, CAPACITY, 1));
}
