/*
 * observer/group.h - which signals have come to our whole process group.
 *
 * One that is sent to the group (killpg, as CI runners do) has reached the program, too; one that
 * is sent to us alone has not. What the kernel says of a signal is the same for both. So a small
 * process of ours, a fork that blocks everything and sleeps, is a member of the group: a signal
 * that it has got as well was sent to the group, or to everything there is of us.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

struct sc_group {
    pid_t pid; /* of the other member; 0 when there is none */
    int fd;    /* a socket to it, or -1 */
};

/* Makes the other member. It ends with us, however we end. */
void sc_group_open(struct sc_group *group);

/* Passes a signal of ours on to the program, unless that has sent it or has got it itself: from the
 * terminal, or since the group has, which it belongs to. Waits for a moment. */
void sc_group_forward(const struct sc_group *group, const struct signalfd_siginfo *info,
                      pid_t program);

void sc_group_close(struct sc_group *group);
