/*
 * server/peer.h - whose process is at the other end of a connection.
 *
 * The kernel's tables of TCP sockets (/proc/net/tcp, /proc/net/tcp6) name the user of each socket
 * of this machine, or of this container. Every user of the machine can reach a port of the loopback
 * address, so a secret address alone must not be relied on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum sc_peer {
    SC_PEER_OWN,       /* of this user, or of root */
    SC_PEER_FOREIGN,   /* of another user */
    SC_PEER_UNKNOWN,   /* no socket of this machine, or one that is closed already */
    SC_PEER_ELSEWHERE, /* the same, but the connection has not come over the loopback address */
};

/* IPv4 as IPv6 has it (::ffff:a.b.c.d). */
struct sc_end {
    unsigned char address[16];
    unsigned port;
};

/* Whose process is at the other end of a connected TCP socket; *ret_uid is set for a foreign
 * one. */
enum sc_peer sc_peer_of(int connection, unsigned *ret_uid);

/* Looks for the open socket with these ends in a table of the kernel's. */
bool sc_peer_find(FILE *table, const struct sc_end *local, const struct sc_end *remote,
                  unsigned *ret_uid);
