/*
 * observer/link/control.h - profiling is switched on and off while the program runs.
 *
 * Orders come over Unix sockets without a file, one named after the program's process and one after
 * our own process: "scalene-control-<pid>" in the abstract name space. A client sends "on", "off"
 * or "state" and gets the state as the answer; a process that has asked for its own profile may
 * also send "write", "finish" and "cancel". A process that switches itself sends a blank and the
 * time, in nanoseconds of CLOCK_MONOTONIC, at which the order is to take effect: what comes later,
 * such as the wait for our answer, is not charged to the program. Others send 0 or nothing. Orders
 * of other users' processes are refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    SC_CONTROL_SOCKETS = 2,
    SC_CONTROL_SILENT = 8, /* at most so many clients that have connected and sent nothing yet;
                              further ones replace them in turn */
    SC_CONTROL_FDS = SC_CONTROL_SOCKETS + SC_CONTROL_SILENT,
};

struct sc_control {
    int fds[SC_CONTROL_FDS]; /* listening sockets, then silent clients; -1: none. Poll them all. */
    uint64_t moment_ns;      /* the time in the order that was taken last, 0 without one */
    pid_t sender;            /* the process that gave it for itself, 0: it came without a time */
    bool is_short; /* of descriptors: connections wait, so listening sockets need no polling */
    unsigned next; /* which silent client is disconnected next for a new one */
};

enum sc_order {
    SC_ORDER_NONE,
    SC_ORDER_ON,
    SC_ORDER_OFF,
    SC_ORDER_STATE,
    /* only of a process that has asked for its profile itself (guest.h) */
    SC_ORDER_WRITE,  /* off, and the profile is in its file before the answer comes */
    SC_ORDER_FINISH, /* the same, and the observer ends; no answer when the file is not written */
    SC_ORDER_CANCEL, /* the observer ends without a profile */
};

/* Sets all descriptors to -1: no socket is open. */
void sc_control_init(struct sc_control *ret_control);
/* False when the name of the program's socket is taken: by an observer that is about to end, or by
 * another user's process. */
bool sc_control_open(struct sc_control *ret_control, pid_t program);
void sc_control_close(struct sc_control *control);

/* Takes one order that is there; SC_ORDER_NONE when there is none. Never waits. ret_peer: the
 * client to answer, owned by the caller until sc_control_answer. */
enum sc_order sc_control_take(struct sc_control *control, int *ret_peer);

/* The time at which the order that was taken last takes effect, limited to earliest_ns and
 * now_ns. */
uint64_t sc_control_moment(const struct sc_control *control, uint64_t earliest_ns, uint64_t now_ns);

void sc_control_answer(int peer, bool is_on);
