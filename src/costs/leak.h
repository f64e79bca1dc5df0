/*
 * costs/leak.h - which lines keep what they allocate. The rule: docs/design/0006-memory.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/ledger.h"

/* How sure it is that a line of the finished ledger keeps what it allocates, 0..1, and how fast
 * that grows; 0 when it does not look like a leak. begin_ns and end_ns: of the run. */
double sc_leak_of(const struct sc_ledger *ledger, const struct sc_ledger_account *line,
                  uint64_t begin_ns, uint64_t end_ns, double *ret_mb_s);

/* A process that has run from begin_ns to end_ns is gone, and the run goes on: notes which lines
 * look like leaks now, before its blocks are freed with it. */
void sc_leaks_of_worker(struct sc_ledger *ledger, uint64_t begin_ns, uint64_t end_ns);
