/* observer/process/group.c - see group.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/group.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"
#include "observer/system/procfs.h"

/* The members of a group do not get a signal in the same instant, neither from the kernel nor from
 * a sender that signals one process after the other. */
#define MOMENT_NS   10000000
#define LOOK_NS     1000000
#define TOGETHER_NS 1000000000 /* signals at most this far apart have one cause */
#define LOOKS_MAX   500        /* then we no longer wait for the sender */
#define ANSWER_US   500000     /* no answer of the stand-in by then: not got */
#define STAT_BYTES  1024U

/* The part of our own stack that the kernel reads command lines from: our arguments, and the
 * environment after them. */
static bool find_command_line(char **ret_start, char **ret_end, char **ret_limit)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_err err;
    (void)sc_read_file("/proc/self/stat", STAT_BYTES, &text, &err);
    struct sc_stat stat = sc_stat_parse(sc_str_text(&text));
    // NOLINTBEGIN(performance-no-int-to-ptr)
    *ret_start = (char *)(uintptr_t)stat.numbers[SC_STAT_ARGUMENTS_START];
    *ret_end = (char *)(uintptr_t)stat.numbers[SC_STAT_ARGUMENTS_END];
    *ret_limit = (char *)(uintptr_t)stat.numbers[SC_STAT_ENVIRONMENT_END];
    // NOLINTEND(performance-no-int-to-ptr)
    return *ret_start != NULL && *ret_start < *ret_end && *ret_end <= *ret_limit;
}

/* Sets our command line as setproctitle does: where the last byte of our arguments is not 0, the
 * kernel reads on into the environment. */
static void be_called(char *const *command)
{
    SC_AUTO(sc_str_done) struct sc_str words = {0};
    char *start = NULL;
    char *end = NULL;
    char *limit = NULL;
    (void)prctl(PR_SET_NAME, sc_after_last(command[0], '/'));
    if (!find_command_line(&start, &end, &limit))
        return;
    size_t room = (size_t)(limit - start) - 1;
    for (size_t i = 0; command[i] != NULL && words.length < room; i++)
        sc_str_add_format(&words, "%s%s", i > 0 ? " " : "", command[i]);
    size_t length = words.length < room ? words.length : room;
    memset(start, 0, (size_t)(limit - start));
    memcpy(start, sc_str_text(&words), length);
}

/* A signal that has come: to us, or to the stand-in. */
struct arrival {
    int number;
    pid_t sender;
    uint64_t time_ns;
};

/* What the stand-in says of an arrival that it was asked about. */
struct answer {
    uint64_t time_ns; /* of that */
    bool had;
};

/* Notes the signals that have come by now. */
static void take_arrivals(int signals, struct arrival arrivals[])
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo < NSIG)
            arrivals[info.ssi_signo] = (struct arrival){.number = (int)info.ssi_signo,
                                                        .sender = (pid_t)info.ssi_pid,
                                                        .time_ns = sc_now_ns()};
    }
}

/* Whether the stand-in has got the same signal, now or within MOMENT_NS. Each arrival counts
 * once. */
static bool has_had_same(int signals, struct arrival arrivals[], const struct arrival *asked)
{
    struct arrival *had = &arrivals[asked->number];
    struct pollfd more = {.fd = signals, .events = POLLIN};
    uint64_t end_ns = sc_now_ns() + MOMENT_NS;
    uint64_t now_ns;
    bool is_same;
    do {
        take_arrivals(signals, arrivals);
        is_same = had->number != 0 && had->sender == asked->sender &&
                  had->time_ns + TOGETHER_NS > asked->time_ns;
        now_ns = sc_now_ns();
    } while (!is_same && now_ns < end_ns &&
             poll(&more, 1, (int)((end_ns - now_ns) / 1000000) + 1) > 0);
    had->number = 0;
    return is_same;
}

