/*
 * observer/group.h - which signals have come to our whole process group.
 *
 * One that is sent to the group (killpg, as CI runners do) has reached the program, too; one that
 * is sent to us alone has not. What the kernel says of a signal is the same for both. So a small
 * process of ours, a fork that blocks everything and sleeps, stands in for the program: it is a
 * member of the group and has the program's name and command line. A signal that it has got as well
 * has reached the program, too, whether it was sent to the group or to all processes of that name
 * (pkill); one that was sent to all that are called as we are has not.
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

/* Passes a signal of ours on to the program, unless that has sent it or has got it itself: from the
 * terminal, or from who has sent it to several processes. Waits for a moment. */
void sc_group_forward(const struct sc_group *group, const struct signalfd_siginfo *info,
                      pid_t program);

void sc_group_close(struct sc_group *group);
