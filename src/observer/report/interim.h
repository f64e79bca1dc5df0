/*
 * observer/report/interim.h - when the profile is written while the program still runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#define SC_INTERIM_S_MAX 1e9 /* longer intervals never pass */

/* Samples wait while a profile is written: after one that took long the next comes later, so that
 * all together take no more than 5 % of the time. */
#define SC_INTERIM_REST 19U

/* interval_s: as asked for; cost_ns: how long the last one took; now_ns: when it was finished. */
static inline uint64_t sc_interim_next_ns(double interval_s, uint64_t cost_ns, uint64_t now_ns)
{
    if (interval_s >= SC_INTERIM_S_MAX)
        return UINT64_MAX;
    uint64_t interval_ns = (uint64_t)(interval_s * 1e9);
    uint64_t rest_ns = SC_INTERIM_REST * cost_ns;
    return now_ns + (rest_ns > interval_ns ? rest_ns : interval_ns);
}
