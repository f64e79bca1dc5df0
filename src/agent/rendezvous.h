/*
 * agent/rendezvous.h - creates the segment and sends it to the observer.
 *
 * The observer puts the address of its socket and its settings in the environment. The agent
 * creates a segment, connects and sends it with a hello; there is no answer.
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

/* The contents of the variable SC_RENDEZVOUS_VARIABLE. */
struct sc_rendezvous {
    struct sockaddr_un address;
    socklen_t address_length;
    struct sc_pace pace;
    unsigned long flags; /* SC_RENDEZVOUS_... */
    uint64_t memory_window_bytes;
};

/* text: NULL without the variable. False when it cannot be parsed. */
bool sc_rendezvous_read(const char *text, struct sc_rendezvous *ret);

/* Creates sc_agent.segment, for the process sc_agent.pid, and sends it to the observer. False when
 * there is no memory, or no observer. */
bool sc_rendezvous_meet(const struct sc_rendezvous *rendezvous,
                        const struct sc_segment_facts *facts, bool is_forked);

/* The segment is not the observer's any more. Another thread may still be writing to it, so its
 * address stays mapped; a later segment takes the place. */
void sc_rendezvous_leave(void);

/* Reports to the observer why this process is not profiled. */
void sc_rendezvous_decline(const struct sc_rendezvous *rendezvous, enum sc_hello_status status,
                           uint32_t version_hex);
