/*
 * agent/rendezvous.h - how a process and the observer come to share a segment.
 *
 * The observer leaves the address of its socket and what it wants in the environment. The agent
 * makes a segment, connects and sends it along with a hello; nothing comes back.
 *
 * In normal context.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "channel/format.h"

/* What the variable SC_RENDEZVOUS_VARIABLE says. */
struct sc_rendezvous {
    struct sockaddr_un address;
    socklen_t address_length;
    struct sc_pace pace;
    unsigned long flags; /* SC_RENDEZVOUS_... */
    uint64_t memory_window_bytes;
};

/* text: NULL without the variable. False when it says nothing that is understood. */
bool sc_rendezvous_read(const char *text, struct sc_rendezvous *ret);

/* Makes sc_agent.segment, of the process sc_agent.pid, and makes it known to the observer. False
 * when there is no memory, or no observer. */
bool sc_rendezvous_meet(const struct sc_rendezvous *rendezvous,
                        const struct sc_segment_facts *facts, bool is_forked);

/* Tells the observer why this process is not profiled. */
void sc_rendezvous_decline(const struct sc_rendezvous *rendezvous, enum sc_hello_status status,
                           uint32_t version_hex);
