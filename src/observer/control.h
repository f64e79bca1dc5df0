/*
 * observer/control.h - profiling is switched on and off while the program runs.
 *
 * Orders come over Unix sockets without a file, one named after the program's process and one after
 * our own: "scalene-control-<pid>" in the abstract name space. A client sends "on", "off" or
 * "state" and is told the state; a process that is profiled on its own behalf may also send
 * "write", "finish" and "cancel". Only processes of our own user are listened to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { SC_CONTROL_SOCKETS = 2 };

struct sc_control {
    int fds[SC_CONTROL_SOCKETS]; /* -1 where a name was taken */
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

void sc_control_open(struct sc_control *ret_control, pid_t program);
void sc_control_close(struct sc_control *control);

/* Takes one waiting order of a socket; SC_ORDER_NONE when there is none. ret_peer: whom to answer,
 * owned by the caller until sc_control_answer. */
enum sc_order sc_control_take(const struct sc_control *control, int socket, int *ret_peer);
void sc_control_answer(int peer, bool is_on);
