/*
 * observer/process/group.h - which signals have come to our whole process group.
 *
 * A signal to the group (killpg, as CI runners do) has reached the program, too; a signal to us
 * alone has not. The kernel reports both alike. So a small process of ours, a fork that blocks all
 * signals and sleeps, stands in for the program: it is a member of the group and has the program's
 * name and command line. A signal that the stand-in has got as well has reached the program, too,
 * whether it was sent to the group or to all processes of that name (pkill); one that was sent to
 * all processes of our own name has not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

struct sc_group {
    pid_t pid; /* of the stand-in; 0 when there is none */
    int fd;    /* a socket to it, or -1 */
};

/* Makes the stand-in for what is about to be executed. It ends with us, however we end. */
void sc_group_open(struct sc_group *group, char *const *command);

/* Passes a signal that we have got on to the program, unless the program has sent it or has got it,
 * too: from the terminal, or from a sender that has signalled several processes. May wait for half
 * a second. */
void sc_group_forward(const struct sc_group *group, const struct signalfd_siginfo *info,
                      pid_t program);

void sc_group_close(struct sc_group *group);
