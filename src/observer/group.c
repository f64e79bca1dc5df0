/*
 * observer/group.c - which signals have come to our whole process group.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/group.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The kernel signals all members of a group at once, but not in one instant. */
#define MOMENT_NS 10000000
#define ANSWER_US 500000 /* no answer by then is none */

/* Answers each number of a signal with whether that one was pending. */
static void sleep_in_group(int fd, pid_t parent)
{
    const struct timespec moment = {.tv_nsec = MOMENT_NS};
    unsigned char number;
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_NAME, "scalene-group");
    if (fd > 0)
        (void)syscall(SYS_close_range, 0U, (unsigned)fd - 1, 0U);
    (void)syscall(SYS_close_range, (unsigned)fd + 1, ~0U, 0U);
    (void)!chdir("/");
    while (getppid() == parent && recv(fd, &number, 1, 0) == 1) {
        sigset_t asked;
        (void)sigemptyset(&asked);
        (void)sigaddset(&asked, number);
        unsigned char had = sigtimedwait(&asked, NULL, &moment) == number;
        if (send(fd, &had, 1, MSG_NOSIGNAL) != 1)
            break;
    }
    _exit(0);
}

void sc_group_open(struct sc_group *group)
{
    const struct timeval patience = {.tv_usec = ANSWER_US};
    int fds[2];
    pid_t parent = getpid();
    *group = (struct sc_group){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0)
        sleep_in_group(fds[1], parent);
    (void)close(fds[1]);
    if (pid < 0) {
        (void)close(fds[0]);
        return;
    }
    (void)setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    *group = (struct sc_group){.pid = pid, .fd = fds[0]};
}

/* Whether the other member has got the signal, too, since the last time that was asked. */
static bool has_had(const struct sc_group *group, int signal_number)
{
    unsigned char number = (unsigned char)signal_number;
    unsigned char had = 0;
    return group->pid != 0 && send(group->fd, &number, 1, MSG_NOSIGNAL) == 1 &&
           recv(group->fd, &had, 1, 0) == 1 && had != 0;
}

void sc_group_forward(const struct sc_group *group, const struct signalfd_siginfo *info,
                      pid_t program)
{
    int number = (int)info->ssi_signo;
    /* asked of the terminal's, too, or it would be taken for the next */
    bool has_come = has_had(group, number) && getpgid(program) == getpgrp();
    if (info->ssi_code <= 0 && (pid_t)info->ssi_pid != program && !has_come)
        (void)kill(program, number);
}

void sc_group_close(struct sc_group *group)
{
    if (group->pid == 0)
        return;
    (void)close(group->fd);
    (void)kill(group->pid,
               SIGKILL); /* it may have been stopped with the group and never continued */
    while (waitpid(group->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *group = (struct sc_group){.fd = -1};
}
