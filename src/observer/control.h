/*
 * observer/control.h - profiling is switched on and off while the program runs.
 *
 * Orders come over Unix sockets without a file, one named after the program's process and one after
 * our own: "scalene-control-<pid>" in the abstract name space. A client sends "on", "off" or
 * "state" and is told the state; a process that is profiled on its own behalf may also send
 * "write", "finish" and "cancel". Behind a blank the moment of the clock CLOCK_MONOTONIC may stand,
 * in nanoseconds, at which it was to be so: what comes after it, as the waiting for us, is not the
 * program's. Only processes of our own user are listened to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    SC_CONTROL_SOCKETS = 2,
    SC_CONTROL_SILENT = 8, /* who have connected and not spoken yet; of more the first are let go */
    SC_CONTROL_FDS = SC_CONTROL_SOCKETS + SC_CONTROL_SILENT,
};

struct sc_control {
    int fds[SC_CONTROL_FDS]; /* listening, then the silent; -1: none. All are to be polled. */
    uint64_t moment_ns;      /* of the order that was taken last, 0 when it has none */
    unsigned next;           /* whose turn it is to be let go */
};

enum sc_order {
    SC_ORDER_NONE,
    SC_ORDER_ON,
    SC_ORDER_OFF,
    SC_ORDER_STATE,
    /* only of a process that has asked for its profile itself (guest.h) */
    SC_ORDER_WRITE,  /* off, and the profile is in its file before the answer comes */
    SC_ORDER_FINISH, /* the same, and the observer ends */
    SC_ORDER_CANCEL, /* the observer ends without a profile */
};

/* All descriptors -1: nobody is listened to. */
void sc_control_init(struct sc_control *ret_control);
/* False when the program's name is taken: by an observer that is about to end, or by another user
 * who wants to answer in our place. */
bool sc_control_open(struct sc_control *ret_control, pid_t program);
void sc_control_close(struct sc_control *control);

/* Takes one order that is there; SC_ORDER_NONE when there is none. Never waits. ret_peer: whom to
 * answer, owned by the caller until sc_control_answer. */
enum sc_order sc_control_take(struct sc_control *control, int *ret_peer);

/* When what was ordered last was to be: not before the one, and not after the other. */
uint64_t sc_control_moment(const struct sc_control *control, uint64_t earliest_ns, uint64_t now_ns);

void sc_control_answer(int peer, bool is_on);