static void sleep_in_group(int socket_fd, pid_t parent, char *const *command)
{
    struct arrival arrivals[NSIG] = {0};
    struct arrival asked;
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    be_called(command);
    (void)dup2(socket_fd, 0);
    (void)syscall(SYS_close_range, 1U, ~0U, 0U);
    (void)!chdir("/");
    int signals = signalfd(-1, &all, SFD_NONBLOCK);
    struct pollfd fds[] = {{.events = POLLIN}, {.fd = signals, .events = POLLIN}};
    while (signals >= 0 && getppid() == parent) {
        if (poll(fds, 2, -1) < 0)
            continue;
        take_arrivals(signals, arrivals);
        if (fds[0].revents == 0)
            continue;
        if (recv(0, &asked, sizeof(asked), 0) != (ssize_t)sizeof(asked))
            break;
        bool had =
            asked.number > 0 && asked.number < NSIG && has_had_same(signals, arrivals, &asked);
        struct answer answer = {.time_ns = asked.time_ns, .had = had};
        if (send(0, &answer, sizeof(answer), MSG_NOSIGNAL) != (ssize_t)sizeof(answer))
            break;
    }
    _exit(0);
}

void sc_group_open(struct sc_group *group, char *const *command)
{
    const struct timeval timeout = {.tv_usec = ANSWER_US};
    int fds[2];
    pid_t parent = getpid();
    *group = (struct sc_group){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0)
        sleep_in_group(fds[1], parent, command);
    (void)close(fds[1]);
    if (pid < 0) {
        (void)close(fds[0]);
        return;
    }
    (void)setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    *group = (struct sc_group){.pid = pid, .fd = fds[0]};
}

/* Whether the stand-in has got the signal, too. */
static bool has_come(const struct sc_group *group, const struct arrival *arrival)
{
    struct answer answer = {0};
    if (group->pid == 0 ||
        send(group->fd, arrival, sizeof(*arrival), MSG_NOSIGNAL) != (ssize_t)sizeof(*arrival))
        return false;
    while (recv(group->fd, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer)) {
        if (answer.time_ns == arrival->time_ns) /* else it came too late for an earlier one */
            return answer.had;
    }
    return false;
}

/* Waits for a sender that signals one process after the other and may have lost its CPU in between:
 * until it has slept, has ended or has run long enough, its other signals may still come. */
static void let_go_on(pid_t sender)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    struct sc_schedstat first;
    struct sc_schedstat now;
    if (sender <= 0 || sender == getpid() ||
        sc_schedstat_read(sender, sender, -1, &first) != SC_PROC_READ)
        return;
    for (int i = 0; i < LOOKS_MAX && sc_stat_read(sender, sender).state == 'R'; i++) {
        if (sc_schedstat_read(sender, sender, -1, &now) != SC_PROC_READ ||
            now.run_ns - first.run_ns > MOMENT_NS)
            return;
        (void)nanosleep(&look, NULL);
    }
}

void sc_group_forward(const struct sc_group *group, const struct signalfd_siginfo *info,
                      pid_t program)
{
    struct arrival arrival = {
        .number = (int)info->ssi_signo, .sender = (pid_t)info->ssi_pid, .time_ns = sc_now_ns()};
    bool is_kernels = info->ssi_code > 0; /* the terminal's */
    if (!is_kernels)
        let_go_on(arrival.sender);
    /* the stand-in is asked about the kernel's signals, too: else it would match this arrival with
     * the next signal */
    bool has_had = has_come(group, &arrival) && getpgid(program) == getpgrp();
    if (!is_kernels && arrival.sender != program && !has_had)
        (void)kill(program, arrival.number);
}

void sc_group_close(struct sc_group *group)
{
    if (group->pid == 0)
        return;
    (void)close(group->fd);
    /* it may have been stopped with the group and never continued */
    (void)sc_child_kill(group->pid, NULL);
    *group = (struct sc_group){.fd = -1};
}
