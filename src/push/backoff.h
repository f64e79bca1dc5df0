/*
 * push/backoff.h - how long to wait before a request is sent again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#define SC_PUSH_FIRST_NS   500000000U
#define SC_PUSH_LONGEST_NS 30000000000U

/* What a receiver may ask for at most: it may be wrong. */
#define SC_PUSH_ASKED_S 300

/* Twice as long after each attempt, up to a limit, and of that between a half and the whole, so
 * that many programs that have lost one receiver do not come back at one moment. attempts: so many
 * have failed, at least 1; random: any bits; asked_s: what the receiver asks for, 0: nothing. */
static inline uint64_t sc_push_backoff_ns(unsigned attempts, uint64_t random, long asked_s)
{
    uint64_t whole_ns = SC_PUSH_FIRST_NS;
    for (unsigned i = 1; i < attempts && whole_ns < SC_PUSH_LONGEST_NS; i++)
        whole_ns *= 2;
    whole_ns = whole_ns < SC_PUSH_LONGEST_NS ? whole_ns : SC_PUSH_LONGEST_NS;
    uint64_t wait_ns = whole_ns / 2 + random % (whole_ns / 2 + 1);
    long s = asked_s < SC_PUSH_ASKED_S ? asked_s : SC_PUSH_ASKED_S;
    uint64_t asked_ns = s > 0 ? (uint64_t)s * 1000000000U : 0;
    return wait_ns > asked_ns ? wait_ns : asked_ns;
}
